package exec

import (
	"context"
	"errors"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"minidb/sql/catalog"
	"minidb/sql/internal/expr"
	"minidb/sql/internal/parse"
	"minidb/sql/sqlerr"
	"minidb/sql/types"
)

// createFunction runs CREATE FUNCTION.
func (d *ddl) createFunction(ctx context.Context, st *parse.CreateFunctionStmt) error {
	name := st.Name
	name.Pos = -1
	if name.Schema == "pg_temp" || isTempName(name.Schema) {
		return sqlerr.Unsupported("temporary functions")
	}
	schema, err := d.schema(ctx, name)
	if err != nil {
		return err
	}
	f := &catalog.Function{Schema: schema.ID, Name: st.Name.Name, Volatility: "v", Parallel: "u", Strict: st.Strict, Leakproof: st.Leakproof, Cost: 100}
	if f.Owner, err = d.owner(ctx); err != nil {
		return err
	}
	for _, step := range []func(*catalog.Function, *parse.CreateFunctionStmt) error{
		d.functionLanguage, d.functionArgs, d.functionResult, d.functionOptions, d.functionBody,
	} {
		if err := step(f, st); err != nil {
			return err
		}
	}
	old, err := d.replacedFunction(ctx, f, st)
	if err != nil {
		return err
	}
	// Names in the expression of RETURN are looked up now, those of a text when it runs: it may call the function itself.
	if f.Returns {
		if f.Uses, err = d.checkFunction(ctx, f, st); err != nil {
			return err
		}
	}
	if err := d.storeFunction(ctx, old, f); err != nil || f.Returns || !d.checksBodies() {
		return err
	}
	_, err = d.checkFunction(ctx, f, st)
	return err
}

// storeFunction stores a new function, or one in place of old.
func (d *ddl) storeFunction(ctx context.Context, old, f *catalog.Function) error {
	taken := sqlerr.New(sqlerr.DuplicateFunction, "function \"%s\" already exists with same argument types", f.Name)
	if old != nil {
		return d.env.View.UpdateFunction(ctx, old, f, taken)
	}
	return d.env.View.CreateFunction(ctx, f, taken)
}

// checksBodies is the setting check_function_bodies.
func (d *ddl) checksBodies() bool {
	if d.env.Eval.Session == nil {
		return true
	}
	v, ok := d.env.Eval.Session.Setting("check_function_bodies")
	return !ok || v == "on"
}

// functionLanguage accepts language sql, which is the only one.
func (d *ddl) functionLanguage(_ *catalog.Function, st *parse.CreateFunctionStmt) error {
	switch strings.ToLower(st.Language) {
	case "sql":
		return nil
	case "":
		if st.Return != nil {
			return nil
		}
		return sqlerr.New(sqlerr.InvalidFunctionDefinition, "no language specified")
	case "plpgsql", "c", "internal":
		return d.unsupported("functions in language "+strings.ToLower(st.Language), st.Position())
	}
	err := sqlerr.New(sqlerr.UndefinedObject, "language \"%s\" does not exist", st.Language)
	switch st.Language {
	case "plperl", "plperlu", "plpython3u", "pltcl", "pltclu":
		err = err.WithHint("Use CREATE EXTENSION to load the language into the database.")
	}
	return err
}

// functionType finds the type of an argument or result.
func (d *ddl) functionType(n *parse.TypeName) (types.OID, error) {
	plain := *n
	plain.SetOf = false
	if len(n.Names) == 1 && n.Names[0] == "void" && n.ArrayBounds == nil {
		return types.VoidOID, nil
	}
	t, err := d.builder().ResolveType(&plain)
	switch {
	case sqlerr.CodeOf(err) == sqlerr.UndefinedObject:
		e, _ := sqlerr.As(err)
		e.Position = 0
		return 0, err
	case err != nil:
		return 0, err
	case !t.HasValues():
		return 0, d.unsupported("functions of type "+t.Format(), n.Pos)
	}
	return t.OID, nil
}

