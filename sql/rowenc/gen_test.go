package rowenc

import (
	"math"
	"math/big"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/cockroachdb/apd/v3"

	"minidb/sql/catalog"
	"minidb/sql/types"
)

// newRand makes a generator whose seed is in the test's log.
func newRand(t *testing.T) *rand.Rand {
	t.Helper()
	seed := rand.Uint64()
	t.Logf("seed %d", seed)
	return rand.New(rand.NewPCG(seed, 0))
}

// rowTypes is every type a column can have.
var rowTypes = []types.Type{
	types.Bool, types.Int2, types.Int4, types.Int8, types.Float4, types.Float8, types.Numeric, types.NumericPS(8, 2),
	types.Text, types.VarcharN(15), types.BPChar, types.CharN(5), types.Bytea, types.Timestamp, types.TimestampTZ,
	types.Date, types.UUID, types.Name,
}

// randomDatum makes a value that is not NULL, often a special or a close one.
func randomDatum(r *rand.Rand, t types.Type) types.Datum {
	switch t.OID {
	case types.BoolOID:
		return types.NewBool(r.IntN(2) == 0)
	case types.Float4OID, types.Float8OID:
		special := []float64{0, math.Copysign(0, -1), 1, -1, math.Inf(1), math.Inf(-1), math.NaN(), math.SmallestNonzeroFloat32, 1e30, -1e-30}
		if r.IntN(2) == 0 {
			return types.NewFloat(special[r.IntN(len(special))])
		}
		return types.NewFloat(float64(float32(r.NormFloat64())))
	case types.NumericOID:
		return randomNumeric(r, t)
	case types.BPCharOID:
		s := randomText(r, 5)
		if n := t.CharLimit(); n >= 0 {
			s += strings.Repeat(" ", n-len([]rune(s)))
		}
		return types.NewText(s)
	case types.TextOID, types.VarcharOID, types.NameOID:
		return types.NewText(randomText(r, 12))
	case types.ByteaOID:
		b := make([]byte, r.IntN(6))
		for i := range b {
			b[i] = []byte{0, 1, 2, 0xfe, 0xff, 'a'}[r.IntN(6)]
		}
		return types.NewBytes(b)
	case types.UUIDOID:
		b := make([]byte, 16)
		for i := range b {
			b[i] = byte(r.IntN(3) * 127)
		}
		return types.NewBytes(b)
	}
	special := []int64{0, 1, -1, 111, 112, 113, 127, 128, 255, 256, -127, -128, -129, -255, -256, -257, math.MaxInt16, math.MinInt16}
	if t.OID == types.Int2OID || r.IntN(2) == 0 {
		return types.NewInt(special[r.IntN(len(special))])
	}
	v := int64(r.Uint64()) >> r.IntN(64)
	if t.OID == types.Int4OID || t.OID == types.DateOID {
		v = int64(int32(v))
	}
	return types.NewInt(v)
}

func randomText(r *rand.Rand, limit int) string {
	alphabet := []string{"a", "b", "Z", " ", "\x01", "é", "日", "~", "0"}
	var s strings.Builder
	for range r.IntN(limit + 1) {
		s.WriteString(alphabet[r.IntN(len(alphabet))])
	}
	return s.String()
}

func randomNumeric(r *rand.Rand, t types.Type) types.Datum {
	if _, scale, ok := t.PrecisionScale(); ok {
		if r.IntN(20) == 0 {
			return types.Datum{Big: &apd.Decimal{Form: apd.NaN}}
		}
		return types.NewNumeric(r.Int64N(200_000_000)-100_000_000, scale)
	}
	switch r.IntN(12) {
	case 0:
		return types.Datum{Big: &apd.Decimal{Form: apd.NaN}}
	case 1:
		return types.Datum{Big: &apd.Decimal{Form: apd.Infinite, Negative: r.IntN(2) == 0}}
	case 2, 3: // beyond int64
		c := new(big.Int).Lsh(big.NewInt(r.Int64N(1000)+1), uint(70+r.IntN(100)))
		c.Mul(c, big.NewInt([]int64{1, 100}[r.IntN(2)]))
		return numericFromBig(c, r.IntN(60), r.IntN(2) == 0)
	case 4:
		return types.NewNumeric(int64(r.Uint64()), r.IntN(300))
	case 5:
		return types.NewNumeric(0, r.IntN(4))
	default: // few digits, so that equal values of different scales meet
		c, scale := r.Int64N(41)-20, r.IntN(3)
		for range r.IntN(3) {
			c, scale = c*10, scale+1
		}
		return types.NewNumeric(c, scale)
	}
}

