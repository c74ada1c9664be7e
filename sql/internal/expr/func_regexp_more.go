package expr

import (
	"strings"
	"unicode/utf8"

	"minidb/sql/sqlerr"
	"minidb/sql/types"
)

// regexpMoreFuncs are the functions of regular expressions that give groups, pieces and places. A search that begins behind
// the first character takes what follows for the whole text: there ^ matches, which in PostgreSQL it does not.
var regexpMoreFuncs = map[string]impl{
	"regexp_match_no_flags": {f2: func(ec *EvalContext, a, p types.Datum) (types.Datum, error) { return regexpMatch(ec, a, p, "") }},
	"regexp_match": {f3: func(ec *EvalContext, a, p, flags types.Datum) (types.Datum, error) {
		return regexpMatch(ec, a, p, flags.Text())
	}},
	"regexp_matches_no_flags": {set: regexpMatches},
	"regexp_matches":          {set: regexpMatches},
	"regexp_split_to_array_no_flags": {f2: func(ec *EvalContext, a, p types.Datum) (types.Datum, error) {
		return regexpSplitToArray(ec, a, p, "")
	}},
	"regexp_split_to_array": {f3: func(ec *EvalContext, a, p, flags types.Datum) (types.Datum, error) {
		return regexpSplitToArray(ec, a, p, flags.Text())
	}},
	"regexp_split_to_table_no_flags": {set: regexpSplitToTable},
	"regexp_split_to_table":          {set: regexpSplitToTable},

	"regexp_count_no_flags": {f3: func(ec *EvalContext, a, p, start types.Datum) (types.Datum, error) {
		return regexpCountFrom(ec, a, p, start, "")
	}},
	"regexp_count": {fn: func(ec *EvalContext, a []types.Datum) (types.Datum, error) {
		return regexpCountFrom(ec, a[0], a[1], a[2], a[3].Text())
	}},
	"textregexreplace_extended":          {fn: regexpReplaceNth},
	"textregexreplace_extended_no_flags": {fn: regexpReplaceNth},
	"textregexreplace_extended_no_n":     {fn: regexpReplaceNth},
	"regexp_substr_no_start":             {fn: regexpSubstr},
	"regexp_substr_no_n":                 {fn: regexpSubstr},
	"regexp_substr_no_flags":             {fn: regexpSubstr},
	"regexp_substr_no_subexpr":           {fn: regexpSubstr},
	"regexp_substr":                      {fn: regexpSubstr},
	"regexp_instr_no_start":              {fn: regexpInstr},
	"regexp_instr_no_n":                  {fn: regexpInstr},
	"regexp_instr_no_endoption":          {fn: regexpInstr},
	"regexp_instr_no_flags":              {fn: regexpInstr},
	"regexp_instr_no_subexpr":            {fn: regexpInstr},
	"regexp_instr":                       {fn: regexpInstr},
}

// noGlobal refuses the g flag.
func noGlobal(function, flags string) error {
	f, err := regexpFlags(flags)
	if err == nil && f.global {
		return sqlerr.New(sqlerr.InvalidParameterValue, "%s() does not support the \"global\" option", function)
	}
	return err
}

// groups are the texts of a match's groups, or of the match if it has none.
func groups(text []byte, loc []int) types.Datum {
	if len(loc) > 2 {
		loc = loc[2:]
	}
	elems := make([]types.Datum, len(loc)/2)
	for i := range elems {
		if loc[2*i] < 0 {
			elems[i] = types.NullDatum
			continue
		}
		elems[i] = types.NewBytes(text[loc[2*i]:loc[2*i+1]])
	}
	return types.ArrayOf(types.Text, elems)
}

func regexpMatch(ec *EvalContext, a, pattern types.Datum, flags string) (types.Datum, error) {
	if err := noGlobal("regexp_match", flags); err != nil {
		if e, ok := sqlerr.As(err); ok && strings.HasPrefix(e.Message, "regexp_match()") {
			err = e.WithHint("Use the regexp_matches function instead.")
		}
		return types.Datum{}, err
	}
	re, err := ec.regexp(pattern.Text(), flags)
	if err != nil {
		return types.Datum{}, err
	}
	loc := re.FindSubmatchIndex(a.B)
	if loc == nil {
		return types.NullDatum, nil
	}
	return groups(a.B, loc), nil
}

