package provider

import (
	"strings"

	"github.com/hashicorp/terraform-plugin-framework/attr"
	data "github.com/hashicorp/terraform-plugin-framework/datasource/schema"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema"
	"github.com/hashicorp/terraform-plugin-framework/types"
)

// Returns the attribute of a resource for a field.
func (f *field) attribute() schema.Attribute {
	optional := !f.required
	computed := f.computed || f.fallback != nil
	about := f.description()
	switch f.form {
	case text, encoded:
		return schema.StringAttribute{Required: f.required, Optional: optional, Computed: computed, Sensitive: f.secret, Description: about}
	case boolean:
		return schema.BoolAttribute{Required: f.required, Optional: optional, Computed: computed, Description: about}
	case integer:
		return schema.Int64Attribute{Required: f.required, Optional: optional, Computed: computed, Description: about}
	case number:
		return schema.NumberAttribute{Required: f.required, Optional: optional, Computed: computed, Description: about}
	case list:
		return schema.ListAttribute{ElementType: f.item.simple(), Required: f.required, Optional: optional, Computed: computed, Description: about}
	case set:
		return schema.SetAttribute{ElementType: f.item.simple(), Required: f.required, Optional: optional, Computed: computed, Description: about}
	case nested:
		return schema.SingleNestedAttribute{Attributes: each(f.fields, (*field).attribute), Required: f.required, Optional: optional, Computed: computed, Description: about}
	case nestedList:
		inside := schema.NestedAttributeObject{Attributes: each(f.fields, (*field).attribute)}
		return schema.ListNestedAttribute{NestedObject: inside, Required: f.required, Optional: optional, Computed: computed, Description: about}
	}
	return schema.DynamicAttribute{Required: f.required, Optional: optional, Computed: computed, Sensitive: f.secret, Description: about}
}

// Returns the attributes of fields, by their names.
func each[Attribute any](fields []*field, attribute func(*field) Attribute) map[string]Attribute {
	attributes := map[string]Attribute{}
	for _, f := range fields {
		attributes[f.name] = attribute(f)
	}
	return attributes
}

// Returns the attribute of a data source for a field of a record.
func (f *field) shown() data.Attribute {
	switch f.form {
	case text, encoded:
		return data.StringAttribute{Computed: true, Description: f.about}
	case boolean:
		return data.BoolAttribute{Computed: true, Description: f.about}
	case integer:
		return data.Int64Attribute{Computed: true, Description: f.about}
	case number:
		return data.NumberAttribute{Computed: true, Description: f.about}
	case list:
		return data.ListAttribute{ElementType: f.item.simple(), Computed: true, Description: f.about}
	case set:
		return data.SetAttribute{ElementType: f.item.simple(), Computed: true, Description: f.about}
	case nested:
		return data.SingleNestedAttribute{Attributes: each(f.fields, (*field).shown), Computed: true, Description: f.about}
	case nestedList:
		inside := data.NestedAttributeObject{Attributes: each(f.fields, (*field).shown)}
		return data.ListNestedAttribute{NestedObject: inside, Computed: true, Description: f.about}
	}
	return data.DynamicAttribute{Computed: true, Description: f.about}
}

func (f *field) simple() attr.Type {
	switch f.form {
	case boolean:
		return types.BoolType
	case integer:
		return types.Int64Type
	case number:
		return types.NumberType
	}
	return types.StringType
}

func (f *field) description() string {
	enum := f.enum
	if f.item != nil {
		enum = f.item.enum
	}
	parts := []string{}
	if f.about != "" {
		parts = append(parts, f.about)
	}
	if len(enum) > 0 {
		parts = append(parts, "one of "+strings.Join(enum, ", "))
	}
	if f.form == encoded {
		parts = append(parts, "JSON, with the names of the API: jsonencode({ ... })")
	}
	if f.form == free {
		parts = append(parts, "any value, with the names of the API")
	}
	return strings.Join(parts, "; ")
}
