package pgcatalog

import (
	"regexp"
	"strconv"
	"strings"

	"minidb/sql/types"
)

// Enum gives the labels of an enumerated type; see types.Context.Enums.
func (r *Reader) Enum(o types.OID) *types.Enum {
	s, err := r.snapshot()
	if err != nil {
		return nil
	}
	return s.enumByOID[o]
}

// numberedRelation is a relation that a stored expression names by its number. Two quotes before it are inside of a text.
var numberedRelation = regexp.MustCompile(`(^|[^'])'([0-9]+)'::regclass`)

// nameTypes is types.NameTypes with the names that there are under a search path, for relations too.
func (s *Snapshot) nameTypes(path []string, text string) string {
	enums := func(o types.OID) *types.Enum { return s.enumByOID[o] }
	text = types.NameTypes(enums, func(o types.OID) (string, bool) { return s.typeName(path, o) }, text)
	return numberedRelation.ReplaceAllStringFunc(text, func(constant string) string {
		m := numberedRelation.FindStringSubmatch(constant)
		number, err := strconv.ParseUint(m[2], 10, 32)
		name, ok := s.relationName(path, types.OID(number))
		if err != nil || !ok {
			return constant
		}
		return m[1] + "'" + strings.ReplaceAll(name, "'", "''") + "'::regclass"
	})
}
