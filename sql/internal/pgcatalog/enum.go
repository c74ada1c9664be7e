package pgcatalog

import "minidb/sql/types"

// Enum gives the labels of an enumerated type; see types.Context.Enums.
func (r *Reader) Enum(o types.OID) *types.Enum {
	s, err := r.snapshot()
	if err != nil {
		return nil
	}
	return s.enumByOID[o]
}

// nameTypes is types.NameTypes with the names that there are under a search path.
func (s *Snapshot) nameTypes(path []string, text string) string {
	enums := func(o types.OID) *types.Enum { return s.enumByOID[o] }
	return types.NameTypes(enums, func(o types.OID) (string, bool) { return s.typeName(path, o) }, text)
}
