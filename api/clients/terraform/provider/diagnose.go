package provider

import (
	"errors"
	"fmt"
	"net/http"
	"strconv"
	"strings"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
)

// Adds the reasons for which a request failed: at an attribute where the daemon names its field.
func (k kind) diagnose(found *diag.Diagnostics, fields []*field, action string, err error) {
	summary := fmt.Sprintf("could not %s the %s", action, k.name)
	var refusal *apiError
	if !errors.As(err, &refusal) {
		found.AddError(summary, err.Error())
		return
	}
	summary += ": " + refusal.Code
	for _, one := range refusal.Errors {
		at, ok := k.attributeAt(fields, one.Path)
		detail := strings.TrimSpace(one.Path+" "+one.Message) + k.advice(refusal)
		if ok {
			found.AddAttributeError(at, summary, detail)
		} else {
			found.AddError(summary, detail)
		}
	}
	if len(refusal.Errors) == 0 {
		found.AddError(summary, strings.TrimSpace(refusal.Message+k.advice(refusal)))
	}
}

// Returns what to do.
func (k kind) advice(refusal *apiError) string {
	switch {
	case refusal.Status == http.StatusUnauthorized:
		return "\n\nThe token is missing, has ended, or is not one of this daemon: correct `token` of the provider, or NW_TOKEN."
	case len(refusal.Required) > 0:
		return "\n\nPrivileges that allow it: " + strings.Join(refusal.Required, ", ") + ". Use the token of a user who has one."
	case refusal.Code == "DUPLICATE":
		return fmt.Sprintf("\n\nThere is another record with this value. To manage that one, import it: terraform import nodewright_%s.NAME ID.", k.name)
	case refusal.Status == http.StatusConflict:
		return "\n\nThe state of the record does not allow it now. Correct that, and apply again."
	}
	return ""
}

// Returns the attribute of a path of the API, such as spans.0.days.1; of a set or a free value, the whole.
func (k kind) attributeAt(fields []*field, place string) (path.Path, bool) {
	if k.whole != "" {
		return path.Root(k.whole), true
	}
	at, ok := path.Empty(), false
	parent := &field{form: nested, fields: fields}
	for _, step := range strings.Split(place, ".") {
		index, err := strconv.Atoi(step)
		switch {
		case err == nil && parent.form == nestedList && ok:
			at = at.AtListIndex(index)
			parent = &field{form: nested, fields: parent.fields}
			continue
		case err == nil && parent.form == list:
			return at.AtListIndex(index), true
		}
		child := parent.child(step)
		if parent.form != nested || child == nil {
			return at, ok
		}
		at, parent, ok = at.AtName(child.name), child, true
	}
	return at, ok
}
