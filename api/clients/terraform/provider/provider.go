// Package provider makes resources and data sources from the OpenAPI document of the daemon.
package provider

import (
	"context"
	"os"

	"github.com/hashicorp/terraform-plugin-framework/datasource"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/provider"
	"github.com/hashicorp/terraform-plugin-framework/provider/schema"
	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-framework/types"
)

type nodewright struct{ version string }

// New returns the provider of a version.
func New(version string) func() provider.Provider {
	return func() provider.Provider { return &nodewright{version} }
}

func (p *nodewright) Metadata(_ context.Context, _ provider.MetadataRequest, response *provider.MetadataResponse) {
	response.TypeName, response.Version = "nodewright", p.version
}

func (p *nodewright) Schema(_ context.Context, _ provider.SchemaRequest, response *provider.SchemaResponse) {
	response.Schema = schema.Schema{Attributes: map[string]schema.Attribute{
		"url":      schema.StringAttribute{Optional: true, Description: "address of the daemon; otherwise NW_URL"},
		"token":    schema.StringAttribute{Optional: true, Sensitive: true, Description: "an API token; otherwise NW_TOKEN"},
		"ca":       schema.StringAttribute{Optional: true, Description: "file with certificates to trust, as PEM, besides those of the system; otherwise NW_CA"},
		"insecure": schema.BoolAttribute{Optional: true, Description: "accept any certificate; for trials only"},
	}}
}

type settings struct {
	URL      types.String `tfsdk:"url"`
	Token    types.String `tfsdk:"token"`
	CA       types.String `tfsdk:"ca"`
	Insecure types.Bool   `tfsdk:"insecure"`
}

func (p *nodewright) Configure(ctx context.Context, request provider.ConfigureRequest, response *provider.ConfigureResponse) {
	var given settings
	response.Diagnostics.Append(request.Config.Get(ctx, &given)...)
	if given.URL.IsUnknown() || given.Token.IsUnknown() || given.CA.IsUnknown() || given.Insecure.IsUnknown() {
		response.Diagnostics.AddError("found a setting that is not known yet", "Expected values that are known before anything is applied.")
	}
	if response.Diagnostics.HasError() {
		return
	}
	address, token := orVariable(given.URL, "NW_URL"), orVariable(given.Token, "NW_TOKEN")
	if address == "" {
		response.Diagnostics.AddAttributeError(path.Root("url"), "found no url", "Set `url` of the provider, or NW_URL: the address of the daemon.")
	}
	if token == "" {
		response.Diagnostics.AddAttributeError(path.Root("token"), "found no token", "Set `token` of the provider, or NW_TOKEN: an API token.")
	}
	if response.Diagnostics.HasError() {
		return
	}
	made, err := newClient(address, token, orVariable(given.CA, "NW_CA"), given.Insecure.ValueBool())
	if err != nil {
		response.Diagnostics.AddError("cannot reach a daemon", err.Error())
		return
	}
	response.ResourceData, response.DataSourceData = made, made
}

func orVariable(given types.String, name string) string {
	if given.IsNull() {
		return os.Getenv(name)
	}
	return given.ValueString()
}

func (p *nodewright) Resources(context.Context) (made []func() resource.Resource) {
	for _, k := range kinds {
		made = append(made, newRecord(k))
	}
	return made
}

func (p *nodewright) DataSources(context.Context) (made []func() datasource.DataSource) {
	for _, k := range kinds {
		made = append(made, newSource(k), newSources(k))
	}
	return made
}