// column makes a key column of a type.
func column(t types.Type, desc, nullsFirst bool) keyColumn {
	k, _ := keyKindOf(t)
	return keyColumn{typ: t, kind: k, desc: desc, nullsFirst: nullsFirst}
}

// randomTable makes a table with random columns, families and indexes.
func randomTable(r *rand.Rand) *catalog.Table {
	t := &catalog.Table{ID: catalog.FirstTableID + catalog.ID(r.IntN(1000)), Name: "t"}
	n := 1 + r.IntN(9)
	for i := range n {
		id := catalog.ColumnID(i + 1)
		if r.IntN(30) == 0 {
			id += 300 // ids of two bytes
		}
		for t.Ordinal(id) >= 0 {
			id++
		}
		t.Columns = append(t.Columns, catalog.Column{ID: id, Name: "c", Type: rowTypes[r.IntN(len(rowTypes))]})
	}
	for f := range 1 + r.IntN(3) {
		t.Families = append(t.Families, catalog.Family{ID: catalog.FamilyID(f)})
	}
	for i := range t.Columns {
		f := &t.Families[r.IntN(len(t.Families))]
		f.Columns = append(f.Columns, t.Columns[i].ID)
	}
	t.Primary = catalog.Index{ID: 1, Primary: true, Unique: true, Keys: randomKeys(r, t, false)}
	for _, k := range t.Primary.Keys {
		t.Column(k.Column).NotNull = true
	}
	for i := range r.IntN(3) {
		x := catalog.Index{ID: catalog.IndexID(2 + i*200), Unique: r.IntN(2) == 0, Keys: randomKeys(r, t, true)}
		for _, c := range t.Columns {
			if r.IntN(3) == 0 {
				x.Stored = append(x.Stored, c.ID)
			}
		}
		t.Indexes = append(t.Indexes, x)
	}
	return t
}

func randomKeys(r *rand.Rand, t *catalog.Table, directions bool) []catalog.IndexColumn {
	var keys []catalog.IndexColumn
	for _, i := range r.Perm(len(t.Columns))[:1+r.IntN(min(3, len(t.Columns)))] {
		k := catalog.IndexColumn{Column: t.Columns[i].ID}
		if directions {
			k.Desc, k.NullsFirst = r.IntN(2) == 0, r.IntN(2) == 0
		}
		keys = append(keys, k)
	}
	return keys
}

func randomRow(r *rand.Rand, t *catalog.Table) []types.Datum {
	row := make([]types.Datum, len(t.Columns))
	for i, c := range t.Columns {
		row[i] = types.NullDatum
		if c.NotNull || r.IntN(4) > 0 {
			row[i] = randomDatum(r, c.Type)
		}
	}
	return row
}

// same reports whether two values are the same to the last bit of what they show.
func same(a, b types.Datum) bool {
	if a.Null || b.Null {
		return a.Null && b.Null
	}
	if (a.Big == nil) != (b.Big == nil) {
		return false
	}
	if a.Big != nil {
		return a.Big.Form == b.Big.Form && (a.Big.Form == apd.NaN || a.Big.Negative == b.Big.Negative) &&
			a.Big.Exponent == b.Big.Exponent && a.Big.Coeff.Cmp(&b.Big.Coeff) == 0
	}
	return a.I == b.I && a.Scale == b.Scale && string(a.B) == string(b.B)
}
