package provider

import (
	"encoding/json"
	"slices"
	"strings"
	"time"
)

// Whether the daemon has what a configuration says. `mine` has what is set; what is not set is not compared.
func matches(f *field, mine, theirs any) bool {
	if f.hidden {
		return true
	}
	if f.same != nil {
		return f.same(mine, theirs)
	}
	switch f.form {
	case nested:
		return matchesRecord(f, mine, theirs)
	case nestedList:
		return matchesEach(mine, theirs, func(one, other any) bool { return matchesRecord(f, one, other) })
	case set:
		return slices.Equal(sorted(f, mine), sorted(f, theirs))
	}
	if f.time {
		return sameTime(mine, theirs)
	}
	return equal(mine, theirs)
}

func matchesRecord(f *field, mine, theirs any) bool {
	record, _ := theirs.(object)
	for name, one := range mine.(object) {
		if !matches(f.child(name), one, record[name]) {
			return false
		}
	}
	return true
}

func matchesEach(mine, theirs any, match func(one, other any) bool) bool {
	ours, _ := mine.([]any)
	others, ok := theirs.([]any)
	if !ok || len(ours) != len(others) {
		return false
	}
	for n := range ours {
		if !match(ours[n], others[n]) {
			return false
		}
	}
	return true
}

// The daemon shows this for a secret.
const redacted = "REDACTED"

// Whether the daemon has the same JSON value; an absent property is the same as null.
func equal(one, other any) bool {
	switch value := one.(type) {
	case object:
		others, ok := other.(object)
		if !ok {
			return other == nil && isEmpty(one)
		}
		for name := range others {
			if !equal(value[name], others[name]) {
				return false
			}
		}
		for name := range value {
			if _, ok := others[name]; !ok && value[name] != nil {
				return false
			}
		}
		return true
	case []any:
		return matchesEach(one, other, equal)
	case json.Number:
		number, ok := other.(json.Number)
		return ok && numberOf(value).Cmp(numberOf(number)) == 0
	}
	// A secret that the daemon has cannot be compared.
	if shown, ok := other.(string); ok && shown == redacted {
		return true
	}
	// Lists and objects cannot be compared by the operator.
	switch other.(type) {
	case object, []any:
		return false
	}
	return one == other
}

func sameTime(one, other any) bool {
	first, _ := one.(string)
	second, _ := other.(string)
	at, err := time.Parse(time.RFC3339, first)
	if err != nil {
		return one == other
	}
	then, err := time.Parse(time.RFC3339, second)
	return err == nil && at.Equal(then)
}

func sorted(f *field, value any) (texts []string) {
	items, _ := value.([]any)
	for _, item := range items {
		text, _ := json.Marshal(item)
		if f.folded {
			text = []byte(strings.ToLower(string(text)))
		}
		texts = append(texts, string(text))
	}
	slices.Sort(texts)
	return texts
}

func isEmpty(value any) bool {
	switch one := value.(type) {
	case object:
		return len(one) == 0
	case []any:
		return len(one) == 0
	}
	return value == nil
}