// functionArgs makes the arguments.
func (d *ddl) functionArgs(f *catalog.Function, st *parse.CreateFunctionStmt) error {
	for i, p := range st.Params {
		if p.Mode != 'i' {
			return d.unsupported(map[byte]string{'o': "OUT", 'b': "INOUT", 'v': "VARIADIC"}[p.Mode]+" arguments of functions", p.Pos)
		}
		if p.Type.SetOf {
			return sqlerr.New(sqlerr.InvalidFunctionDefinition, "functions cannot accept set arguments")
		}
		a := catalog.Argument{Name: p.Name}
		var err error
		if a.Type, err = d.functionType(p.Type); err != nil {
			return err
		}
		if a.Type == types.VoidOID {
			return sqlerr.New(sqlerr.InvalidFunctionDefinition, "SQL functions cannot have arguments of type void")
		}
		if p.Name != "" && slices.ContainsFunc(st.Params[:i], func(o parse.FunctionParam) bool { return o.Name == p.Name }) {
			return sqlerr.New(sqlerr.InvalidFunctionDefinition, "parameter name \"%s\" used more than once", p.Name)
		}
		if p.Default == nil && i > 0 && st.Params[i-1].Default != nil {
			return sqlerr.New(sqlerr.InvalidFunctionDefinition, "input parameters after one with a default value must also have defaults")
		}
		if p.Default != nil {
			if a.Default, err = d.argumentDefault(&p, a.Type); err != nil {
				return err
			}
		}
		f.Args = append(f.Args, a)
	}
	return nil
}

// argumentDefault is the text of the default of an argument.
func (d *ddl) argumentDefault(p *parse.FunctionParam, t types.OID) (string, error) {
	b := d.builder()
	e, err := b.Build(p.Default, &expr.Scope{Clause: expr.ClauseDefault})
	if err != nil {
		return "", err
	}
	value, ok, err := b.ReturnValue(e, t)
	switch {
	case err != nil:
		return "", err
	case !ok:
		return "", d.at(sqlerr.New(sqlerr.DatatypeMismatch, "argument of DEFAULT must be type %s, not type %s",
			types.Type{OID: t, Mod: -1}.Format(), e.Type().Base().Format()), p.Default.Position())
	}
	return storedExpression(value, p.DefaultText), nil
}

// functionResult makes what the function returns.
func (d *ddl) functionResult(f *catalog.Function, st *parse.CreateFunctionStmt) (err error) {
	switch {
	case st.IsTable:
		f.Set, f.Result = true, types.RecordOID
		for i, c := range st.Table {
			if slices.ContainsFunc(st.Table[:i], func(o parse.FunctionParam) bool { return o.Name == c.Name }) ||
				slices.ContainsFunc(st.Params, func(o parse.FunctionParam) bool { return o.Name == c.Name }) {
				return sqlerr.New(sqlerr.InvalidFunctionDefinition, "parameter name \"%s\" used more than once", c.Name)
			}
			a := catalog.Argument{Name: c.Name}
			if a.Type, err = d.functionType(c.Type); err != nil {
				return err
			}
			f.Table = append(f.Table, a)
		}
		if len(f.Table) == 1 {
			f.Result = f.Table[0].Type
		}
		return nil
	case st.Returns == nil:
		return sqlerr.New(sqlerr.InvalidFunctionDefinition, "function result type must be specified")
	}
	f.Set = st.Returns.SetOf
	f.Result, err = d.functionType(st.Returns)
	if err == nil && f.Set && f.Result == types.VoidOID {
		err = d.unsupported("functions that return SETOF void", st.Returns.Pos)
	}
	return err
}

