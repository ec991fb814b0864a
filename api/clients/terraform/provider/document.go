package provider

import (
	"bytes"
	_ "embed"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
)

// Written by the build.
//
//go:embed openapi.json
var documentText []byte

type object = map[string]any

var document = func() object {
	parsed, err := decode(documentText)
	if err != nil {
		panic(err)
	}
	return parsed.(object)
}()

// Decodes JSON, and keeps numbers as they are written.
func decode(text []byte) (any, error) {
	decoder := json.NewDecoder(bytes.NewReader(text))
	decoder.UseNumber()
	var value any
	err := decoder.Decode(&value)
	return value, err
}

// An operation of the document.
type operation struct {
	method, path string
	// The schema of its body, and of its answer; nil without one.
	body, answer object
	// Names of its parameters in the query.
	query []string
}

var operations = func() map[string]operation {
	found := map[string]operation{}
	for path, methods := range document["paths"].(object) {
		for method, described := range methods.(object) {
			op := described.(object)
			found[op["operationId"].(string)] = operation{
				method: strings.ToUpper(method),
				path:   path,
				body:   contentOf(op["requestBody"]),
				answer: answerOf(op),
				query:  queryOf(op),
			}
		}
	}
	return found
}()

// Returns an operation by its id. It panics if the document has none: a test finds that.
func operationOf(id string) operation {
	op, ok := operations[id]
	if !ok {
		panic(fmt.Sprintf("found no operation %s in the OpenAPI document", id))
	}
	return op
}

func answerOf(op object) object {
	for status, answer := range op["responses"].(object) {
		if strings.HasPrefix(status, "2") {
			return contentOf(answer)
		}
	}
	return nil
}

func queryOf(op object) (names []string) {
	parameters, _ := op["parameters"].([]any)
	for _, parameter := range parameters {
		if one := parameter.(object); one["in"] == "query" {
			names = append(names, one["name"].(string))
		}
	}
	return names
}

func contentOf(message any) object {
	described, _ := message.(object)
	content, _ := described["content"].(object)
	kind, _ := content["application/json"].(object)
	schema, _ := kind["schema"].(object)
	return resolved(schema)
}

// Follows a reference; of a body that is one record or a list of them, it returns the record.
func resolved(schema object) object {
	if ref, ok := schema["$ref"].(string); ok {
		schemas := document["components"].(object)["schemas"].(object)
		return resolved(schemas[ref[strings.LastIndex(ref, "/")+1:]].(object))
	}
	if ways, ok := schema["anyOf"].([]any); ok && len(ways) == 2 && ways[1].(object)["type"] == "array" {
		return resolved(ways[0].(object))
	}
	return schema
}

func propertiesOf(schema object) object {
	properties, _ := schema["properties"].(object)
	return properties
}

func requires(schema object, name string) bool {
	required, _ := schema["required"].([]any)
	return slices.Contains(required, any(name))
}

// Returns a value of this program as if it came from the daemon.
func jsonOf(value any) any {
	text, err := json.Marshal(value)
	if err != nil {
		panic(err)
	}
	parsed, err := decode(text)
	if err != nil {
		panic(err)
	}
	return parsed
}
