// Package parse turns SQL text into a syntax tree in PostgreSQL's terms.
//
// It speaks PostgreSQL 15's language and a few words of CockroachDB's and TiDB's:
// IMPORT INTO, STORING, FAMILY, SHOW JOBS. It knows nothing of tables, types or
// values: names are folded and truncated, but not looked up. Parse is the way in;
// Statement holds what comes out, and the ast files describe the tree.
//
// Inside, a statement goes through four stages. The lexer cuts it into
// PostgreSQL's tokens. The transcriber (the parser type) reads them by
// PostgreSQL's grammar, makes our nodes without the expressions in them, and
// writes the expressions and queries as text that TiDB's parser takes. What that
// grammar lacks is written as a call of a marker: a name that begins with a
// control character and gives the number of a note. TiDB's parser reads the text,
// and the decoder walks its tree and fills our nodes. So every syntax error is
// found by the transcriber, with PostgreSQL's words and place; an error of TiDB's
// parser after that is a bug of this package.
package parse

import (
	"fmt"
	"strings"
	"sync"
	"unicode/utf8"

	tidb "github.com/pingcap/tidb/pkg/parser"
	"github.com/pingcap/tidb/pkg/parser/mysql"
)

// Parse reads a text of any number of statements, separated by semicolons. An
// empty text, or one of comments and semicolons alone, gives no statements. Every
// error is a *sqlerr.Error with its Position in text.
//
// The tree is never changed by this package after it was returned, and holds
// substrings of text. Parse may be called by several goroutines.
func Parse(text string) (stmts []Statement, err error) {
	if !utf8.ValidString(text) || strings.IndexByte(text, 0) >= 0 {
		return nil, encodingError(text)
	}
	p := parsers.Get().(*parser)
	defer func() {
		if r := recover(); r != nil {
			stmts = nil
			b, ok := r.(bail)
			if !ok {
				// A panic of TiDB's parser, or of ours: the parser is not used again.
				err = internalError(fmt.Errorf("panic: %v", r))
				return
			}
			err = b.err
		}
		p.release()
	}()
	p.start(text)
	return p.statements(), nil
}

// Character turns a byte offset of text into the position that an error reports:
// counted from 1, in characters.
func Character(text string, offset int) int {
	if offset > len(text) {
		offset = len(text)
	}
	return utf8.RuneCountInString(text[:offset]) + 1
}

// bail carries an error out of the recursive descent to Parse.
type bail struct{ err error }

// The depth to which expressions, queries and joins may nest in one another, and
// the length of a chain of operators. Every stage recurses that deep.
const (
	maxDepth = 21_000
	maxChain = 150_000
)

// parser is the transcriber with all it needs for one text. It is reused.
type parser struct {
	lex  lexer
	toks []token // of the running statement, as far as they were looked at
	i    int     // index of tok
	tok  token   // the current token
	far  int     // index of the farthest token that did not fit a row of keywords

	u         *unit // the unit that is being written
	units     []*unit
	unitCount int
	notes     []any
	depth     int
	listDepth int // the depth of the expressions of the running SELECT list, 0: none
	params    int
	into      *intoClause // the statement's, nil: none

	windowless bool // the next function call takes no FILTER and OVER

	tidb *tidb.Parser
	dec  decoder
	out  []byte
}

var parsers = sync.Pool{New: func() any {
	p := &parser{tidb: tidb.New()}
	p.tidb.SetSQLMode(mysql.ModeANSIQuotes | mysql.ModePipesAsConcat | mysql.ModeNoBackslashEscapes)
	return p
}}

// keepBytes is the size of a text up to which its parser is kept for the next one.
const keepBytes = 64 << 10

func (p *parser) start(text string) {
	p.lex = lexer{text: text}
	p.depth, p.listDepth, p.windowless = 0, 0, false
	p.clear()
}

// clear makes ready for the next statement.
func (p *parser) clear() {
	p.toks = p.toks[:0]
	p.unitCount = 0
	clear(p.notes)
	p.notes = p.notes[:0]
	p.params = 0
	p.u, p.into = nil, nil
}

func (p *parser) release() {
	if len(p.lex.text) > keepBytes {
		return
	}
	p.clear()
	clear(p.toks[:cap(p.toks)])
	for _, u := range p.units {
		u.decode = nil
	}
	p.lex, p.tok = lexer{}, token{}
	p.dec = decoder{places: p.dec.places[:0]}
	parsers.Put(p)
}

// statements reads the whole text.
func (p *parser) statements() []Statement {
	var stmts []Statement
	p.first(p.lex.next())
	for {
		for p.tok.kind == ';' {
			p.first(p.lex.next())
		}
		if p.tok.kind == tokEOF {
			return stmts
		}
		start := p.pos()
		ast := p.statement()
		if p.tok.kind != tokEOF && p.tok.kind != ';' {
			p.fail()
		}
		end := p.toks[p.i-1].end
		p.finish()
		stmts = append(stmts, Statement{AST: ast, Text: p.lex.text[start:end], Start: start, Params: p.params})
		semicolon := p.tok
		p.clear()
		p.first(semicolon)
	}
}

// first makes t the first token of a statement.
func (p *parser) first(t token) {
	p.toks = append(p.toks[:0], t)
	p.i, p.tok, p.far = 0, t, 0
}

// finish gives what was written to TiDB's parser and decodes what comes back.
func (p *parser) finish() {
	if p.unitCount == 0 {
		return
	}
	b, places := p.out[:0], p.dec.places[:0]
	for i, u := range p.units[:p.unitCount] {
		if i > 0 {
			b = append(b, ";\n"...)
		}
		b, places = u.finish(b, places)
	}
	p.out = b
	// TiDB's nodes hold substrings of the text, and so will ours.
	nodes, _, err := p.tidb.ParseSQL(string(b))
	if err != nil || len(nodes) != p.unitCount {
		bug("%d statements for %d, error %v, text %q", len(nodes), p.unitCount, err, b)
	}
	p.dec.notes, p.dec.places, p.dec.next = p.notes, places, 0
	for i, u := range p.units[:p.unitCount] {
		u.decode(&p.dec, nodes[i])
	}
}
