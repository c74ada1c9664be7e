package expr

import (
	"testing"

	"minidb/sql/types"
)

// The values' package knows pg_type and pg_cast for itself; both must say the same.

func TestTypesAgreeWithTheFacts(t *testing.T) {
	f := facts()
	n := 0
	for oid, tf := range f.types {
		typ, ok := types.ByOID(oid)
		if !ok {
			continue
		}
		n++
		elem, _ := typ.Elem()
		if elem.OID == types.CStringOID {
			continue // the facts leave cstring out
		}
		if typ.Name() != tf.name || typ.Category() != tf.category || typ.Preferred() != tf.preferred || elem.OID != tf.elem {
			t.Errorf("%s: category %c, preferred %t, element %d; PostgreSQL has %s, %c, %t, %d", typ.Name(), typ.Category(),
				typ.Preferred(), elem.OID, tf.name, tf.category, tf.preferred, tf.elem)
		}
		array, _ := typ.Array()
		if array.OID != f.arrays[oid] {
			t.Errorf("%s: array type %d, PostgreSQL has %d", typ.Name(), array.OID, f.arrays[oid])
		}
	}
	if n < 100 {
		t.Errorf("only %d types", n)
	}
}

func TestCastsAgreeWithTheFacts(t *testing.T) {
	f := facts()
	for from := range f.types {
		for to := range f.types {
			source, ok1 := types.ByOID(from)
			target, ok2 := types.ByOID(to)
			if !ok1 || !ok2 || !source.HasValues() || !target.HasValues() || source.IsUnknown() || target.IsUnknown() {
				continue
			}
			for _, cc := range []types.CastContext{types.CastImplicit, types.CastAssignment, types.CastExplicit} {
				if here, there := types.CastAllowed(source, target, cc), f.path(to, from, cc) != noCast; here != there {
					t.Errorf("cast from %s to %s in context %d: allowed %t, facts say %t", source.Format(), target.Format(), cc, here, there)
				}
			}
		}
	}
}
