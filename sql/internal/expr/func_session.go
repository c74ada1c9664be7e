package expr

import (
	"minidb/sql/types"
)

// sqlValue is a function that SQL writes without parentheses.
type sqlValue struct {
	typ   types.Type
	value nullary
}

var sqlValues = map[string]sqlValue{}
