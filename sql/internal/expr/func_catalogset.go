package expr

import (
	"bytes"

	"minidb/sql/types"
)

// catalogSetFuncs take apart what system catalogs hold.
var catalogSetFuncs = map[string]impl{
	"pg_options_to_table":    {set: optionsToTable},
	"aclexplode":             {set: explodeACL},
	"pg_partition_ancestors": {set: noRows}, // no table has partitions
	"pg_partition_tree":      {set: noRows},
}

// addInformationSchema adds the functions of information_schema, by their names with the schema.
func (f *factTables) addInformationSchema() {
	p := &proc{
		name: "_pg_expandarray", args: []types.OID{anyArrayOID}, result: types.RecordOID, kind: 'f', strict: true, retset: true,
		columns: []SetColumn{{"x", types.Type{OID: anyElementOID, Mod: -1}}, {"n", types.Int4}}, key: "_pg_expandarray",
	}
	p.impl = impl{bind: expandArray}
	f.procs["information_schema._pg_expandarray"] = []*proc{p}
}

// expandArray gives the elements of an array with their numbers.
func expandArray(args []types.Type, _ types.Type) impl {
	elem, _ := args[0].Elem()
	return impl{set: func(_ *EvalContext, a []types.Datum) (SetRows, error) {
		l := &rowList{}
		for i, d := range a[0].Array(elem).Elems {
			l.rows = append(l.rows, []types.Datum{d, types.NewInt(int64(i + 1))})
		}
		return l, nil
	}}
}

func noRows(*EvalContext, []types.Datum) (SetRows, error) { return &rowList{}, nil }

// optionsToTable takes name=value apart.
func optionsToTable(_ *EvalContext, a []types.Datum) (SetRows, error) {
	l := &rowList{}
	for _, d := range a[0].Array(types.Text).Elems {
		name, value, ok := bytes.Cut(d.B, []byte{'='})
		row := []types.Datum{types.NewBytes(name), types.NewBytes(value)}
		if !ok {
			row[1] = types.NullDatum
		}
		l.rows = append(l.rows, row)
	}
	return l, nil
}

// privileges are the letters of access rights, in PostgreSQL's order.
var privileges = map[byte]string{
	'a': "INSERT", 'r': "SELECT", 'w': "UPDATE", 'd': "DELETE", 'D': "TRUNCATE", 'x': "REFERENCES", 't': "TRIGGER", 'X': "EXECUTE",
	'U': "USAGE", 'C': "CREATE", 'T': "TEMPORARY", 'c': "CONNECT", 's': "SET", 'A': "ALTER SYSTEM",
}

// explodeACL takes grantee=rights/grantor apart; a star after a right says that it can be granted on.
func explodeACL(ec *EvalContext, a []types.Datum) (SetRows, error) {
	elem, _ := types.ByOID(types.ACLItemOID)
	l := &rowList{}
	for _, item := range a[0].Array(elem).Elems {
		grantee, rest, _ := bytes.Cut(item.B, []byte{'='})
		rights, grantor, _ := bytes.Cut(rest, []byte{'/'})
		by, err := types.Input(ec.Types, types.RegRole, grantor)
		if err != nil {
			return nil, err
		}
		to := types.NewInt(0) // PUBLIC
		if len(grantee) > 0 {
			if to, err = types.Input(ec.Types, types.RegRole, grantee); err != nil {
				return nil, err
			}
		}
		for i := range rights {
			if name := privileges[rights[i]]; name != "" {
				grantable := i+1 < len(rights) && rights[i+1] == '*'
				l.rows = append(l.rows, []types.Datum{by, to, types.NewText(name), types.NewBool(grantable)})
			}
		}
	}
	return l, nil
}
