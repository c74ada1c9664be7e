package expr

import (
	"bytes"
	"math"
	"strconv"

	"minidb/sql/sqlerr"
	"minidb/sql/types"
)

// jsonbEditFuncs make changed copies of jsonb.
var jsonbEditFuncs = map[string]impl{
	"jsonb_concat": {f2: jsonbConcat},
	"jsonb_delete": {f2: jsonbDeleteKey},
	"jsonb_delete_array": {bind: func(args []types.Type, _ types.Type) impl {
		if len(args) == 2 && args[1].IsArray() { // the operator
			return impl{f2: func(_ *EvalContext, a, keys types.Datum) (types.Datum, error) {
				return jsonbDeleteKeys(a, keys.Array(types.Text).Elems)
			}}
		}
		return impl{fn: func(_ *EvalContext, args []types.Datum) (types.Datum, error) {
			return jsonbDeleteKeys(args[0], args[1:])
		}}
	}},
	"jsonb_delete_idx": {f2: jsonbDeleteIndex},
	"jsonb_delete_path": {f2: func(_ *EvalContext, a, path types.Datum) (types.Datum, error) {
		return jsonbSetPath(a, path, nil, jsonDelete)
	}},
	"jsonb_set": {fn: func(_ *EvalContext, args []types.Datum) (types.Datum, error) {
		mode := jsonReplace
		if args[3].Bool() {
			mode = jsonCreate
		}
		return jsonbSetPath(args[0], args[1], &args[2], mode)
	}},
	"jsonb_insert": {fn: func(_ *EvalContext, args []types.Datum) (types.Datum, error) {
		mode := jsonInsertBefore
		if args[3].Bool() {
			mode = jsonInsertAfter
		}
		return jsonbSetPath(args[0], args[1], &args[2], mode)
	}},
	"jsonb_strip_nulls": {f1: func(_ *EvalContext, a types.Datum) (types.Datum, error) {
		v, err := a.JSON()
		if err != nil {
			return types.Datum{}, err
		}
		stripNulls(v)
		return types.NewJSONB(v)
	}},
	"json_strip_nulls": {f1: func(_ *EvalContext, a types.Datum) (types.Datum, error) {
		v, err := a.JSON()
		if err != nil {
			return types.Datum{}, err
		}
		stripNulls(v)
		return types.NewBytes(appendCompact(nil, v)), nil
	}},
	"jsonb_pretty": {f1: func(_ *EvalContext, a types.Datum) (types.Datum, error) {
		v, err := a.JSON()
		if err != nil {
			return types.Datum{}, err
		}
		return types.NewBytes(appendPretty(nil, v, 0)), nil
	}},
}

// jsonbConcat merges objects; everything else becomes arrays, which are joined.
func jsonbConcat(_ *EvalContext, a, b types.Datum) (types.Datum, error) {
	v, err := a.JSON()
	if err != nil {
		return types.Datum{}, err
	}
	w, err := b.JSON()
	if err != nil {
		return types.Datum{}, err
	}
	if v.Kind == types.JSONObject && w.Kind == types.JSONObject {
		v.Keys, v.Elems = append(v.Keys, w.Keys...), append(v.Elems, w.Elems...)
		return types.NewJSONB(v)
	}
	out := &types.JSONValue{Kind: types.JSONArray}
	for _, x := range []*types.JSONValue{v, w} {
		if x.Kind == types.JSONArray {
			out.Elems = append(out.Elems, x.Elems...)
		} else {
			out.Elems = append(out.Elems, *x)
		}
	}
	return types.NewJSONB(out)
}

func cannotDelete(from string) error {
	return sqlerr.New(sqlerr.InvalidParameterValue, "cannot delete from %s", from)
}

func jsonbDeleteKey(_ *EvalContext, a, key types.Datum) (types.Datum, error) {
	return jsonbDelete(a, [][]byte{key.B})
}

func jsonbDeleteKeys(a types.Datum, keys []types.Datum) (types.Datum, error) {
	var list [][]byte
	for _, k := range keys {
		if !k.Null {
			list = append(list, k.B)
		}
	}
	return jsonbDelete(a, list)
}

