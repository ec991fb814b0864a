package provider

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-go/tftypes"
)

// Refuses words that the document does not list, before anything is changed. The daemon checks the rest.
func (r *record) ValidateConfig(_ context.Context, request resource.ValidateConfigRequest, response *resource.ValidateConfigResponse) {
	values := members(request.Config.Raw)
	for _, f := range r.set {
		f.validate(&response.Diagnostics, path.Root(f.name), values[f.name])
	}
}

func (f *field) validate(found *diag.Diagnostics, at path.Path, value tftypes.Value) {
	if value.IsNull() || !value.IsKnown() {
		return
	}
	switch f.form {
	case text:
		if given := as[string](value); len(f.enum) > 0 && !slices.Contains(f.enum, given) {
			found.AddAttributeError(at, "INVALID", fmt.Sprintf("found %q; expected one of %s", given, strings.Join(f.enum, ", ")))
		}
	case encoded:
		if _, err := decode([]byte(as[string](value))); err != nil {
			found.AddAttributeError(at, "INVALID", "found a text that is no JSON; expected jsonencode({ ... })")
		}
	case list, set:
		for _, item := range elements(value) {
			f.item.validate(found, at, item)
		}
	case nested:
		f.validateMembers(found, at, value)
	case nestedList:
		for n, item := range elements(value) {
			f.validateMembers(found, at.AtListIndex(n), item)
		}
	}
}

func (f *field) validateMembers(found *diag.Diagnostics, at path.Path, value tftypes.Value) {
	values := members(value)
	for _, child := range f.fields {
		child.validate(found, at.AtName(child.name), values[child.name])
	}
}

// Completes a plan: values of the daemon for what is not set, and which changes need another record.
func (r *record) ModifyPlan(ctx context.Context, request resource.ModifyPlanRequest, response *resource.ModifyPlanResponse) {
	if request.Plan.Raw.IsNull() {
		return
	}
	config, state, plan := members(request.Config.Raw), members(request.State.Raw), members(request.Plan.Raw)
	kind := request.Plan.Raw.Type().(tftypes.Object)
	id, isNew := state["id"], request.State.Raw.IsNull()
	if !isNew {
		plan["id"] = id
	}
	for _, f := range r.set {
		switch {
		case !config[f.name].IsNull():
		case f.fallback != nil:
			plan[f.name] = toTerraform(f, kind.AttributeTypes[f.name], tftypes.Value{}, jsonOf(f.fallback))
		case f.computed && !isNew:
			plan[f.name] = state[f.name]
		}
		if !isNew && r.needsAnother(f, state, plan) {
			response.RequiresReplace = append(response.RequiresReplace, path.Root(f.name))
			plan["id"] = tftypes.NewValue(tftypes.String, tftypes.UnknownValue)
		}
	}
	response.Plan.Raw = tftypes.NewValue(kind, plan)
	isChanged := r.whole != "" && (isNew || !plan[r.whole].Equal(state[r.whole]))
	if isChanged && r.check != nil && r.client != nil && plan[r.whole].IsFullyKnown() {
		r.tryOut(ctx, response, plan)
	}
}

// Whether the daemon cannot change the record so: another one is made.
func (r *record) needsAnother(f *field, state, plan map[string]tftypes.Value) bool {
	before, after := state[f.name], plan[f.name]
	if before.Equal(after) || !after.IsKnown() {
		return false
	}
	if r.whole != "" {
		return after.IsFullyKnown() && r.idIn(freeJson(after)) != as[string](state["id"])
	}
	return !f.changeable || f.exclusive && after.IsNull()
}

func (r *record) tryOut(ctx context.Context, response *resource.ModifyPlanResponse, plan map[string]tftypes.Value) {
	definition, ok := freeJson(plan[r.whole]).(object)
	if !ok {
		response.Diagnostics.AddAttributeError(path.Root(r.whole), "INVALID", "found no object; expected the definition of a "+r.name)
		return
	}
	refused, doubted := r.check(call{ctx, r.client}, definition)
	for _, line := range refused {
		response.Diagnostics.AddAttributeError(path.Root(r.whole), "the daemon would refuse the "+r.name, line)
	}
	for _, line := range doubted {
		response.Diagnostics.AddAttributeWarning(path.Root(r.whole), "a warning about the "+r.name, line)
	}
}
