package sql

import (
	"context"
	"strings"
	"time"

	"minidb/sql/catalog"
	"minidb/sql/internal/exec"
	"minidb/sql/internal/parse"
	"minidb/sql/internal/plan"
	"minidb/sql/sqlerr"
	"minidb/sql/types"
)

// explainOptions are the options of EXPLAIN that are there.
type explainOptions struct {
	analyze, verbose, costs, timing, summary, settings, wal, buffers, json bool
}

// parseExplainOptions reads the options; text is what their positions count in.
func parseExplainOptions(st *parse.ExplainStmt, text string) (explainOptions, error) {
	o := explainOptions{costs: true}
	var timing, summary *bool
	for _, opt := range st.Options {
		at := func(err *sqlerr.Error) error { return err.At(parse.Character(text, opt.Pos)) }
		if opt.Name == "format" {
			switch {
			case opt.Value == nil:
				return o, sqlerr.New(sqlerr.SyntaxError, "format requires a parameter")
			case opt.Value.Text == "xml", opt.Value.Text == "yaml":
				return o, at(sqlerr.Unsupported("EXPLAIN (FORMAT " + strings.ToUpper(opt.Value.Text) + ")"))
			case opt.Value.Text != "text" && opt.Value.Text != "json":
				return o, at(sqlerr.New(sqlerr.InvalidParameterValue, "unrecognized value for EXPLAIN option \"%s\": \"%s\"", opt.Name, opt.Value.Text))
			}
			o.json = opt.Value.Text == "json"
			continue
		}
		on, known := optionIsOn(opt)
		switch opt.Name {
		case "analyze":
			o.analyze = on
		case "verbose":
			o.verbose = on
		case "costs":
			o.costs = on
		case "settings":
			o.settings = on
		case "wal":
			o.wal = on
		case "buffers":
			o.buffers = on
		case "timing":
			timing = &on
		case "summary":
			summary = &on
		default:
			return o, at(sqlerr.New(sqlerr.SyntaxError, "unrecognized EXPLAIN option \"%s\"", opt.Name))
		}
		if !known {
			return o, sqlerr.New(sqlerr.SyntaxError, "%s requires a Boolean value", opt.Name)
		}
	}
	o.timing, o.summary = o.analyze, o.analyze
	if timing != nil {
		o.timing = *timing
	}
	if summary != nil {
		o.summary = *summary
	}
	return o, o.check()
}

// optionIsOn reads a Boolean option, which is on without a value.
func optionIsOn(opt parse.Option) (on, known bool) {
	if opt.Value == nil {
		return true, true
	}
	switch strings.ToLower(opt.Value.Text) {
	case "true", "on", "1":
		return true, true
	case "false", "off", "0":
		return false, true
	}
	return false, false
}

// check refuses what needs ANALYZE and what nothing is counted for.
func (o explainOptions) check() error {
	for _, need := range []struct {
		on   bool
		name string
	}{{o.wal, "WAL"}, {o.timing, "TIMING"}} {
		if need.on && !o.analyze {
			return sqlerr.New(sqlerr.InvalidParameterValue, "EXPLAIN option %s requires ANALYZE", need.name)
		}
	}
	switch {
	case o.wal:
		return sqlerr.Unsupported("EXPLAIN (WAL)")
	case o.buffers:
		return sqlerr.Unsupported("EXPLAIN (BUFFERS)")
	}
	return nil
}

// explained is what an EXPLAIN is about.
type explained struct {
	options explainOptions
	query   *statement
	execute *parse.ExecuteStmt     // nil: the query stands in the EXPLAIN itself
	table   *parse.CreateTableStmt // the query is that of CREATE TABLE AS; else nil
}