// jsonbDelete drops an object's keys, or the strings of an array.
func jsonbDelete(a types.Datum, keys [][]byte) (types.Datum, error) {
	v, err := a.JSON()
	if err != nil {
		return types.Datum{}, err
	}
	if v.IsScalar() {
		return types.Datum{}, cannotDelete("scalar")
	}
	out := &types.JSONValue{Kind: v.Kind}
	for i := range v.Elems {
		name := v.Elems[i].Str
		if v.Kind == types.JSONObject {
			name = v.Keys[i]
		} else if v.Elems[i].Kind != types.JSONString {
			name = nil
		}
		drop := false
		for _, k := range keys {
			drop = drop || (v.Kind == types.JSONObject || v.Elems[i].Kind == types.JSONString) && bytes.Equal(name, k)
		}
		if drop {
			continue
		}
		out.Elems = append(out.Elems, v.Elems[i])
		if v.Kind == types.JSONObject {
			out.Keys = append(out.Keys, v.Keys[i])
		}
	}
	return types.NewJSONB(out)
}

func jsonbDeleteIndex(_ *EvalContext, a, at types.Datum) (types.Datum, error) {
	v, err := a.JSON()
	switch {
	case err != nil:
		return types.Datum{}, err
	case v.IsScalar():
		return types.Datum{}, cannotDelete("scalar")
	case v.Kind == types.JSONObject:
		return types.Datum{}, cannotDelete("object using integer index")
	}
	i := at.I
	if i < 0 {
		i += int64(len(v.Elems))
	}
	if i >= 0 && i < int64(len(v.Elems)) {
		v.Elems = append(v.Elems[:i], v.Elems[i+1:]...)
	}
	return types.NewJSONB(v)
}

// jsonMode is what happens at the end of a path.
type jsonMode uint8

const (
	jsonDelete jsonMode = iota
	jsonReplace
	jsonCreate // replace, or add what is not there
	jsonInsertBefore
	jsonInsertAfter
)

func (m jsonMode) adds() bool { return m >= jsonCreate }

// jsonEdit changes one place of a jsonb.
type jsonEdit struct {
	path  []types.Datum
	value *types.JSONValue
	mode  jsonMode
}

func jsonbSetPath(a, path types.Datum, value *types.Datum, mode jsonMode) (types.Datum, error) {
	v, err := a.JSON()
	if err != nil {
		return types.Datum{}, err
	}
	e := jsonEdit{path: path.Array(types.Text).Elems, mode: mode}
	if v.IsScalar() {
		what := "cannot set path in scalar"
		if mode == jsonDelete {
			what = "cannot delete path in scalar"
		}
		return types.Datum{}, sqlerr.New(sqlerr.InvalidParameterValue, "%s", what)
	}
	if len(e.path) == 0 || len(v.Elems) == 0 && !mode.adds() {
		return a, nil
	}
	if value != nil {
		if e.value, err = value.JSON(); err != nil {
			return types.Datum{}, err
		}
	}
	if err := e.at(v, 0); err != nil {
		return types.Datum{}, err
	}
	return types.NewJSONB(v)
}

// at follows the path from its level-th step on; a scalar ends it without a change.
func (e *jsonEdit) at(v *types.JSONValue, level int) error {
	switch {
	case e.path[level].Null:
		return sqlerr.New(sqlerr.NullValueNotAllowed, "path element at position %d is null", level+1)
	case v.IsScalar():
		return nil
	}
	if v.Kind == types.JSONObject {
		return e.inObject(v, level)
	}
	return e.inArray(v, level)
}

