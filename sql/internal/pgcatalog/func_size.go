package pgcatalog

import (
	"math/big"
	"strconv"
	"strings"

	"minidb/sql/catalog"
	"minidb/sql/internal/expr"
	"minidb/sql/sqlerr"
	"minidb/sql/types"
)

// sizeFuncs tell how much room things take, about.
var sizeFuncs = map[string]body{
	"pg_relation_size(regclass)": asking(relationSize(true, false)),
	"pg_relation_size":           asking(relationSize(true, false)),
	"pg_table_size":              asking(relationSize(true, false)),
	"pg_indexes_size":            asking(relationSize(false, true)),
	"pg_total_relation_size":     asking(relationSize(true, true)),
	"pg_database_size_name":      asking(databaseSize),
	"pg_database_size_oid":       asking(databaseSize),
	"pg_tablespace_size_oid":     asking(tablespaceSize),
	"pg_tablespace_size_name":    asking(tablespaceSize),
	"pg_tablespace_location":     always(text("")),
	"pg_size_pretty":             func(_ *expr.EvalContext, args []datum) (datum, error) { return text(sizePretty(args[0].I)), nil },
	"pg_size_pretty_numeric":     sizePrettyNumeric,
	"pg_size_bytes":              sizeBytes,
}

// relationSize adds up the rows and the indexes of a table. An index counts as what it is.
func relationSize(rows, indexes bool) func(*Reader, *Snapshot, []datum) (datum, error) {
	return func(r *Reader, s *Snapshot, args []datum) (datum, error) {
		rel, ok := s.relations[oidOf(args[0])]
		if !ok {
			if _, ok := s.relationObject(oidOf(args[0])); ok {
				return num(0), nil
			}
			return null, nil
		}
		n, err := r.relationBytes(rel, rows, indexes)
		return types.NewInt(n), err
	}
}

func (r *Reader) relationBytes(rel catalog.Relation, rows, indexes bool) (int64, error) {
	if rel.Index != nil {
		if !rows {
			return 0, nil
		}
		return r.env.IndexBytes(rel.Table, rel.Index)
	}
	var sum int64
	for _, x := range rel.Table.AllIndexes() {
		// The rows lie in the primary index.
		if x.Primary && !rows || !x.Primary && !indexes {
			continue
		}
		n, err := r.env.IndexBytes(rel.Table, x)
		if err != nil {
			return 0, err
		}
		sum += n
	}
	return sum, nil
}

func databaseSize(r *Reader, s *Snapshot, args []datum) (datum, error) {
	name, number := objectArg(args[0])
	for _, db := range s.all.Databases {
		if name != "" && db.Name == name || name == "" && db.OID == number {
			n, err := r.databaseBytes(s, db)
			return types.NewInt(n), err
		}
	}
	if name == "" {
		return null, nil
	}
	return datum{}, sqlerr.New(sqlerr.InvalidCatalogName, "database \"%s\" does not exist", name)
}

func (r *Reader) databaseBytes(s *Snapshot, db *catalog.Database) (int64, error) {
	of := map[catalog.ID]bool{}
	for _, schema := range s.all.Schemas {
		of[schema.ID] = schema.Database == db.ID
	}
	var sum int64
	for _, t := range s.all.Tables {
		if of[t.Schema] {
			n, err := r.relationBytes(catalog.Relation{Table: t}, true, true)
			if err != nil {
				return 0, err
			}
			sum += n
		}
	}
	return sum, nil
}

// tablespaceSize: all data is in pg_default.
func tablespaceSize(r *Reader, s *Snapshot, args []datum) (datum, error) {
	if name, number := objectArg(args[0]); name != "pg_default" && number != defaultTablespace {
		return num(0), nil
	}
	var sum int64
	for _, db := range s.all.Databases {
		n, err := r.databaseBytes(s, db)
		if err != nil {
			return datum{}, err
		}
		sum += n
	}
	return types.NewInt(sum), nil
}

var sizeUnits = []string{"bytes", "kB", "MB", "GB", "TB", "PB"}

// sizePretty writes a number of bytes in the unit in which it has at most five digits, rounded half away from zero.
func sizePretty(n int64) string {
	const most = 10 * 1024
	if n > -most && n < most {
		return strconv.FormatInt(n, 10) + " bytes"
	}
	// In halves from here on, as PostgreSQL counts.
	n >>= 9
	unit := 1
	for ; unit < len(sizeUnits)-1 && (n <= -2*most+1 || n >= 2*most-1); unit++ {
		n >>= 10
	}
	if n > 0 {
		n++
	} else {
		n--
	}
	return strconv.FormatInt(n/2, 10) + " " + sizeUnits[unit]
}

// sizePrettyNumeric is sizePretty for what may be larger or have a fraction.
func sizePrettyNumeric(_ *expr.EvalContext, args []datum) (datum, error) {
	r, ok := new(big.Rat).SetString(types.FormatText(nil, types.Numeric, args[0]))
	if !ok {
		return datum{}, sqlerr.New(sqlerr.InvalidParameterValue, "size \"%s\" is not a number", types.FormatText(nil, types.Numeric, args[0]))
	}
	abs := func(x *big.Rat) *big.Rat { return new(big.Rat).Abs(x) }
	most := big.NewRat(10*1024, 1)
	if abs(r).Cmp(most) < 0 {
		return text(types.FormatText(nil, types.Numeric, args[0]) + " bytes"), nil
	}
	halves := new(big.Int).Quo(r.Num(), r.Denom())
	halves.Rsh(halves, 9)
	unit := 1
	limit := big.NewInt(2*10*1024 - 1)
	for ; unit < len(sizeUnits)-1 && new(big.Int).Abs(halves).Cmp(limit) >= 0; unit++ {
		halves.Rsh(halves, 10)
	}
	halves.Add(halves, big.NewInt(int64(halves.Sign())))
	return text(halves.Quo(halves, big.NewInt(2)).String() + " " + sizeUnits[unit]), nil
}

// sizeBytes reads what pg_size_pretty writes.
func sizeBytes(_ *expr.EvalContext, args []datum) (datum, error) {
	s := strings.TrimSpace(args[0].Text())
	end := 0
	for end < len(s) && (s[end] >= '0' && s[end] <= '9' || s[end] == '.' || end == 0 && (s[0] == '-' || s[0] == '+')) {
		end++
	}
	r, ok := new(big.Rat).SetString(s[:end])
	if !ok {
		return datum{}, sqlerr.New(sqlerr.InvalidParameterValue, "invalid size: \"%s\"", args[0].Text())
	}
	unit := strings.ToLower(strings.TrimSpace(s[end:]))
	shift := -1
	for i, u := range sizeUnits {
		if unit == strings.ToLower(u) || i == 0 && (unit == "" || unit == "b") {
			shift = 10 * i
		}
	}
	if shift < 0 {
		return datum{}, sqlerr.New(sqlerr.InvalidParameterValue, "invalid size: \"%s\"", args[0].Text()).
			WithDetail("Invalid size unit: \"%s\".", strings.TrimSpace(s[end:])).
			WithHint("Valid units are \"bytes\", \"B\", \"kB\", \"MB\", \"GB\", \"TB\", and \"PB\".")
	}
	r.Mul(r, new(big.Rat).SetInt(new(big.Int).Lsh(big.NewInt(1), uint(shift))))
	n := new(big.Int).Quo(r.Num(), r.Denom())
	if !n.IsInt64() {
		return datum{}, sqlerr.New(sqlerr.NumericValueOutOfRange, "bigint out of range")
	}
	return types.NewInt(n.Int64()), nil
}
