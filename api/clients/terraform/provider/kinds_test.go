package provider

import (
	"context"
	"slices"
	"strings"
	"testing"

	"github.com/hashicorp/terraform-plugin-framework/datasource"
	"github.com/hashicorp/terraform-plugin-framework/resource"
)

// The attributes that users have in their configurations: `!` must be given, `=` has a default. A change of the API that breaks them fails
// here; after one, CHANGELOG.md says how to change a configuration.
var attributesOfUsers = map[string]string{
	"graph":    "definition!",
	"hook":     "ca filters= format name reject_unauthorized= secret url!",
	"node":     "auto_discover= config identifiers name! obms owner relations service tags type!",
	"role":     "privileges! role!",
	"schedule": "launch missed= name! overlap= paused= rollout until when!",
	"sku":      "discovery_graph_name discovery_graph_options name! rules!",
	"window":   "closed= lead_minutes= name! spans! zone!",
}

func TestEachResourceHasTheAttributesThatUsersWrite(t *testing.T) {
	for _, k := range kinds {
		names := []string{}
		for _, f := range k.fields() {
			switch {
			case f.required:
				names = append(names, f.name+"!")
			case f.fallback != nil:
				names = append(names, f.name+"=")
			default:
				names = append(names, f.name)
			}
		}
		if got := strings.Join(names, " "); got != attributesOfUsers[k.name] {
			t.Errorf("%s: found %s; expected %s", k.name, got, attributesOfUsers[k.name])
		}
	}
}

func TestEachNameInTheTableIsInTheDocument(t *testing.T) {
	for _, k := range kinds {
		body := propertiesOf(operationOf(k.create).body)
		names := slices.Concat(k.omit, k.sets, k.folded, k.secret, k.hidden, k.exclusive, k.amended)
		for name := range k.defaults {
			names = append(names, name)
		}
		for _, name := range names {
			if body[name] == nil {
				t.Errorf("%s: found no property %s in the body of %s", k.name, name, k.create)
			}
		}
		record := propertiesOf(operationOf(k.read).answer)
		if record[k.key] == nil {
			t.Errorf("%s: found no property %s in its record", k.name, k.key)
		}
		if !slices.Contains(operationOf(k.list).query, k.called) {
			t.Errorf("%s: its list has no filter %s", k.name, k.called)
		}
		for _, id := range []string{k.change, k.remove} {
			operationOf(id)
		}
	}
}

func TestTheSchemasAreOnesThatTerraformAccepts(t *testing.T) {
	ctx := context.Background()
	for _, k := range kinds {
		var shape resource.SchemaResponse
		newRecord(k)().Schema(ctx, resource.SchemaRequest{}, &shape)
		if found := shape.Schema.ValidateImplementation(ctx); found.HasError() {
			t.Errorf("%s: %v", k.name, found)
		}
		for _, made := range []func() datasource.DataSource{newSource(k), newSources(k)} {
			var shown datasource.SchemaResponse
			made().Schema(ctx, datasource.SchemaRequest{}, &shown)
			if found := shown.Schema.ValidateImplementation(ctx); found.HasError() {
				t.Errorf("%s: %v", k.name, found)
			}
		}
	}
}

func TestAnErrorIsAtTheAttributeOfItsField(t *testing.T) {
	places := map[string]string{
		"window spans.0.days.1":   "spans[0].days",
		"window zone":             "zone",
		"node obms.0.config.user": "obms[0].config",
		"schedule when.cron":      "when.cron",
		"graph tasks.0.label":     "definition",
		"role other":              "",
	}
	for _, k := range kinds {
		for place, expected := range places {
			name, field, _ := strings.Cut(place, " ")
			if name != k.name {
				continue
			}
			if at, _ := k.attributeAt(k.fields(), field); at.String() != expected {
				t.Errorf("%s: found %s; expected %s", place, at, expected)
			}
		}
	}
}
