package provider

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
)

// A call has what requests need.
type call struct {
	context context.Context
	client  *client
}

// The record of a node only says which obms there are.
func withObms(c call, record object) error {
	id := record["id"].(string)
	shown, err := c.client.list(c.context, "/api/current/nodes/"+id+"/obm", nil)
	if err != nil {
		return err
	}
	obms := []any{}
	for _, one := range shown {
		obm := one.(object)
		obms = append(obms, object{"service": obm["service"], "config": obm["config"], "id": obm["id"]})
	}
	record["obms"] = obms
	return nil
}

// Whether the daemon has these obms, in any order. It may add settings.
func sameObms(mine, theirs any) bool {
	own, others := byKey(mine, "service"), byKey(theirs, "service")
	if len(own) != len(others) {
		return false
	}
	for service, obm := range own {
		config, _ := obm["config"].(object)
		other, _ := others[service]["config"].(object)
		for name, value := range config {
			if !equal(value, other[name]) {
				return false
			}
		}
	}
	return true
}

func sameRelations(mine, theirs any) bool {
	return equal(relationSets(mine), relationSets(theirs))
}

// Returns targets by types, sorted.
func relationSets(value any) object {
	sets := object{}
	for name, relation := range byKey(value, "relationType") {
		targets, _ := relation["targets"].([]any)
		if len(targets) > 0 {
			sets[name] = sortedTargets(targets)
		}
	}
	return sets
}

func sortedTargets(targets []any) []any {
	ordered := slices.Clone(targets)
	slices.SortFunc(ordered, func(one, other any) int {
		if one.(string) < other.(string) {
			return -1
		}
		return 1
	})
	return ordered
}

func byKey(value any, key string) map[string]object {
	found := map[string]object{}
	items, _ := value.([]any)
	for _, item := range items {
		record, _ := item.(object)
		if name, ok := record[key].(string); ok {
			found[name] = record
		}
	}
	return found
}

// Changes the obms and the relations of a node.
func amendNode(c call, id string, before, after map[string]any) error {
	if _, changed := after["obms"]; changed {
		if err := amendObms(c, id, after["obms"]); err != nil {
			return err
		}
	}
	if _, changed := after["relations"]; !changed {
		return nil
	}
	path := "/api/current/nodes/" + id + "/relations"
	old, now := relationSets(before["relations"]), relationSets(after["relations"])
	if gone := without(old, now); len(gone) > 0 {
		if _, err := c.client.send(c.context, "DELETE", path, gone); err != nil {
			return err
		}
	}
	if added := without(now, old); len(added) > 0 {
		_, err := c.client.send(c.context, "PUT", path, added)
		return err
	}
	return nil
}

// Returns the targets that only the first one has.
func without(one, other object) object {
	left := object{}
	for name, targets := range one {
		others, _ := other[name].([]any)
		only := slices.DeleteFunc(slices.Clone(targets.([]any)), func(target any) bool { return slices.Contains(others, target) })
		if len(only) > 0 {
			left[name] = only
		}
	}
	return left
}

func amendObms(c call, id string, wanted any) error {
	record := object{"id": id}
	if err := withObms(c, record); err != nil {
		return err
	}
	items, _ := wanted.([]any)
	for at, obm := range items {
		if _, err := c.client.send(c.context, "PUT", "/api/current/nodes/"+id+"/obm", obm); err != nil {
			return below(err, fmt.Sprintf("obms.%d.", at))
		}
	}
	obms := byKey(wanted, "service")
	for service, obm := range byKey(record["obms"], "service") {
		if _, stays := obms[service]; stays {
			continue
		}
		if _, err := c.client.send(c.context, "DELETE", "/api/current/obms/"+obm["id"].(string), nil); err != nil {
			return err
		}
	}
	return nil
}

// Makes the paths of an error those of the record, because the request had only a part of it: `config` is a field of a node, too.
func below(err error, place string) error {
	var refusal *apiError
	if errors.As(err, &refusal) {
		for at := range refusal.Errors {
			refusal.Errors[at].Path = place + refusal.Errors[at].Path
		}
	}
	return err
}

// Asks what an upload would refuse.
func checkGraph(c call, definition object) (refused, doubted []string) {
	answer, err := c.client.send(c.context, "POST", "/api/current/workflows/graphs/check", definition)
	if err != nil {
		// Without the right, or the daemon, the upload says so.
		return nil, nil
	}
	findings, _ := answer.(object)
	return linesOf(findings["errors"]), linesOf(findings["warnings"])
}

func linesOf(value any) (lines []string) {
	items, _ := value.([]any)
	for _, item := range items {
		found, _ := item.(object)
		parts := []string{}
		for _, part := range []string{"code", "path", "message"} {
			if word, ok := found[part].(string); ok && word != "" {
				parts = append(parts, word)
			}
		}
		lines = append(lines, strings.Join(parts, " "))
	}
	return lines
}
