package pgcatalog

import (
	"slices"

	"minidb/sql/internal/expr"
	"minidb/sql/internal/parse"
	"minidb/sql/sqlerr"
	"minidb/sql/types"
)

// visibleFuncs tell what a name without a schema stands for.
var visibleFuncs = map[string]body{
	"pg_table_is_visible":          asking(tableIsVisible),
	"pg_type_is_visible":           asking(typeIsVisible),
	"pg_function_is_visible":       asking(functionIsVisible),
	"pg_operator_is_visible":       builtinIsVisible("pg_operator", "oprname"),
	"pg_opclass_is_visible":        builtinIsVisible("pg_opclass", "opcname"),
	"pg_opfamily_is_visible":       builtinIsVisible("pg_opfamily", "opfname"),
	"pg_conversion_is_visible":     builtinIsVisible("pg_conversion", "conname"),
	"pg_collation_is_visible":      builtinIsVisible("pg_collation", "collname"),
	"pg_ts_config_is_visible":      builtinIsVisible("pg_ts_config", "cfgname"),
	"pg_ts_dict_is_visible":        builtinIsVisible("pg_ts_dict", "dictname"),
	"pg_ts_parser_is_visible":      builtinIsVisible("pg_ts_parser", "prsname"),
	"pg_ts_template_is_visible":    builtinIsVisible("pg_ts_template", "tmplname"),
	"pg_statistics_obj_is_visible": always(null),
	"current_schemas":              asking(currentSchemas),
	"quote_ident": func(_ *expr.EvalContext, args []datum) (datum, error) {
		return text(parse.QuoteIdent(args[0].Text())), nil
	},
	"parse_ident": parseIdent,
}

func tableIsVisible(r *Reader, s *Snapshot, args []datum) (datum, error) {
	obj, ok := s.relationObject(oidOf(args[0]))
	if !ok {
		return null, nil
	}
	seen, ok := s.findVisibleRelation(r.env.SearchPath(), obj.name)
	return flag(ok && seen == oidOf(args[0])), nil
}

func typeIsVisible(r *Reader, s *Snapshot, args []datum) (datum, error) {
	name := ""
	if t := builtinTypes()[oidOf(args[0])]; t != nil {
		name = t.name
	} else if i := slices.IndexFunc(s.userTypes(), func(t userType) bool { return t.oid == oidOf(args[0]) }); i >= 0 {
		name = s.userTypes()[i].name
	} else {
		return null, nil
	}
	seen, ok := s.findVisibleType(r.env.SearchPath(), name)
	return flag(ok && seen == oidOf(args[0])), nil
}

// builtinIsVisible is for the kinds of objects of which all are in pg_catalog, which is in every search path.
func builtinIsVisible(table, column string) body {
	return func(_ *expr.EvalContext, args []datum) (datum, error) {
		if _, ok := builtinName(table, column, oidOf(args[0])); !ok {
			return null, nil
		}
		return flag(true), nil
	}
}

func currentSchemas(r *Reader, _ *Snapshot, args []datum) (datum, error) {
	names, err := r.schemasInPath(args[0].Bool())
	if err != nil {
		return datum{}, err
	}
	return textArray(names...), nil
}

// parseIdent splits a qualified name.
func parseIdent(_ *expr.EvalContext, args []datum) (datum, error) {
	parts, err := types.SplitName(args[0].Text())
	if err != nil {
		return datum{}, sqlerr.New(sqlerr.InvalidParameterValue, "string is not a valid identifier: \"%s\"", args[0].Text())
	}
	return textArray(parts...), nil
}