// explainUtility is EXPLAIN.
func (s *Session) explainUtility(q *statement, st *parse.ExplainStmt) (utility, error) {
	o, err := parseExplainOptions(st, q.text)
	if err != nil {
		return utility{}, err
	}
	x := explained{options: o}
	inner := st.Query
	switch st := inner.(type) {
	case *parse.ExecuteStmt:
		x.execute = st
		if x.query, err = s.findPrepared(st.Name); err != nil {
			return utility{}, err
		}
		inner = x.query.AST
	case *parse.CreateTableStmt:
		if st.IsMatView {
			return utility{}, sqlerr.Unsupported("CREATE MATERIALIZED VIEW")
		}
		x.table, inner = st, st.As
	case *parse.DeclareCursorStmt:
		inner = st.Query
	}
	if !isPlanned(inner) {
		return utility{}, sqlerr.Unsupported("EXPLAIN of this statement")
	}
	if x.query == nil {
		x.query = &statement{Statement: &parse.Statement{AST: inner, Text: q.Text, Start: q.Start, Params: q.Params}, text: q.text, given: q.given, simple: q.simple}
	}
	columns := textColumns("QUERY PLAN")
	if o.json {
		columns[0].Type = types.JSON
	}
	return utility{columns: columns, run: func(ctx context.Context) (run, error) { return s.explain(ctx, q, x) }}, nil
}

// explain plans the statement and, for ANALYZE, runs it.
func (s *Session) explain(ctx context.Context, q *statement, x explained) (run, error) {
	began := time.Now()
	var args []types.Datum
	var err error
	if x.execute != nil {
		if args, err = s.executeArgs(ctx, q, x.query, x.execute); err != nil {
			return nil, err
		}
	}
	p, err := s.planFor(ctx, x.query)
	if err == nil {
		err = p.Err
	}
	if err != nil {
		return nil, err
	}
	o := plan.ExplainOptions{
		Verbose: x.options.verbose, Estimates: x.options.costs, Timing: x.options.timing, Summary: x.options.summary, Settings: x.options.settings,
		Schema: func(id catalog.ID) string { return s.schemaName(ctx, id) }, Named: s.named, Planning: time.Since(began),
	}
	if x.table != nil && !x.options.analyze {
		env, err := s.newEnv(ctx, q, nil)
		if err != nil {
			return nil, err
		}
		if there, err := exec.TableAsIsThere(ctx, env, x.table); there || err != nil {
			return textRows("EXPLAIN", nil), err
		}
	}
	if x.options.analyze {
		began = time.Now()
		if p, o.Analyze, err = s.explainAnalyze(ctx, x, args, p); err != nil {
			return nil, err
		}
		o.Execution = time.Since(began)
	}
	if p == nil {
		return textRows("EXPLAIN", nil), nil // CREATE TABLE AS had nothing to do
	}
	e := plan.Explain(p, o)
	if x.options.json {
		return textRows("EXPLAIN", [][]string{{e.JSON()}}), nil
	}
	lines := e.Text()
	rows := make([][]string, len(lines))
	for i, l := range lines {
		rows[i] = []string{l}
	}
	return textRows("EXPLAIN", rows), nil
}

// schemaName is the name of a schema for EXPLAIN, which goes without if the schema cannot be read.
func (s *Session) schemaName(ctx context.Context, id catalog.ID) string {
	view, err := s.needView()
	if err != nil {
		return ""
	}
	schema, err := view.SchemaByID(ctx, id)
	if err != nil {
		return ""
	}
	return schema.Name
}

// explainAnalyze runs the statement and gives what its nodes did, with the plan that they are of: nil if a CREATE TABLE AS had nothing to
// do.
func (s *Session) explainAnalyze(ctx context.Context, x explained, args []types.Datum, p *plan.Plan) (*plan.Plan, plan.Counts, error) {
	if s.tx.modes.readOnly && (p.Writes || x.table != nil) {
		what := firstWord(p.Tag)
		if x.table != nil {
			what = "CREATE TABLE AS"
		}
		return nil, nil, sqlerr.New(sqlerr.ReadOnlySQLTransaction, "cannot execute %s in a read-only transaction", what)
	}
	if err := s.beginStatement(ctx); err != nil {
		return nil, nil, err
	}
	s.tx.used = true
	env, err := s.newEnv(ctx, x.query, args)
	if err != nil {
		return nil, nil, err
	}
	if x.table != nil {
		return exec.AnalyzeTableAs(ctx, env, x.table)
	}
	counts, err := exec.Analyze(ctx, env, p.Root)
	return p, counts, err
}
