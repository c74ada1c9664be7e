package types

import (
	"bytes"
	"slices"

	"minidb/sql/sqlerr"
)

// A jsonb is held as its text in normal form: one blank after each comma and colon, the keys of an object in the order of
// their lengths and then bytes and each of them once, numbers as numerics are written, strings with the fewest escapes.

// jsonbVersion precedes the text in jsonb's binary form.
const jsonbVersion = 1

func inputJSONB(text []byte) (Datum, error) {
	if err := CheckUTF8(text); err != nil {
		return Datum{}, err
	}
	v, err := ParseJSON(text, true)
	if err != nil {
		return Datum{}, err
	}
	return NewJSONB(v)
}

// NewJSONB makes a jsonb. It brings v into normal form, so v changes. A number beyond the range of numerics is an error.
func NewJSONB(v *JSONValue) (Datum, error) {
	if err := v.normalize(); err != nil {
		return Datum{}, err
	}
	return Datum{B: v.AppendNormal(nil)}, nil
}

func decodeJSONB(src []byte) (Datum, error) {
	if len(src) == 0 || src[0] != jsonbVersion {
		version := -1
		if len(src) > 0 {
			version = int(src[0])
		}
		return Datum{}, sqlerr.New(sqlerr.InternalError, "unsupported jsonb version number %d", version)
	}
	return inputJSONB(src[1:])
}

// JSON takes a json or jsonb apart. A jsonb is in normal form; the text of json may have an escape that stands for no
// character, which is an error.
func (d Datum) JSON() (*JSONValue, error) { return ParseJSON(d.B, true) }

// normalize sorts keys, drops all but the last of equal ones, and rewrites numbers.
func (v *JSONValue) normalize() error {
	if v.Kind == JSONNumber {
		d, err := parseNumeric(v.Raw)
		if err != nil {
			return err
		}
		v.Raw = appendNumeric(nil, d)
		return nil
	}
	for i := range v.Elems {
		if err := v.Elems[i].normalize(); err != nil {
			return err
		}
	}
	if v.Kind == JSONObject {
		v.sortKeys()
	}
	return nil
}

func (v *JSONValue) sortKeys() {
	if slices.IsSortedFunc(v.Keys, compareJSONKeys) && !v.hasEqualKeys() {
		return
	}
	order := make([]int, len(v.Keys))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int { return compareJSONKeys(v.Keys[a], v.Keys[b]) })
	keys, elems := make([][]byte, 0, len(order)), make([]JSONValue, 0, len(order))
	for i, at := range order {
		if i+1 < len(order) && bytes.Equal(v.Keys[at], v.Keys[order[i+1]]) {
			continue
		}
		keys, elems = append(keys, v.Keys[at]), append(elems, v.Elems[at])
	}
	v.Keys, v.Elems = keys, elems
}

func (v *JSONValue) hasEqualKeys() bool {
	for i := 1; i < len(v.Keys); i++ {
		if bytes.Equal(v.Keys[i-1], v.Keys[i]) {
			return true
		}
	}
	return false
}

func compareJSONKeys(a, b []byte) int {
	if len(a) != len(b) {
		return len(a) - len(b)
	}
	return bytes.Compare(a, b)
}

// Find gives the value of an object's key in normal form, or nil.
func (v *JSONValue) Find(key []byte) *JSONValue {
	if v.Kind != JSONObject {
		return nil
	}
	// In a json the last of equal keys counts.
	for i := len(v.Keys) - 1; i >= 0; i-- {
		if bytes.Equal(v.Keys[i], key) {
			return &v.Elems[i]
		}
	}
	return nil
}

// IsScalar reports whether v is neither an array nor an object.
func (v *JSONValue) IsScalar() bool { return v.Kind < JSONArray }

