package sql

import (
	"context"
	"regexp"
	"strings"

	"minidb/sql/internal/parse"
	"minidb/sql/sqlerr"
)

// There is no procedural language. DO is known in the one form in which tools send it, to make what may be there already:
//
//	DO $$ BEGIN statement; EXCEPTION WHEN condition [OR condition …] THEN null; END $$
//
// with any number of plain statements, none of them a query.

// doBlock is such a block, taken apart.
type doBlock struct {
	statements []parse.Statement
	text       string   // of the statements
	conditions []string // names of those that are let pass
}

var (
	doBody = regexp.MustCompile(`(?is)^\s*BEGIN\s+(.*?)\s*(EXCEPTION(?:\s+WHEN\s+[a-z_]+(?:\s+OR\s+[a-z_]+)*\s+THEN\s+NULL\s*;)+)?\s*END\s*;?\s*$`)
	doWhen = regexp.MustCompile(`(?is)WHEN\s+([a-z_]+(?:\s+OR\s+[a-z_]+)*)\s+THEN`)
	doOr   = regexp.MustCompile(`(?i)\s+OR\s+`)
)

// conditionCodes are the conditions by their names in PL/pgSQL.
var conditionCodes = map[string]sqlerr.Code{
	"duplicate_object": sqlerr.DuplicateObject, "duplicate_table": sqlerr.DuplicateTable, "duplicate_column": sqlerr.DuplicateColumn,
	"duplicate_schema": sqlerr.DuplicateSchema, "duplicate_function": sqlerr.DuplicateFunction, "unique_violation": sqlerr.UniqueViolation,
	"undefined_object": sqlerr.UndefinedObject, "undefined_table": sqlerr.UndefinedTable, "undefined_column": sqlerr.UndefinedColumn,
	"undefined_function": sqlerr.UndefinedFunction, "invalid_schema_name": sqlerr.InvalidSchemaName,
	"invalid_table_definition": sqlerr.InvalidTableDefinition, "dependent_objects_still_exist": sqlerr.DependentObjectsStillExist,
	"foreign_key_violation": sqlerr.ForeignKeyViolation, "insufficient_privilege": sqlerr.InsufficientPrivilege,
	"feature_not_supported": sqlerr.FeatureNotSupported,
}

// parseDo takes the body of a DO apart. Errors: 0A000 for all but the form above, 42704 for an unknown condition.
func parseDo(st *parse.DoStmt) (*doBlock, error) {
	unsupported := sqlerr.Unsupported("DO other than BEGIN statement; EXCEPTION WHEN condition THEN null; END")
	m := doBody.FindStringSubmatch(st.Body)
	if m == nil || st.Language != "plpgsql" {
		return nil, unsupported
	}
	b := &doBlock{text: m[1]}
	if b.text != "" && !strings.HasSuffix(b.text, ";") {
		return nil, unsupported
	}
	var err error
	if b.statements, err = parse.Parse(b.text); err != nil {
		return nil, unsupported
	}
	for _, s := range b.statements {
		switch s.AST.(type) {
		case *parse.SelectStmt, *parse.TransactionStmt, *parse.DoStmt, *parse.CopyStmt, *parse.ImportStmt, *parse.ExplainStmt, *parse.ShowStmt,
			*parse.ExecuteStmt, *parse.FetchStmt:
			return nil, unsupported
		}
	}
	for _, when := range doWhen.FindAllStringSubmatch(m[2], -1) {
		for _, name := range doOr.Split(strings.ToLower(when[1]), -1) {
			if _, ok := conditionCodes[name]; !ok && name != "others" {
				return nil, sqlerr.New(sqlerr.UndefinedObject, "unrecognized exception condition \"%s\"", name)
			}
			b.conditions = append(b.conditions, name)
		}
	}
	return b, nil
}

// passes reports whether the block lets an error pass.
func (b *doBlock) passes(err error) bool {
	code := sqlerr.CodeOf(err)
	for _, name := range b.conditions {
		if code == conditionCodes[name] && code != "" || name == "others" && code != "" && code != sqlerr.QueryCanceled {
			return true
		}
	}
	return false
}

// runDo runs a block: what it did is undone if it fails, also if the error is let pass.
func (s *Session) runDo(ctx context.Context, st *parse.DoStmt) error {
	b, err := parseDo(st)
	if err != nil {
		return err
	}
	txn, err := s.needTxn()
	if err != nil {
		return err
	}
	mark, settings, deferred := txn.Savepoint(), s.settings, s.tx.deferred.Mark()
	if err = s.runAll(ctx, b); err == nil {
		txn.Release(mark)
		return nil
	}
	if !b.passes(err) {
		return err
	}
	txn.RollbackTo(mark)
	s.tx.deferred.RollbackTo(deferred)
	s.restoreSettings(settings)
	return nil
}

// runAll runs the statements of a block.
func (s *Session) runAll(ctx context.Context, b *doBlock) error {
	for i := range b.statements {
		q := &statement{Statement: &b.statements[i], text: b.text, simple: true, severalInMessage: true}
		if err := s.runToEnd(ctx, q); err != nil {
			if e, ok := sqlerr.As(err); ok {
				e.Position = 0 // it counts in the block, not in what the client sent
			}
			return err
		}
	}
	return nil
}

// runToEnd runs a statement and drops the rows it gives.
func (s *Session) runToEnd(ctx context.Context, q *statement) error {
	var r run
	var err error
	if isPlanned(q.AST) {
		r, err = s.startPlan(ctx, q, nil, nil)
	} else {
		var u utility
		if u, err = s.utility(q); err == nil {
			r, err = u.run(ctx)
		}
	}
	if err != nil {
		return err
	}
	defer r.close()
	for {
		if rows, err := r.next(ctx); rows == nil || err != nil {
			return err
		}
	}
}
