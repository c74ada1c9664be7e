package sql

import (
	"context"
	"fmt"
	"strings"
	"time"

	"minidb/sql/internal/exec"
	"minidb/sql/internal/parse"
	"minidb/sql/internal/plan"
	"minidb/sql/sqlerr"
	"minidb/sql/types"
)

// explainOptions are the options of EXPLAIN that are there.
type explainOptions struct {
	analyze, verbose, costs, timing, summary bool
}

func parseExplainOptions(st *parse.ExplainStmt) (explainOptions, error) {
	o := explainOptions{costs: true, timing: true, summary: true}
	for _, opt := range st.Options {
		on, known := true, true
		if opt.Value != nil {
			on, known = parseBool(opt.Value.Text)
		}
		switch opt.Name {
		case "format":
			if opt.Value == nil || !strings.EqualFold(opt.Value.Text, "text") {
				return o, sqlerr.Unsupported("EXPLAIN (FORMAT) other than TEXT")
			}
			continue
		case "analyze":
			o.analyze = on
		case "verbose":
			o.verbose = on
		case "timing":
			o.timing = on
		case "summary":
			o.summary = on
		case "costs":
			o.costs = on
		case "buffers", "wal", "settings":
			if on {
				return o, sqlerr.Unsupported("EXPLAIN (" + strings.ToUpper(opt.Name) + ")")
			}
		default:
			return o, sqlerr.New(sqlerr.SyntaxError, "unrecognized EXPLAIN option \"%s\"", opt.Name)
		}
		if !known {
			return o, sqlerr.New(sqlerr.SyntaxError, "%s requires a Boolean value", opt.Name)
		}
	}
	return o, nil
}

// explainUtility is EXPLAIN.
func (s *Session) explainUtility(q *statement, st *parse.ExplainStmt) (utility, error) {
	o, err := parseExplainOptions(st)
	if err != nil {
		return utility{}, err
	}
	inner := &statement{Statement: &parse.Statement{AST: st.Query, Text: q.Text, Start: q.Start, Params: q.Params}, text: q.text, given: q.given, simple: q.simple}
	execute, _ := st.Query.(*parse.ExecuteStmt)
	if execute != nil {
		if inner, err = s.findPrepared(execute.Name); err != nil {
			return utility{}, err
		}
	}
	if !isPlanned(inner.AST) {
		return utility{}, sqlerr.Unsupported("EXPLAIN of this statement")
	}
	return utility{columns: textColumns("QUERY PLAN"), run: func(ctx context.Context) (run, error) {
		began := time.Now()
		var args []types.Datum
		if execute != nil {
			if args, err = s.executeArgs(ctx, q, inner, execute); err != nil {
				return nil, err
			}
		}
		p, err := s.planFor(ctx, inner)
		if err != nil {
			return nil, err
		}
		if p.Err != nil {
			return nil, p.Err
		}
		if !o.analyze {
			return s.explainRows(plan.Explain(p, plan.ExplainOptions{Verbose: o.verbose, Estimates: o.costs})), nil
		}
		planning := time.Since(began)
		return s.explainAnalyze(ctx, inner, args, p, o, planning)
	}}, nil
}

// explainAnalyze runs the plan, counts and prints.
func (s *Session) explainAnalyze(ctx context.Context, q *statement, args []types.Datum, p *plan.Plan, o explainOptions, planning time.Duration) (run, error) {
	if p.Writes && s.tx.modes.readOnly {
		return nil, sqlerr.New(sqlerr.ReadOnlySQLTransaction, "cannot execute %s in a read-only transaction", firstWord(p.Tag))
	}
	if err := s.beginStatement(ctx); err != nil {
		return nil, err
	}
	s.tx.used = true
	env, err := s.newEnv(ctx, q, args)
	if err != nil {
		return nil, err
	}
	began := time.Now()
	counts, err := exec.Analyze(ctx, env, p.Root)
	if err != nil {
		return nil, err
	}
	elapsed := time.Since(began)
	lines := plan.Explain(p, plan.ExplainOptions{Verbose: o.verbose, Estimates: o.costs, Analyze: counts, Timing: o.timing})
	if !o.summary {
		return s.explainRows(lines), nil
	}
	lines = append(lines, fmt.Sprintf("Planning Time: %.3f ms", ms(planning)), fmt.Sprintf("Execution Time: %.3f ms", ms(elapsed)))
	return s.explainRows(lines), nil
}

func ms(d time.Duration) float64 { return float64(d.Nanoseconds()) / 1e6 }

func (s *Session) explainRows(lines []string) run {
	rows := make([][]string, len(lines))
	for i, l := range lines {
		rows[i] = []string{s.named(l)}
	}
	return textRows("EXPLAIN", rows)
}