// AppendNormal appends the text of v, which is in normal form, as jsonb shows it.
func (v *JSONValue) AppendNormal(dst []byte) []byte {
	switch v.Kind {
	case JSONNull:
		return append(dst, "null"...)
	case JSONString:
		return AppendJSONString(dst, v.Str)
	case JSONNumber:
		return append(dst, v.Raw...)
	case JSONBool:
		if v.Bool {
			return append(dst, "true"...)
		}
		return append(dst, "false"...)
	}
	brackets := "[]"
	if v.Kind == JSONObject {
		brackets = "{}"
	}
	dst = append(dst, brackets[0])
	for i := range v.Elems {
		if i > 0 {
			dst = append(dst, ", "...)
		}
		if v.Kind == JSONObject {
			dst = append(AppendJSONString(dst, v.Keys[i]), ": "...)
		}
		dst = v.Elems[i].AppendNormal(dst)
	}
	return append(dst, brackets[1])
}

// Numeric is the value of a number.
func (v *JSONValue) Numeric() (Datum, error) { return parseNumeric(v.Raw) }

// CompareJSON orders two values in normal form that are elements of arrays or objects: by kind; arrays and objects by their
// number of elements and then element by element.
func CompareJSON(a, b *JSONValue) int {
	if a.Kind != b.Kind {
		return int(a.Kind) - int(b.Kind)
	}
	switch a.Kind {
	case JSONString:
		return bytes.Compare(a.Str, b.Str)
	case JSONBool:
		return compareInt(boolInt(a.Bool), boolInt(b.Bool))
	case JSONNumber:
		x, _ := a.Numeric()
		y, _ := b.Numeric()
		return compareNumeric(x, y)
	}
	if c := len(a.Elems) - len(b.Elems); c != 0 {
		return c
	}
	for i := range a.Elems {
		if a.Kind == JSONObject {
			if c := bytes.Compare(a.Keys[i], b.Keys[i]); c != 0 {
				return c
			}
		}
		if c := CompareJSON(&a.Elems[i], &b.Elems[i]); c != 0 {
			return c
		}
	}
	return 0
}

func boolInt(b bool) int64 {
	if b {
		return 1
	}
	return 0
}

// compareJSONB orders whole values. A scalar by itself counts as an array of one element that is below other arrays of one
// element, and so is above the empty array.
func compareJSONB(a, b Datum) int {
	if bytes.Equal(a.B, b.B) {
		return 0
	}
	x, errA := a.JSON()
	y, errB := b.JSON()
	if errA != nil || errB != nil { // damaged
		return bytes.Compare(a.B, b.B)
	}
	if x.IsScalar() == y.IsScalar() || x.Kind == JSONObject || y.Kind == JSONObject {
		return CompareJSON(x, y)
	}
	if x.IsScalar() {
		if len(y.Elems) == 0 {
			return 1
		}
		return -1
	}
	if len(x.Elems) == 0 {
		return -1
	}
	return 1
}

// appendJSONBKey is AppendKey of a jsonb: its text, with numbers such as 1.0 and 1.00 made alike.
func appendJSONBKey(dst []byte, d Datum) []byte {
	v, err := d.JSON()
	if err != nil {
		return appendBytesKey(dst, d.B)
	}
	return v.appendKey(append(dst, 1))
}

func (v *JSONValue) appendKey(dst []byte) []byte {
	dst = append(dst, byte(v.Kind))
	switch v.Kind {
	case JSONString:
		return appendBytesKey(dst, v.Str)
	case JSONBool:
		return append(dst, byte(boolInt(v.Bool)))
	case JSONNumber:
		d, _ := v.Numeric()
		return appendNumericKey(dst, d)
	case JSONArray, JSONObject:
		dst = appendFixedKey(dst, uint64(len(v.Elems)))
		for i := range v.Elems {
			if v.Kind == JSONObject {
				dst = appendBytesKey(dst, v.Keys[i])
			}
			dst = v.Elems[i].appendKey(dst)
		}
	}
	return dst
}