// functionOptions takes the options over.
func (d *ddl) functionOptions(f *catalog.Function, st *parse.CreateFunctionStmt) error {
	if st.Volatility != 0 {
		f.Volatility = string(st.Volatility)
	}
	switch st.Parallel {
	case "":
	case "safe", "restricted", "unsafe":
		f.Parallel = st.Parallel[:1]
	default:
		return sqlerr.New(sqlerr.SyntaxError, "parameter \"parallel\" must be SAFE, RESTRICTED, or UNSAFE")
	}
	if f.Set {
		f.Rows = 1000
	}
	if st.Cost != "" {
		if f.Cost, _ = strconv.ParseFloat(st.Cost, 64); f.Cost <= 0 {
			return sqlerr.New(sqlerr.InvalidParameterValue, "COST must be positive")
		}
	}
	if st.Rows != "" {
		if f.Rows, _ = strconv.ParseFloat(st.Rows, 64); f.Rows <= 0 {
			return sqlerr.New(sqlerr.InvalidParameterValue, "ROWS must be positive")
		}
		if !f.Set {
			return sqlerr.New(sqlerr.InvalidParameterValue, "ROWS is not applicable when function does not return a set")
		}
	}
	return nil
}

// functionBody takes the body over.
func (d *ddl) functionBody(f *catalog.Function, st *parse.CreateFunctionStmt) error {
	switch {
	case st.Body != nil && st.Return != nil:
		return sqlerr.New(sqlerr.InvalidFunctionDefinition, "duplicate function body specified")
	case st.Body == nil && st.Return == nil:
		return sqlerr.New(sqlerr.InvalidFunctionDefinition, "no function body specified")
	case st.Return != nil:
		f.Body, f.Returns, f.SearchPath = st.ReturnText, true, slices.DeleteFunc(slices.Clone(d.env.SearchPath), isTempName)
	default:
		f.Body = *st.Body
	}
	return nil
}

// replacedFunction finds the function that CREATE OR REPLACE changes; nil: there is none.
func (d *ddl) replacedFunction(ctx context.Context, f *catalog.Function, st *parse.CreateFunctionStmt) (*catalog.Function, error) {
	same, err := d.env.View.Functions(ctx, f.Schema, f.Name)
	if err != nil {
		return nil, err
	}
	at := slices.IndexFunc(same, func(o *catalog.Function) bool { return slices.Equal(o.ArgTypes(), f.ArgTypes()) })
	if at < 0 {
		return nil, nil
	}
	if !st.Replace {
		return nil, sqlerr.New(sqlerr.DuplicateFunction, "function \"%s\" already exists with same argument types", f.Name)
	}
	old, err := d.env.View.LockFunction(ctx, same[at].ID)
	if err != nil {
		return nil, err
	}
	if err := d.mustOwnOther(ctx, old.Owner, "function", old.Name); err != nil {
		return nil, err
	}
	f.ID, f.OID, f.Owner = old.ID, old.OID, old.Owner
	hint := "Use DROP FUNCTION " + d.functionName(ctx, old) + " first."
	if f.Result != old.Result || f.Set != old.Set {
		return nil, sqlerr.New(sqlerr.InvalidFunctionDefinition, "cannot change return type of existing function").WithHint("%s", hint)
	}
	if !slices.Equal(f.Table, old.Table) {
		return nil, sqlerr.New(sqlerr.InvalidFunctionDefinition, "cannot change return type of existing function").
			WithDetail("Row type defined by OUT parameters is different.").WithHint("%s", hint)
	}
	for i, a := range old.Args {
		if a.Name != "" && a.Name != f.Args[i].Name {
			return nil, sqlerr.New(sqlerr.InvalidFunctionDefinition, "cannot change name of input parameter \"%s\"", a.Name).WithHint("%s", hint)
		}
	}
	if f.Defaults() < old.Defaults() {
		return nil, sqlerr.New(sqlerr.InvalidFunctionDefinition, "cannot remove parameter defaults from existing function").WithHint("%s", hint)
	}
	return old, nil
}

