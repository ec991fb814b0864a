package sqlite

import (
	"fmt"
	"math"
	"regexp"
	"strings"

	"github.com/FerretDB/FerretDB/internal/backends/sqlite/metadata"
	"github.com/FerretDB/FerretDB/internal/handler/sjson"
	"github.com/FerretDB/FerretDB/internal/types"
	"github.com/FerretDB/FerretDB/internal/util/must"
)

// A field that stands in double quotes must not name a column.
var plain = regexp.MustCompile(`^(_id|[A-Za-z]\w*)$`)

// With equality: of a text with NUL, SQLite compares what stands before it.
var comparisons = map[string]string{"$eq": "=", "$gt": ">=", "$gte": ">=", "$lt": "<=", "$lte": "<="}

// where gives the conditions of a filter that an index can answer. What they let through is filtered again, so they may
// leave something out or let more through, but never less.
func where(filter *types.Document) (string, []any) {
	var all []string
	var args []any

	for _, key := range filter.Keys() {
		if !plain.MatchString(key) {
			continue
		}

		conditions, ok := must.NotFail(filter.Get(key)).(*types.Document)
		if !ok {
			conditions = must.NotFail(types.NewDocument("$eq", must.NotFail(filter.Get(key))))
		}

		for _, operator := range conditions.Keys() {
			sql, values := condition(key, operator, must.NotFail(conditions.Get(operator)))
			if sql != "" {
				all = append(all, sql)
				args = append(args, values...)
			}
		}
	}

	if len(all) == 0 {
		return "", nil
	}

	return " WHERE " + strings.Join(all, " AND "), args
}

func condition(key, operator string, operand any) (string, []any) {
	column := fmt.Sprintf(`%s->>%q`, metadata.DefaultColumn, key)

	if list, ok := operand.(*types.Array); ok && operator == "$in" && list.Len() > 0 {
		args := make([]any, list.Len())
		for i := range args {
			if args[i], ok = scalar(must.NotFail(list.Get(i))); !ok {
				return "", nil
			}
		}

		return orList(key, column, fmt.Sprintf(`%s IN (?->>'$'%s)`, column, strings.Repeat(`, ?->>'$'`, len(args)-1))), args
	}

	comparison, known := comparisons[operator]
	arg, ok := scalar(operand)
	if !known || !ok {
		return "", nil
	}

	sql := fmt.Sprintf(`%s %s ?->>'$'`, column, comparison)

	// Without statistics a comparison is taken to leave a quarter, and walking along all ids would seem better. It is where
	// nearly all are let through: those that have any text there.
	if key != "_id" && comparison != "=" && operand != "" {
		sql = fmt.Sprintf(`likelihood(%s, 0.001)`, sql)
	}

	// Lists are texts that begin with a bracket, so they are among what is greater than most.
	if text, isText := operand.(string); comparison == ">=" && (!isText || text <= "[") {
		return sql, []any{arg}
	}

	return orList(key, column, sql), []any{arg}
}

// orList lets every list through: it matches when one of its elements does. An id is none.
func orList(key, column, sql string) string {
	if key == "_id" {
		return sql
	}

	return fmt.Sprintf(`(%[1]s OR (%[2]s >= '[' AND %[2]s < '\'))`, sql, column)
}

// scalar gives a value as JSON, if SQLite compares it as MongoDB does, or lets more through.
func scalar(v any) (any, bool) {
	switch v := v.(type) {
	case string, bool, int32, int64:
	case float64:
		if math.IsNaN(v) || math.IsInf(v, 0) {
			return nil, false
		}
	default:
		return nil, false
	}

	return string(must.NotFail(sjson.MarshalSingleValue(v))), true
}
