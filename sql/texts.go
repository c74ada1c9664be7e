package sql

import (
	"context"
	"strings"

	"minidb/sql/internal/exec"
	"minidb/sql/internal/parse"
	"minidb/sql/sqlerr"
	"minidb/sql/types"
)

// texts remembers the statements of a session by their texts: those of the simple protocol with literals lifted out, BEGIN and its kin as
// they are, and those of Prepare. A text is remembered when it comes for the second time. It is emptied when settings change, since
// literals that were not lifted depend on them.
//
// What is found this way is run as a prepared statement is. Whatever is the matter with it (its plan fails, a literal does not fit its
// parameter) leads to the text itself, which is then parsed and planned as if nothing were remembered: errors are its own.
type texts struct {
	byText  map[string]*text
	lifted  parse.Lifted
	args    []types.Datum
	key     []byte
	notices int // of the session: a statement that gave some when it was planned has to give them each time
}

// text is what is known of a text.
type text struct {
	// stmts are the statements of a text that only begins and ends transactions.
	stmts []parse.Statement
	// q is the statement with a plan; nil: it was seen once, or is not for this.
	q    *statement
	seen int
}

// maxTexts bounds how many texts a session remembers.
const maxTexts = 128

// refused is text.seen of what is not remembered.
const refused = -1

// note is find that remembers that the text came.
func (t *texts) note(key []byte) *text {
	if found := t.byText[string(key)]; found != nil {
		return found
	}
	if t.byText == nil || len(t.byText) >= maxTexts {
		t.byText = map[string]*text{}
	}
	x := &text{}
	t.byText[string(key)] = x
	return x
}

func (t *texts) forget() { t.byText = nil }

// lift finds the statement that a text of the simple protocol is, but for its literals, and these as arguments. Nil: there is none yet.
// Its tables are locked. Errors are those of waiting for that.
func (s *Session) lift(ctx context.Context, sqlText string) (*statement, []types.Datum, error) {
	t := &s.texts
	if s.engine.general || s.tx.failed || !parse.Lift(sqlText, &t.lifted) {
		return nil, nil, nil
	}
	t.key = append(append(t.key[:0], t.lifted.Text...), 0)
	for i := range t.lifted.Values {
		t.key = append(t.key, byte(t.lifted.Values[i].Kind))
	}
	x := t.note(t.key)
	switch {
	case x.seen == refused:
		return nil, nil, nil
	case x.seen == 0:
		x.seen++
		return nil, nil, nil
	case x.q == nil:
		if x.q = s.planLifted(ctx, string(t.lifted.Text), t.lifted.Values); x.q == nil {
			x.seen = refused
			return nil, nil, nil
		}
	}
	p, err := s.planFor(ctx, x.q)
	if err != nil {
		if _, ok := sqlerr.As(err); !ok {
			return nil, nil, err
		}
		x.q = nil
		return nil, nil, nil
	}
	if !s.liftedArgs(x.q) || s.checkConstants(p, t.args) != nil {
		return nil, nil, nil
	}
	return x.q, t.args, nil
}

// planLifted makes the statement of a lifted text; nil if it is not worth it or gives notices.
func (s *Session) planLifted(ctx context.Context, liftedText string, values []parse.LiftedValue) *statement {
	before := s.texts.notices
	if len(parse.LongNames(liftedText)) > 0 {
		return nil
	}
	stmts, err := parse.Parse(liftedText)
	if err != nil || len(stmts) != 1 || !isPlanned(stmts[0].AST) {
		return nil
	}
	q := &statement{Statement: &stmts[0], text: liftedText}
	for i := range values {
		given := types.Int4
		switch values[i].Kind {
		case parse.LiftedInt8:
			given = types.Int8
		case parse.LiftedString:
			given = types.Unknown
		}
		q.given = append(q.given, given)
	}
	p, err := s.planFor(ctx, q)
	// Plans of joins and of queries in queries may depend on their constants: those are made for each text.
	if err != nil || len(p.Params) != len(values) || s.texts.notices != before || !exec.Reusable(p.Root) || p.WantsLiterals() {
		return nil
	}
	return q
}

// liftedArgs makes the arguments of the values lifted last. It reports false if one does not fit: then the text itself has the error.
func (s *Session) liftedArgs(q *statement) bool {
	t := &s.texts
	// Portals keep their arguments.
	t.args = make([]types.Datum, len(t.lifted.Values))
	for i := range t.lifted.Values {
		v := &t.lifted.Values[i]
		if v.Kind != parse.LiftedString {
			t.args[i] = types.NewInt(v.Int)
			continue
		}
		d, err := types.Input(s.Context(), q.params[i], []byte(v.Text))
		if err != nil {
			return false
		}
		t.args[i] = d
	}
	return true
}

// parseShort is parse that remembers texts like BEGIN.
func (s *Session) parseShort(sqlText string) ([]parse.Statement, error) {
	const maxShortBytes = 16
	if len(sqlText) > maxShortBytes || s.engine.general || len(strings.TrimSpace(sqlText)) == 0 {
		return s.parse(sqlText)
	}
	s.texts.key = append(s.texts.key[:0], sqlText...)
	if x := s.texts.byText[string(s.texts.key)]; x != nil && x.stmts != nil {
		return x.stmts, nil
	}
	stmts, err := s.parse(sqlText)
	if err == nil && len(stmts) == 1 {
		if _, ok := stmts[0].AST.(*parse.TransactionStmt); ok {
			s.texts.note(s.texts.key).stmts = stmts
		}
	}
	return stmts, err
}

// again gives a statement of its own for a text that was prepared before with the same types of parameters; nil if there is none.
func (s *Session) again(ctx context.Context, sqlText string, paramTypes []types.OID) (q *statement, key *text) {
	t := &s.texts
	if s.engine.general || len(sqlText) > maxPreparedBytes {
		return nil, nil
	}
	t.key = append(append(t.key[:0], "prepare "...), sqlText...)
	for _, oid := range paramTypes {
		t.key = append(t.key, 0, byte(oid), byte(oid>>8), byte(oid>>16), byte(oid>>24))
	}
	x := t.note(t.key)
	if x.q == nil || !s.seemsGood(x.q.cached) || s.checkNotFailed(x.q.AST) != nil {
		return nil, x
	}
	own := *x.q
	if _, err := s.planFor(ctx, &own); err != nil {
		x.q = nil
		return nil, x
	}
	return &own, x
}

// maxPreparedBytes bounds the texts of Prepare that are remembered.
const maxPreparedBytes = 4096

// remember keeps a statement for again when its text comes for the second time, unless planning it gave notices.
func (x *text) remember(q *statement, gaveNotices bool) {
	if x == nil || gaveNotices || x.seen == refused {
		return
	}
	if x.seen++; x.seen > 1 && q.cached != nil {
		own := *q
		x.q = &own
	}
}