func regexpMatches(ec *EvalContext, a []types.Datum) (SetRows, error) {
	flags, n := "", 1
	if len(a) > 2 {
		flags = a[2].Text()
	}
	f, err := regexpFlags(flags)
	if err != nil {
		return nil, err
	}
	if f.global {
		n = -1
	}
	re, err := ec.regexp(a[1].Text(), flags)
	if err != nil {
		return nil, err
	}
	var found []types.Datum
	for _, loc := range re.FindAllSubmatchIndex(a[0].B, n) {
		found = append(found, groups(a[0].B, loc))
	}
	return columnOf(found), nil
}

// regexpSplit gives what lies between the matches. An empty match at either end, or right after another match, is none.
func regexpSplit(ec *EvalContext, function string, a, pattern types.Datum, flags string) ([]types.Datum, error) {
	if err := noGlobal(function, flags); err != nil {
		return nil, err
	}
	re, err := ec.regexp(pattern.Text(), flags)
	if err != nil {
		return nil, err
	}
	var pieces []types.Datum
	last := 0
	for _, loc := range re.FindAllIndex(a.B, -1) {
		if loc[0] >= len(a.B) || loc[1] <= last && loc[0] == loc[1] {
			continue
		}
		pieces = append(pieces, types.NewBytes(a.B[last:loc[0]]))
		last = loc[1]
	}
	return append(pieces, types.NewBytes(a.B[last:])), nil
}

func regexpSplitToArray(ec *EvalContext, a, pattern types.Datum, flags string) (types.Datum, error) {
	pieces, err := regexpSplit(ec, "regexp_split_to_array", a, pattern, flags)
	if err != nil {
		return types.Datum{}, err
	}
	return types.ArrayOf(types.Text, pieces), nil
}

func regexpSplitToTable(ec *EvalContext, a []types.Datum) (SetRows, error) {
	flags := ""
	if len(a) > 2 {
		flags = a[2].Text()
	}
	pieces, err := regexpSplit(ec, "regexp_split_to_table", a[0], a[1], flags)
	if err != nil {
		return nil, err
	}
	return columnOf(pieces), nil
}

// parameter is an integer argument that has a least value.
func parameter(name string, d types.Datum, least int64) error {
	if d.I < least {
		return sqlerr.New(sqlerr.InvalidParameterValue, "invalid value for parameter \"%s\": %d", name, d.I)
	}
	return nil
}

// matchesFrom finds all matches from the start-th character on; their places count from the text's beginning.
func matchesFrom(ec *EvalContext, function string, a, pattern, start types.Datum, flags string) ([][]int, error) {
	if err := parameter("start", start, 1); err != nil {
		return nil, err
	}
	if err := noGlobal(function, flags); err != nil {
		return nil, err
	}
	re, err := ec.regexp(pattern.Text(), flags)
	if err != nil {
		return nil, err
	}
	skip := 0
	for n := start.I - 1; n > 0; n-- {
		if skip >= len(a.B) {
			return nil, nil
		}
		_, size := utf8.DecodeRune(a.B[skip:])
		skip += size
	}
	all := re.FindAllSubmatchIndex(a.B[skip:], -1)
	for _, loc := range all {
		for i := range loc {
			if loc[i] >= 0 {
				loc[i] += skip
			}
		}
	}
	return all, nil
}

func regexpCountFrom(ec *EvalContext, a, pattern, start types.Datum, flags string) (types.Datum, error) {
	all, err := matchesFrom(ec, "regexp_count", a, pattern, start, flags)
	return types.NewInt(int64(len(all))), err
}