func (e *jsonEdit) inObject(v *types.JSONValue, level int) error {
	key, last := e.path[level].B, level == len(e.path)-1
	at := -1
	for i, k := range v.Keys {
		if bytes.Equal(k, key) {
			at = i
		}
	}
	switch {
	case at < 0 && last && e.mode.adds():
		v.Keys, v.Elems = append(v.Keys, key), append(v.Elems, *e.value)
	case at < 0:
	case !last:
		return e.at(&v.Elems[at], level+1)
	case e.mode == jsonInsertBefore || e.mode == jsonInsertAfter:
		return sqlerr.New(sqlerr.InvalidParameterValue, "cannot replace existing key").
			WithHint("Try using the function jsonb_set to replace key value.")
	case e.mode == jsonDelete:
		v.Keys, v.Elems = append(v.Keys[:at], v.Keys[at+1:]...), append(v.Elems[:at], v.Elems[at+1:]...)
	default:
		v.Elems[at] = *e.value
	}
	return nil
}

func (e *jsonEdit) inArray(v *types.JSONValue, level int) error {
	last, n := level == len(e.path)-1, len(v.Elems)
	i64, err := strconv.ParseInt(e.path[level].Text(), 10, 32)
	if err != nil {
		return sqlerr.New(sqlerr.InvalidTextRepresentation, "path element at position %d is not an integer: \"%s\"", level+1, e.path[level].B)
	}
	i := int(i64)
	if i < 0 {
		if i += n; i < 0 {
			i = math.MinInt
		}
	}
	insert := func(at int) {
		v.Elems = append(v.Elems[:at:at], append([]types.JSONValue{*e.value}, v.Elems[at:]...)...)
	}
	switch {
	case i == math.MinInt && last && e.mode.adds():
		insert(0)
	case i < 0:
	case i >= n:
		if last && e.mode.adds() {
			insert(n)
		}
	case !last:
		return e.at(&v.Elems[i], level+1)
	case e.mode == jsonDelete:
		v.Elems = append(v.Elems[:i], v.Elems[i+1:]...)
	case e.mode == jsonInsertBefore:
		insert(i)
	case e.mode == jsonInsertAfter:
		insert(i + 1)
	default:
		v.Elems[i] = *e.value
	}
	return nil
}

// stripNulls drops the keys of objects whose values are null.
func stripNulls(v *types.JSONValue) {
	for i := range v.Elems {
		stripNulls(&v.Elems[i])
	}
	if v.Kind != types.JSONObject {
		return
	}
	var keys [][]byte
	var elems []types.JSONValue
	for i := range v.Elems {
		if v.Elems[i].Kind != types.JSONNull {
			keys, elems = append(keys, v.Keys[i]), append(elems, v.Elems[i])
		}
	}
	v.Keys, v.Elems = keys, elems
}

// appendCompact writes json without blanks.
func appendCompact(dst []byte, v *types.JSONValue) []byte {
	if v.IsScalar() {
		return v.AppendNormal(dst)
	}
	brackets := map[types.JSONKind]string{types.JSONArray: "[]", types.JSONObject: "{}"}[v.Kind]
	dst = append(dst, brackets[0])
	for i := range v.Elems {
		if i > 0 {
			dst = append(dst, ',')
		}
		if v.Kind == types.JSONObject {
			dst = append(types.AppendJSONString(dst, v.Keys[i]), ':')
		}
		dst = appendCompact(dst, &v.Elems[i])
	}
	return append(dst, brackets[1])
}

// appendPretty writes each element on a line of its own, four blanks deeper.
func appendPretty(dst []byte, v *types.JSONValue, depth int) []byte {
	if v.IsScalar() {
		return v.AppendNormal(dst)
	}
	line := func(depth int) { dst = append(append(dst, '\n'), bytes.Repeat([]byte("    "), depth)...) }
	brackets := map[types.JSONKind]string{types.JSONArray: "[]", types.JSONObject: "{}"}[v.Kind]
	dst = append(dst, brackets[0])
	for i := range v.Elems {
		if i > 0 {
			dst = append(dst, ',')
		}
		line(depth + 1)
		if v.Kind == types.JSONObject {
			dst = append(types.AppendJSONString(dst, v.Keys[i]), ": "...)
		}
		dst = appendPretty(dst, &v.Elems[i], depth+1)
	}
	line(depth)
	return append(dst, brackets[1])
}
