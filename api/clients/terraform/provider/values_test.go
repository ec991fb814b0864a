package provider

import (
	"testing"

	"github.com/hashicorp/terraform-plugin-go/tftypes"
)

func fieldNamed(t *testing.T, resource, name string) *field {
	t.Helper()
	for _, k := range kinds {
		for _, f := range k.fields() {
			if k.name == resource && f.name == name {
				return f
			}
		}
	}
	t.Fatalf("found no %s of %s", name, resource)
	return nil
}

func parsed(t *testing.T, text string) any {
	t.Helper()
	value, err := decode([]byte(text))
	if err != nil {
		t.Fatal(err)
	}
	return value
}

func TestAValueThatSaysTheSameIsNoDrift(t *testing.T) {
	cases := []struct{ resource, attribute, mine, theirs string }{
		{"node", "identifiers", `["AA:BB","cc"]`, `["cc","aa:bb"]`},
		{"node", "relations", `[{"relationType":"enclosedBy","targets":["b","a"]}]`, `[{"relationType":"enclosedBy","targets":["a","b"]}]`},
		{"node", "obms", `[{"service":"s","config":{"host":"h","password":"p"}}]`, `[{"service":"s","config":{"host":"h","password":"REDACTED"}}]`},
		{"node", "config", `{"a":1.0,"b":null}`, `{"a":1}`},
		{"role", "privileges", `["Read","Login"]`, `["Login","Read"]`},
		{"schedule", "until", `"2027-01-01T00:00:00Z"`, `"2027-01-01T00:00:00.000Z"`},
		{"schedule", "launch", `{"name":"G"}`, `{"name":"G","options":{}}`},
		{"hook", "secret", `"s"`, `null`},
	}
	for _, one := range cases {
		if !matches(fieldNamed(t, one.resource, one.attribute), parsed(t, one.mine), parsed(t, one.theirs)) {
			t.Errorf("%s.%s: %s differs from %s", one.resource, one.attribute, one.mine, one.theirs)
		}
	}
}

func TestAChangeOfOthersIsDrift(t *testing.T) {
	cases := []struct{ resource, attribute, mine, theirs string }{
		{"node", "tags", `["a"]`, `["a","b"]`},
		{"node", "obms", `[{"service":"s","config":{"host":"h"}}]`, `[{"service":"s","config":{"host":"i"}}]`},
		{"node", "obms", `[{"service":"s"}]`, `[{"service":"s"},{"service":"t"}]`},
		{"sku", "rules", `[{"path":"a","equals":1}]`, `[{"path":"a","equals":"1"}]`},
		{"sku", "rules", `[{"path":"a"}]`, `[{"path":"a","equals":"1"}]`},
		{"schedule", "when", `{"cron":"0 2 * * *","zone":"UTC"}`, `{"everySec":60}`},
		{"window", "spans", `[{"from":"22:00"}]`, `[{"from":"22:00"},{"from":"23:00"}]`},
	}
	for _, one := range cases {
		if matches(fieldNamed(t, one.resource, one.attribute), parsed(t, one.mine), parsed(t, one.theirs)) {
			t.Errorf("%s.%s: %s equals %s", one.resource, one.attribute, one.mine, one.theirs)
		}
	}
}

func TestJsonSurvivesTerraform(t *testing.T) {
	value := parsed(t, `{"a":[1,0.1,12345678901234567890,"x",true,null,{}],"b":{"c":[]}}`)
	if got := freeJson(freeValue(value)); !equal(value, got) {
		t.Errorf("found %v; expected %v", got, value)
	}
}

func TestWhatIsNotSetInAnObjectStaysUnset(t *testing.T) {
	f := fieldNamed(t, "schedule", "launch")
	kind := f.attribute().GetType().TerraformType(t.Context()).(tftypes.Object)
	prior := toTerraform(f, kind, tftypes.Value{}, parsed(t, `{"name":"G"}`))
	now := toTerraform(f, kind, prior, parsed(t, `{"name":"H","options":{"a":{"b":1}}}`))
	if got := toJson(f, now); !equal(got, parsed(t, `{"name":"H"}`)) {
		t.Errorf("found %v", got)
	}
}