// regexpReplaceNth is regexp_replace(text, pattern, replacement, start, n, flags); n 0 replaces all.
func regexpReplaceNth(ec *EvalContext, args []types.Datum) (types.Datum, error) {
	a := withDefaults(args, types.Datum{}, types.Datum{}, types.Datum{}, types.Datum{}, types.NewInt(1), types.NewText(""))
	if len(args) < 5 && strings.Contains(a[5].Text(), "g") {
		a[4].I = 0
	}
	if err := parameter("n", a[4], 0); err != nil {
		return types.Datum{}, err
	}
	all, err := matchesFrom(ec, "regexp_replace", a[0], a[1], a[3], strings.ReplaceAll(a[5].Text(), "g", ""))
	if err != nil {
		return types.Datum{}, err
	}
	var out []byte
	last := 0
	for i, loc := range all {
		if a[4].I > 0 && int64(i+1) != a[4].I {
			continue
		}
		out = append(out, a[0].B[last:loc[0]]...)
		out = appendReplacement(out, a[0].B, a[2].B, loc)
		last = loc[1]
		if len(out) > maxTextBytes {
			return types.Datum{}, tooLarge()
		}
	}
	return types.NewBytes(append(out, a[0].B[last:]...)), nil
}

// withDefaults fills up arguments that were left out.
func withDefaults(args []types.Datum, defaults ...types.Datum) []types.Datum {
	return append(append([]types.Datum(nil), args...), defaults[len(args):]...)
}

// nthGroup is the place of a group in the n-th match; ok is false if there is none.
func nthGroup(all [][]int, n, group int64) (from, to int, ok bool) {
	if n > int64(len(all)) || 2*group+1 >= int64(len(all[n-1])) || all[n-1][2*group] < 0 {
		return 0, 0, false
	}
	loc := all[n-1]
	return loc[2*group], loc[2*group+1], true
}

// regexpSubstr is regexp_substr(text, pattern, start, n, flags, group).
func regexpSubstr(ec *EvalContext, args []types.Datum) (types.Datum, error) {
	a := withDefaults(args, types.Datum{}, types.Datum{}, types.NewInt(1), types.NewInt(1), types.NewText(""), types.Datum{})
	if err := parameter("start", a[2], 1); err != nil {
		return types.Datum{}, err
	}
	if err := parameter("n", a[3], 1); err != nil {
		return types.Datum{}, err
	}
	if err := parameter("subexpr", a[5], 0); err != nil {
		return types.Datum{}, err
	}
	all, err := matchesFrom(ec, "regexp_substr", a[0], a[1], a[2], a[4].Text())
	if err != nil {
		return types.Datum{}, err
	}
	from, to, ok := nthGroup(all, a[3].I, a[5].I)
	if !ok {
		return types.NullDatum, nil
	}
	return types.NewBytes(a[0].B[from:to]), nil
}

// regexpInstr is regexp_instr(text, pattern, start, n, endoption, flags, group): 0 for no match.
func regexpInstr(ec *EvalContext, args []types.Datum) (types.Datum, error) {
	a := withDefaults(args, types.Datum{}, types.Datum{}, types.NewInt(1), types.NewInt(1), types.Datum{}, types.NewText(""), types.Datum{})
	if err := parameter("start", a[2], 1); err != nil {
		return types.Datum{}, err
	}
	if err := parameter("n", a[3], 1); err != nil {
		return types.Datum{}, err
	}
	if a[4].I != 0 && a[4].I != 1 {
		return types.Datum{}, sqlerr.New(sqlerr.InvalidParameterValue, "invalid value for parameter \"endoption\": %d", a[4].I)
	}
	if err := parameter("subexpr", a[6], 0); err != nil {
		return types.Datum{}, err
	}
	all, err := matchesFrom(ec, "regexp_instr", a[0], a[1], a[2], a[5].Text())
	if err != nil {
		return types.Datum{}, err
	}
	from, to, ok := nthGroup(all, a[3].I, a[6].I)
	switch {
	case !ok:
		return types.NewInt(0), nil
	case a[4].I == 1:
		from = to
	}
	return types.NewInt(int64(utf8.RuneCount(a[0].B[:from]) + 1)), nil
}