// checkFunction finds the errors in the body of a new function, whose positions are then those in the statement.
func (d *ddl) checkFunction(ctx context.Context, f *catalog.Function, st *parse.CreateFunctionStmt) ([]catalog.Use, error) {
	uses, err := d.planner(ctx).CheckFunction(f)
	e, ok := sqlerr.As(err)
	if !ok {
		return uses, err
	}
	start := st.BodyPos
	if f.Returns {
		start = st.ReturnPos
	}
	if e.Position > 0 && start >= 0 {
		e.Position += utf8.RuneCountInString(d.env.Text[:start])
		return nil, err
	}
	e.Position = 0
	if !f.Returns {
		where := "SQL function \"" + f.Name + "\""
		if e.Where != "" {
			where = e.Where + "\n" + where
		}
		return nil, e.WithWhere("%s", where)
	}
	return nil, err
}

// functionName is a function as messages name it.
func (d *ddl) functionName(ctx context.Context, f *catalog.Function) string {
	list := make([]string, len(f.Args))
	for i, a := range f.Args {
		list[i] = types.Type{OID: a.Type, Mod: -1}.Format()
	}
	return d.qualified(ctx, f.Schema, parse.QuoteIdent(f.Name)) + "(" + strings.Join(list, ",") + ")"
}

// function finds a function as DROP FUNCTION and the like name it, and locks it. Errors: 42883, 42725.
func (d *ddl) function(ctx context.Context, ref parse.FunctionRef) (*catalog.Function, error) {
	var want []types.OID
	var shown []string
	for _, p := range ref.Params {
		t, err := d.functionType(p.Type)
		if err != nil {
			return nil, err
		}
		if p.Mode == 'i' || p.Mode == 'b' || p.Mode == 'v' {
			want = append(want, t)
			shown = append(shown, types.Type{OID: t, Mod: -1}.Format())
		}
	}
	path := d.env.SearchPath
	if ref.Name.Schema != "" {
		path = []string{ref.Name.Schema}
		if _, err := d.env.View.Schema(ctx, d.env.Database.ID, ref.Name.Schema); catalog.IsNotFound(err) && ref.Name.Schema != "pg_catalog" {
			return nil, sqlerr.New(sqlerr.InvalidSchemaName, "schema \"%s\" does not exist", ref.Name.Schema)
		}
	}
	for _, name := range path {
		s, err := d.env.View.Schema(ctx, d.env.Database.ID, name)
		if errors.Is(err, catalog.ErrNotFound) {
			continue
		}
		if err != nil {
			return nil, err
		}
		list, err := d.env.View.Functions(ctx, s.ID, ref.Name.Name)
		if err != nil {
			return nil, err
		}
		if !ref.Listed && len(list) > 1 {
			return nil, sqlerr.New(sqlerr.AmbiguousFunction, "function name \"%s\" is not unique", shownName(ref.Name)).
				WithHint("Specify the argument list to select the function unambiguously.")
		}
		for _, f := range list {
			if !ref.Listed || slices.Equal(f.ArgTypes(), want) {
				return d.env.View.LockFunction(ctx, f.ID)
			}
		}
	}
	if !ref.Listed {
		return nil, sqlerr.New(sqlerr.UndefinedFunction, "could not find a function named \"%s\"", shownName(ref.Name))
	}
	return nil, sqlerr.New(sqlerr.UndefinedFunction, "function %s(%s) does not exist", shownName(ref.Name), strings.Join(shown, ", "))
}

// dropFunctions runs DROP FUNCTION.
func (d *ddl) dropFunctions(ctx context.Context, st *parse.DropFunctionStmt) error {
	var objects []object
	for _, ref := range st.Functions {
		f, err := d.function(ctx, ref)
		if e, ok := sqlerr.As(err); ok && st.IfExists && (e.Code == sqlerr.UndefinedFunction || e.Code == sqlerr.InvalidSchemaName) {
			d.skipFunction(ref, e)
			continue
		}
		if err != nil {
			return err
		}
		if err := d.mustOwnOther(ctx, f.Owner, "function", f.Name); err != nil {
			return err
		}
		objects = append(objects, object{kind: objectFunction, function: f})
	}
	return d.dropObjects(ctx, objects, st.Cascade)
}

