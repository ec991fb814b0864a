package provider

import (
	"fmt"
	"slices"
	"sort"
	"strings"
	"unicode"
)

// The forms of a value. Free ones are any JSON, in the names of the API.
type form int

const (
	text form = iota
	boolean
	integer
	number
	list
	set
	nested
	nestedList
	// JSON in a text.
	encoded
	free
)

// A field is a property of a body or of a record, and the attribute for it.
type field struct {
	// In the API, and in Terraform.
	api, name string
	form      form
	// Of lists and sets of simple values.
	item *field
	// Of objects, and of lists of objects.
	fields []*field
	enum   []string
	about  string
	time   bool

	required bool
	// Of a body: null removes the value.
	nullable bool
	// A change has it.
	changeable bool
	// It cannot be removed: absent in a configuration, it stays as it is.
	computed bool
	// There is one of several such properties.
	exclusive bool
	fallback  any
	secret    bool
	hidden    bool
	folded    bool
	same      func(mine, theirs any) bool
}

// Returns the fields that a user may set, in the order of their names.
func (k kind) fields() []*field {
	create, change := operationOf(k.create).body, operationOf(k.change).body
	if k.whole != "" {
		return []*field{{name: k.whole, form: free, required: true, changeable: true, about: "the definition, as JSON has it"}}
	}
	found := fieldsOf(create, k.sets)
	found = slices.DeleteFunc(found, func(f *field) bool { return slices.Contains(k.omit, f.api) })
	for _, f := range found {
		changed, changes := propertiesOf(change)[f.api].(object)
		f.changeable = changes || slices.Contains(k.amended, f.api)
		f.nullable = f.nullable && isNullable(changed)
		f.fallback = k.defaults[f.api]
		f.exclusive = slices.Contains(k.exclusive, f.api)
		f.computed = !f.required && !f.nullable && !f.exclusive && f.fallback == nil
		f.secret, f.hidden = slices.Contains(k.secret, f.api), slices.Contains(k.hidden, f.api)
		f.folded = slices.Contains(k.folded, f.api)
		if f.secret && f.form == free {
			f.encode(propertiesOf(create)[f.api].(object))
		}
		f.same = k.same[f.api]
	}
	return found
}

func fieldsOf(schema object, sets []string) (found []*field) {
	for name, property := range propertiesOf(schema) {
		f := fieldOf(property.(object))
		f.api, f.name = name, snake(name)
		f.required = requires(schema, name)
		if f.form == list && slices.Contains(sets, name) {
			f.form = set
		}
		found = append(found, f)
	}
	sort.Slice(found, func(i, j int) bool { return found[i].name < found[j].name })
	return found
}

func fieldOf(schema object) *field {
	about, _ := schema["description"].(string)
	f := formOf(schema)
	f.about = about
	return f
}

func formOf(schema object) *field {
	schema = resolved(schema)
	if ways, ok := schema["anyOf"].([]any); ok {
		return unionOf(ways)
	}
	switch schema["type"] {
	case "string":
		return &field{form: text, enum: textsOf(schema["enum"]), time: schema["format"] == "date-time"}
	case "boolean":
		return &field{form: boolean}
	case "integer":
		return &field{form: integer}
	case "number":
		return &field{form: number}
	case "array":
		return listOf(schema)
	case "object":
		if len(propertiesOf(schema)) > 0 {
			return &field{form: nested, fields: fieldsOf(schema, nil)}
		}
	}
	return &field{form: free}
}

// Terraform has no free values in lists, so that such a list is free as a whole.
func listOf(schema object) *field {
	items, _ := schema["items"].(object)
	item := fieldOf(items)
	switch {
	case item.form == nested && !item.hasFree():
		return &field{form: nestedList, fields: item.fields}
	case item.form > number:
		return &field{form: free}
	case schema["uniqueItems"] == true:
		return &field{form: set, item: item}
	}
	return &field{form: list, item: item}
}

// Makes a list of objects with free values one whose free values are texts: Terraform writes values of any type to its debug log, also
// sensitive ones.
func (f *field) encode(schema object) {
	item := fieldOf(schema["items"].(object))
	for _, child := range item.fields {
		if child.form == free {
			child.form, child.secret = encoded, true
		}
	}
	f.form, f.fields, f.secret = nestedList, item.fields, false
}

// Several objects become one, of which the daemon accepts some combinations; other unions are free.
func unionOf(ways []any) *field {
	others := slices.DeleteFunc(slices.Clone(ways), isNull)
	f := fieldOf(others[0].(object))
	for _, way := range others[1:] {
		other := fieldOf(way.(object))
		if f.form != nested || other.form != nested {
			f = &field{form: free}
			break
		}
		f.fields = append(f.fields, other.fields...)
	}
	if len(others) > 1 {
		for _, child := range f.fields {
			child.required = false
		}
	}
	f.nullable = len(others) < len(ways)
	return f
}

func (f *field) hasFree() bool {
	return f.form == free || slices.ContainsFunc(f.fields, (*field).hasFree)
}

func (f *field) child(api string) *field {
	at := slices.IndexFunc(f.fields, func(one *field) bool { return one.api == api })
	if at < 0 {
		return nil
	}
	return f.fields[at]
}

func isNull(schema any) bool { return schema.(object)["type"] == "null" }

func isNullable(schema object) bool {
	ways, _ := schema["anyOf"].([]any)
	return slices.ContainsFunc(ways, isNull)
}

func textsOf(value any) (texts []string) {
	values, _ := value.([]any)
	for _, one := range values {
		texts = append(texts, fmt.Sprint(one))
	}
	return texts
}

// Writes a name of the API as Terraform's names are written.
func snake(name string) string {
	var written strings.Builder
	for _, letter := range name {
		if unicode.IsUpper(letter) {
			written.WriteByte('_')
		}
		written.WriteRune(unicode.ToLower(letter))
	}
	return written.String()
}
