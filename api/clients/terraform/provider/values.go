package provider

import (
	"encoding/json"
	"math/big"

	"github.com/hashicorp/terraform-plugin-go/tftypes"
)

// Bits of the numbers of Terraform's language.
const precision = 512

// Returns the value of a field as the API has it: nil if it is null, and names of the API in objects. Null properties of
// objects are left out.
func toJson(f *field, value tftypes.Value) any {
	if value.IsNull() || !value.IsKnown() {
		return nil
	}
	switch f.form {
	case nested:
		return recordOf(f.fields, value)
	case nestedList:
		items := []any{}
		for _, item := range elements(value) {
			items = append(items, recordOf(f.fields, item))
		}
		return items
	case encoded:
		// A text that is no JSON has been refused by ValidateConfig.
		parsed, _ := decode([]byte(as[string](value)))
		return parsed
	}
	return freeJson(value)
}

func recordOf(fields []*field, value tftypes.Value) object {
	record := object{}
	members := members(value)
	for _, f := range fields {
		if one := toJson(f, members[f.name]); one != nil {
			record[f.api] = one
		}
	}
	return record
}

func freeJson(value tftypes.Value) any {
	if value.IsNull() || !value.IsKnown() {
		return nil
	}
	kind := value.Type()
	switch {
	case kind.Is(tftypes.String):
		return as[string](value)
	case kind.Is(tftypes.Bool):
		return as[bool](value)
	case kind.Is(tftypes.Number):
		return numberText(as[big.Float](value))
	case kind.Is(tftypes.Object{}), kind.Is(tftypes.Map{}):
		record := object{}
		for name, member := range members(value) {
			record[name] = freeJson(member)
		}
		return record
	}
	items := []any{}
	for _, item := range elements(value) {
		items = append(items, freeJson(item))
	}
	return items
}

func numberText(value big.Float) json.Number {
	if value.IsInt() {
		return json.Number(value.Text('f', 0))
	}
	return json.Number(value.Text('g', -1))
}

// The value has been checked by its schema.
func as[T any](value tftypes.Value) (result T) {
	if err := value.As(&result); err != nil {
		panic(err)
	}
	return result
}

func members(value tftypes.Value) map[string]tftypes.Value {
	if value.IsNull() || !value.IsKnown() {
		return nil
	}
	return as[map[string]tftypes.Value](value)
}

func elements(value tftypes.Value) []tftypes.Value {
	if value.IsNull() || !value.IsKnown() {
		return nil
	}
	return as[[]tftypes.Value](value)
}

// Returns a value of Terraform for one of the API. `prior` is the value in the plan or the state, which stays as it is written if it
// says the same: another order of a set, another notation of a time, properties that only the daemon has.
func toTerraform(f *field, kind tftypes.Type, prior tftypes.Value, got any) tftypes.Value {
	isSet := prior.Type() != nil && !prior.IsNull() && prior.IsFullyKnown()
	if isSet && matches(f, toJson(f, prior), got) {
		return prior
	}
	if got == nil {
		return tftypes.NewValue(kind, nil)
	}
	switch f.form {
	case free:
		return freeValue(got)
	case encoded:
		// The value came from JSON.
		written, _ := json.Marshal(got)
		return tftypes.NewValue(kind, string(written))
	case nested:
		return memberValues(f.fields, kind.(tftypes.Object), prior, got)
	case nestedList:
		return elementValues(f, kind.(tftypes.List).ElementType, kind, prior, got)
	case list:
		return elementValues(f.item, kind.(tftypes.List).ElementType, kind, tftypes.Value{}, got)
	case set:
		return elementValues(f.item, kind.(tftypes.Set).ElementType, kind, tftypes.Value{}, got)
	}
	return tftypes.NewValue(kind, scalar(got))
}

func memberValues(fields []*field, kind tftypes.Object, prior tftypes.Value, got any) tftypes.Value {
	record, _ := got.(object)
	before := members(prior)
	values := map[string]tftypes.Value{}
	for _, f := range fields {
		own := kind.AttributeTypes[f.name]
		one, had := before[f.name]
		// Defaults of the daemon inside of objects are not managed.
		if had && one.IsNull() || !had && isEmpty(record[f.api]) {
			values[f.name] = tftypes.NewValue(own, nil)
			continue
		}
		values[f.name] = toTerraform(f, own, one, record[f.api])
	}
	return tftypes.NewValue(kind, values)
}

func elementValues(f *field, item, kind tftypes.Type, prior tftypes.Value, got any) tftypes.Value {
	before := elements(prior)
	values := []tftypes.Value{}
	items, _ := got.([]any)
	for n, one := range items {
		own := tftypes.Value{}
		if n < len(before) {
			own = before[n]
		}
		if f.form == nestedList {
			values = append(values, memberValues(f.fields, item.(tftypes.Object), own, one))
			continue
		}
		values = append(values, toTerraform(f, item, own, one))
	}
	return tftypes.NewValue(kind, values)
}

func scalar(got any) any {
	if number, ok := got.(json.Number); ok {
		return numberOf(number)
	}
	return got
}

func numberOf(number json.Number) *big.Float {
	value, _, err := big.ParseFloat(number.String(), 10, precision, big.ToNearestEven)
	if err != nil {
		return new(big.Float)
	}
	return value
}

// Returns a value with the type that the same text in a configuration has.
func freeValue(got any) tftypes.Value {
	switch one := got.(type) {
	case object:
		types, values := map[string]tftypes.Type{}, map[string]tftypes.Value{}
		for name, member := range one {
			values[name] = freeValue(member)
			types[name] = values[name].Type()
		}
		return tftypes.NewValue(tftypes.Object{AttributeTypes: types}, values)
	case []any:
		types, values := []tftypes.Type{}, []tftypes.Value{}
		for _, item := range one {
			values = append(values, freeValue(item))
			types = append(types, values[len(values)-1].Type())
		}
		return tftypes.NewValue(tftypes.Tuple{ElementTypes: types}, values)
	case string:
		return tftypes.NewValue(tftypes.String, one)
	case bool:
		return tftypes.NewValue(tftypes.Bool, one)
	case json.Number:
		return tftypes.NewValue(tftypes.Number, numberOf(one))
	}
	return tftypes.NewValue(tftypes.DynamicPseudoType, nil)
}