// skipFunction is the notice of DROP FUNCTION IF EXISTS, which shows the types as they were parsed.
func (d *ddl) skipFunction(ref parse.FunctionRef, err *sqlerr.Error) {
	if err.Code == sqlerr.InvalidSchemaName {
		d.skip("%s", err.Message)
		return
	}
	list := make([]string, len(ref.Params))
	for i, p := range ref.Params {
		list[i] = strings.Join(p.Type.Names, ".") + strings.Repeat("[]", len(p.Type.ArrayBounds))
	}
	d.skip("function %s(%s) does not exist", shownName(ref.Name), strings.Join(list, ","))
}

// alterFunction runs ALTER FUNCTION … RENAME TO, OWNER TO and SET SCHEMA.
func (d *ddl) alterFunction(ctx context.Context, st *parse.AlterFunctionStmt) error {
	old, err := d.function(ctx, st.Function)
	if err != nil {
		return err
	}
	if err := d.mustOwnOther(ctx, old.Owner, "function", old.Name); err != nil {
		return err
	}
	if st.Owner == "" {
		if err := d.refuseUsers(ctx, old); err != nil {
			return err
		}
	}
	f := old.Clone()
	inSchema, err := d.env.View.SchemaByID(ctx, f.Schema)
	if err != nil {
		return err
	}
	switch {
	case st.Owner != "":
		if f.Owner, err = d.newOwner(ctx, st.Owner); err == nil {
			err = d.mayCreateIn(ctx, f.Owner, f.Schema)
		}
	case st.Schema != "":
		inSchema, err = d.schema(ctx, parse.ObjectName{Schema: st.Schema, Name: f.Name, Pos: -1})
		if err == nil {
			if inSchema.ID == f.Schema {
				return nil
			}
			f.Schema = inSchema.ID
		}
	default:
		f.Name = st.NewName
	}
	if err != nil {
		return err
	}
	taken := sqlerr.New(sqlerr.DuplicateFunction, "function %s already exists in schema \"%s\"", d.functionSignature(f), inSchema.Name)
	if f.Name == old.Name && st.NewName != "" {
		return taken
	}
	return d.env.View.UpdateFunction(ctx, old, f, taken)
}

// refuseUsers refuses what the texts of the views and functions that use a function would not follow.
func (d *ddl) refuseUsers(ctx context.Context, f *catalog.Function) error {
	contents, err := d.env.View.Contents(ctx)
	if err != nil {
		return err
	}
	s := dropSet{ddl: d, contents: contents}
	refuse := func(_ bool, o object) {
		err = sqlerr.Unsupported("renaming a function that views or functions use").WithDetail("%s depends on it.", s.describe(ctx, o))
	}
	s.addViews(f.OID, 0, refuse)
	s.addFunctions(f.OID, refuse)
	return err
}

// functionSignature is a function without its schema, as a call is written.
func (d *ddl) functionSignature(f *catalog.Function) string {
	list := make([]string, len(f.Args))
	for i, a := range f.Args {
		list[i] = types.Type{OID: a.Type, Mod: -1}.Format()
	}
	return f.Name + "(" + strings.Join(list, ", ") + ")"
}

// addFunctions adds the functions whose arguments or results are of a type, or whose expressions use a relation or type.
func (s *dropSet) addFunctions(oid types.OID, add func(bool, object)) {
	for _, f := range s.contents.Functions {
		is := func(a catalog.Argument) bool { return a.Type == oid }
		if f.Result == oid || slices.ContainsFunc(f.Args, is) || slices.ContainsFunc(f.Table, is) ||
			slices.ContainsFunc(f.Uses, func(u catalog.Use) bool { return u.OID == oid }) {
			add(false, object{kind: objectFunction, function: f})
		}
	}
}
