package provider

import (
	"context"
	"fmt"
	"net/url"
	"strings"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema"
	"github.com/hashicorp/terraform-plugin-framework/tfsdk"
	"github.com/hashicorp/terraform-plugin-go/tftypes"
)

// A record is the resource of each kind.
type record struct {
	kind
	client *client
	set    []*field
}

func newRecord(k kind) func() resource.Resource {
	return func() resource.Resource { return &record{kind: k, set: k.fields()} }
}

func (r *record) Metadata(_ context.Context, request resource.MetadataRequest, response *resource.MetadataResponse) {
	response.TypeName = request.ProviderTypeName + "_" + r.name
}

func (r *record) Schema(_ context.Context, _ resource.SchemaRequest, response *resource.SchemaResponse) {
	attributes := each(r.set, (*field).attribute)
	attributes["id"] = schema.StringAttribute{Computed: true, Description: "the " + r.key + " of the record"}
	response.Schema = schema.Schema{Attributes: attributes}
}

func (r *record) Configure(_ context.Context, request resource.ConfigureRequest, _ *resource.ConfigureResponse) {
	r.client, _ = request.ProviderData.(*client)
}

func (r *record) Create(ctx context.Context, request resource.CreateRequest, response *resource.CreateResponse) {
	plan := members(request.Plan.Raw)
	body := r.body(plan)
	if r.create == r.change {
		if err := r.mustBeNew(ctx, body); err != nil {
			r.diagnose(&response.Diagnostics, r.set, "create", err)
			return
		}
	}
	op := operationOf(r.create)
	got, err := r.client.send(ctx, op.method, op.path, body)
	r.keep(ctx, &response.State, &response.Diagnostics, plan, got, "create", err)
}

// An upload would replace a definition that others made.
func (r *record) mustBeNew(ctx context.Context, body any) error {
	id := r.idIn(body)
	_, err := r.client.send(ctx, "GET", r.pathOf(r.read, id), nil)
	if err == nil {
		return &apiError{Status: 409, Code: "DUPLICATE", Message: fmt.Sprintf("the %s %s exists already", r.name, id)}
	}
	if isMissing(err) {
		return nil
	}
	return err
}

func (r *record) Read(ctx context.Context, request resource.ReadRequest, response *resource.ReadResponse) {
	state := members(request.State.Raw)
	got, err := r.client.send(ctx, "GET", r.pathOf(r.read, as[string](state["id"])), nil)
	if isMissing(err) {
		response.State.RemoveResource(ctx)
		return
	}
	r.keep(ctx, &response.State, &response.Diagnostics, state, got, "read", err)
}

func (r *record) Update(ctx context.Context, request resource.UpdateRequest, response *resource.UpdateResponse) {
	state, plan := members(request.State.Raw), members(request.Plan.Raw)
	id := as[string](state["id"])
	before, after := r.changes(state, plan)
	c := call{ctx, r.client}
	if r.amend != nil {
		if err := r.amend(c, id, before, after); err != nil {
			r.diagnose(&response.Diagnostics, r.set, "change", err)
			return
		}
	}
	for _, name := range r.amended {
		delete(after, name)
	}
	var body any = after
	op := operationOf(r.change)
	if r.whole != "" {
		body = r.body(plan)
	}
	if len(after) == 0 {
		op.method, body = "GET", nil
	}
	path := r.pathOf(r.read, id)
	if r.whole != "" {
		path = op.path
	}
	got, err := r.client.send(ctx, op.method, path, body)
	r.keep(ctx, &response.State, &response.Diagnostics, plan, got, "change", err)
}

func (r *record) Delete(ctx context.Context, request resource.DeleteRequest, response *resource.DeleteResponse) {
	id := as[string](members(request.State.Raw)["id"])
	_, err := r.client.send(ctx, "DELETE", r.pathOf(r.remove, id), nil)
	if err != nil && !isMissing(err) {
		r.diagnose(&response.Diagnostics, r.set, "delete", err)
	}
}

func (r *record) ImportState(ctx context.Context, request resource.ImportStateRequest, response *resource.ImportStateResponse) {
	id, err := r.find(ctx, r.client, request.ID)
	if err != nil {
		r.diagnose(&response.Diagnostics, r.set, "import", err)
		return
	}
	response.Diagnostics.Append(response.State.SetAttribute(ctx, path.Root("id"), id)...)
}

// Writes an answer to the state. `prior` has the values of the plan or of the state before.
func (r *record) keep(
	ctx context.Context, state *tfsdk.State, found *diag.Diagnostics, prior map[string]tftypes.Value, got any, action string, err error,
) {
	answer, ok := got.(object)
	if err == nil && !ok {
		err = fmt.Errorf("found an answer without a record; expected one")
	}
	if err == nil && r.complete != nil {
		err = r.complete(call{ctx, r.client}, answer)
	}
	if err != nil {
		r.diagnose(found, r.set, action, err)
		return
	}
	kind := state.Schema.Type().TerraformType(ctx).(tftypes.Object)
	values := map[string]tftypes.Value{"id": tftypes.NewValue(tftypes.String, answer[r.key])}
	for _, f := range r.set {
		own := kind.AttributeTypes[f.name]
		values[f.name] = toTerraform(f, own, prior[f.name], r.valueIn(answer, f))
	}
	state.Raw = tftypes.NewValue(kind, values)
}

// Returns the value of a field in a record.
func (r *record) valueIn(answer object, f *field) any {
	if r.whole != "" {
		return answer
	}
	if got := answer[f.api]; got != nil {
		return got
	}
	return jsonOf(f.fallback)
}

// Returns the body of a request that creates the record.
func (r *record) body(plan map[string]tftypes.Value) any {
	if r.whole != "" {
		return freeJson(plan[r.whole])
	}
	return recordOf(r.set, tftypes.NewValue(tftypes.Object{AttributeTypes: typesOf(plan)}, plan))
}

// Returns the changed properties, as they are and as they will be.
func (r *record) changes(state, plan map[string]tftypes.Value) (before, after object) {
	before, after = object{}, object{}
	for _, f := range r.set {
		if !plan[f.name].Equal(state[f.name]) {
			before[f.api], after[f.api] = toJson(f, state[f.name]), toJson(f, plan[f.name])
		}
	}
	return before, after
}

func (k kind) idIn(body any) string {
	record, _ := body.(object)
	id, _ := record[k.key].(string)
	return id
}

// Returns the path of a record.
func (k kind) pathOf(id, record string) string {
	path := operationOf(id).path
	from, to := strings.IndexByte(path, '{'), strings.IndexByte(path, '}')
	return path[:from] + url.PathEscape(record) + path[to+1:]
}

// Returns the id of a record by its id or its name.
func (k kind) find(ctx context.Context, c *client, wanted string) (string, error) {
	got, err := c.send(ctx, "GET", k.pathOf(k.read, wanted), nil)
	if err == nil {
		return k.idIn(got), nil
	}
	if !isMissing(err) || k.called == k.key {
		return "", err
	}
	records, err := c.list(ctx, operationOf(k.list).path, url.Values{k.called: {wanted}})
	if err != nil {
		return "", err
	}
	if len(records) != 1 {
		return "", fmt.Errorf("found %d records with the id or the %s %q; expected one: give its id", len(records), k.called, wanted)
	}
	return k.idIn(records[0]), nil
}

func typesOf(values map[string]tftypes.Value) map[string]tftypes.Type {
	types := map[string]tftypes.Type{}
	for name, value := range values {
		types[name] = value.Type()
	}
	return types
}
