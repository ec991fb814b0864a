package provider

import (
	"context"
	"fmt"
	"net/url"
	"slices"
	"strings"

	"github.com/hashicorp/terraform-plugin-framework/datasource"
	"github.com/hashicorp/terraform-plugin-framework/datasource/schema"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/types"
	"github.com/hashicorp/terraform-plugin-go/tftypes"
)

// A source is the data source of one record, with all that it has.
type source struct {
	kind
	client *client
	shown  []*field
}

func newSource(k kind) func() datasource.DataSource {
	return func() datasource.DataSource {
		shown := fieldsOf(operationOf(k.read).answer, nil)
		if k.whole != "" {
			shown = []*field{{name: k.whole, form: free}}
		}
		return &source{kind: k, shown: slices.DeleteFunc(shown, func(f *field) bool { return f.api == "id" })}
	}
}

func (s *source) Metadata(_ context.Context, request datasource.MetadataRequest, response *datasource.MetadataResponse) {
	response.TypeName = request.ProviderTypeName + "_" + s.name
}

func (s *source) Schema(_ context.Context, _ datasource.SchemaRequest, response *datasource.SchemaResponse) {
	attributes := each(s.shown, (*field).shown)
	about := strings.Join(slices.Compact([]string{s.key, s.called}), " or ") + " of the record"
	attributes["find"] = schema.StringAttribute{Required: true, Description: about}
	attributes["id"] = schema.StringAttribute{Computed: true}
	response.Schema = schema.Schema{Attributes: attributes}
}

func (s *source) Configure(_ context.Context, request datasource.ConfigureRequest, _ *datasource.ConfigureResponse) {
	s.client, _ = request.ProviderData.(*client)
}

func (s *source) Read(ctx context.Context, request datasource.ReadRequest, response *datasource.ReadResponse) {
	given := members(request.Config.Raw)["find"]
	id, err := s.find(ctx, s.client, as[string](given))
	var got any
	if err == nil {
		got, err = s.client.send(ctx, "GET", s.pathOf(s.read, id), nil)
	}
	if err != nil {
		s.diagnose(&response.Diagnostics, nil, "read", err)
		return
	}
	record, _ := got.(object)
	kind := response.State.Schema.Type().TerraformType(ctx).(tftypes.Object)
	values := map[string]tftypes.Value{"find": given, "id": tftypes.NewValue(tftypes.String, id)}
	for _, f := range s.shown {
		value := record[f.api]
		if s.whole != "" {
			value = got
		}
		values[f.name] = toTerraform(f, kind.AttributeTypes[f.name], tftypes.Value{}, value)
	}
	response.State.Raw = tftypes.NewValue(kind, values)
}

// Sources are the data source of all records that a filter selects.
type sources struct {
	kind
	client *client
}

func newSources(k kind) func() datasource.DataSource {
	return func() datasource.DataSource { return &sources{kind: k} }
}

func (s *sources) Metadata(_ context.Context, request datasource.MetadataRequest, response *datasource.MetadataResponse) {
	response.TypeName = request.ProviderTypeName + "_" + s.name + "s"
}

func (s *sources) Schema(_ context.Context, _ datasource.SchemaRequest, response *datasource.SchemaResponse) {
	names := strings.Join(operationOf(s.list).query, ", ")
	response.Schema = schema.Schema{Attributes: map[string]schema.Attribute{
		"filter":  schema.MapAttribute{ElementType: types.StringType, Optional: true, Description: "values by names of filters: " + names},
		"ids":     schema.ListAttribute{ElementType: types.StringType, Computed: true, Description: "the " + s.key + " of each record"},
		"records": schema.DynamicAttribute{Computed: true, Description: "the records, with the names of the API"},
	}}
}

func (s *sources) Configure(_ context.Context, request datasource.ConfigureRequest, _ *datasource.ConfigureResponse) {
	s.client, _ = request.ProviderData.(*client)
}

func (s *sources) Read(ctx context.Context, request datasource.ReadRequest, response *datasource.ReadResponse) {
	given := members(request.Config.Raw)["filter"]
	op, query := operationOf(s.list), url.Values{}
	for name, value := range members(given) {
		// The records are listed whole, page by page.
		if strings.HasPrefix(name, "$") || name == "fields" || !slices.Contains(op.query, name) {
			response.Diagnostics.AddAttributeError(path.Root("filter"), "INVALID",
				fmt.Sprintf("found the filter %q; expected some of %s", name, strings.Join(op.query, ", ")))
			return
		}
		query.Set(name, as[string](value))
	}
	records, err := s.client.list(ctx, op.path, query)
	if err != nil {
		s.diagnose(&response.Diagnostics, nil, "find", err)
		return
	}
	ids := []tftypes.Value{}
	for _, record := range records {
		ids = append(ids, tftypes.NewValue(tftypes.String, s.idIn(record)))
	}
	kind := response.State.Schema.Type().TerraformType(ctx).(tftypes.Object)
	response.State.Raw = tftypes.NewValue(kind, map[string]tftypes.Value{
		"filter":  given,
		"ids":     tftypes.NewValue(tftypes.List{ElementType: tftypes.String}, ids),
		"records": freeValue(records),
	})
}
