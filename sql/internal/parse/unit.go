package parse

import (
	"slices"
	"strconv"

	"github.com/pingcap/tidb/pkg/parser/ast"
)

// A unit is one statement of the text that TiDB's parser is given for one
// statement of ours. The transcriber appends to it, and puts openings in front
// of operands that are already written: a + b is "a" first, and "(" goes in front
// of it when the + is seen. Such openings are kept aside until the end, so that
// a chain of n operators costs n and not n².
type unit struct {
	buf    []byte
	opens  []opening
	places []place
	decode func(d *decoder, n ast.StmtNode)
}

// opening is text to be put in front of buf[at:]: the name of a marker when note
// is not -1, then text. Of two openings at one place the later goes outside.
type opening struct {
	at, note int
	text     string
	src      int // where the operator stands in the source; -1: nowhere
}

// place says which byte of the source an expression in the text for TiDB came
// from. For a parameter it also has the number.
type place struct {
	at, src, param int
}

// here is the offset where the next operand begins.
func (p *parser) here() int { return len(p.u.buf) }

// put appends text.
func (p *parser) put(s string) { p.u.buf = append(p.u.buf, s...) }

// mark notes that what is appended next came from src.
func (p *parser) mark(src int) {
	p.u.places = append(p.u.places, place{at: len(p.u.buf), src: src})
}

// putName appends a quoted name.
func (p *parser) putName(s string) { p.u.buf = appendName(p.u.buf, s) }

// putString appends a string literal.
func (p *parser) putString(s string) {
	b := append(p.u.buf, '\'')
	for i := 0; i < len(s); i++ {
		if s[i] == '\'' {
			b = append(b, '\'')
		}
		b = append(b, s[i])
	}
	p.u.buf = append(b, '\'')
}

// putNote appends the name of a marker for note.
func (p *parser) putNote(note any) {
	p.u.buf = appendMarker(p.u.buf, p.note(note))
}

// open puts text in front of the operand that begins at st; src is the operator's
// place.
func (p *parser) open(st int, text string, src int) {
	p.u.opens = append(p.u.opens, opening{at: st, note: -1, text: text, src: src})
}

// build makes the operand that begins at st, and what was appended since behind a
// comma, the arguments of b: b gets them decoded and returns the node. The
// caller has yet to close the parenthesis.
func (p *parser) build(st int, b builder) {
	p.u.opens = append(p.u.opens, opening{at: st, note: p.note(b), text: "(", src: -1})
}

// builder makes a node from its decoded arguments, or fills a hole with them and
// returns nil.
type builder func(args []Expr) Expr

// note keeps v under a number that a marker can name.
func (p *parser) note(v any) int {
	p.notes = append(p.notes, v)
	return len(p.notes) - 1
}

// markerByte begins the names that stand for notes. A name of the user's own that
// begins with it is never written into the text for TiDB.
const markerByte = 1

func appendMarker(b []byte, note int) []byte {
	b = append(b, '"', markerByte)
	b = strconv.AppendInt(b, int64(note), 10)
	return append(b, '"')
}

func appendName(b []byte, s string) []byte {
	b = append(b, '"')
	for i := 0; i < len(s); i++ {
		if s[i] == '"' {
			b = append(b, '"')
		}
		b = append(b, s[i])
	}
	return append(b, '"')
}

func plainName(s string) bool { return s == "" || s[0] != markerByte }

// newUnit runs write with a new unit in place of the current one. decode gets what
// TiDB's parser made of it.
func (p *parser) newUnit(write func(), decode func(d *decoder, n ast.StmtNode)) {
	outer := p.u
	if p.unitCount == len(p.units) {
		p.units = append(p.units, &unit{})
	}
	u := p.units[p.unitCount]
	p.unitCount++
	u.buf, u.opens, u.places, u.decode = u.buf[:0], u.opens[:0], u.places[:0], decode
	p.u = u
	write()
	p.u = outer
}

// finish appends the unit's whole text to b, with the openings in their places,
// and its places to places.
func (u *unit) finish(b []byte, places []place) ([]byte, []place) {
	// Stable sorting from the last to the first puts the outer opening first.
	slices.Reverse(u.opens)
	slices.SortStableFunc(u.opens, func(x, y opening) int { return x.at - y.at })
	from, pl := 0, u.places
	copyTo := func(to int) {
		for len(pl) > 0 && pl[0].at < to {
			pl[0].at += len(b) - from
			places = append(places, pl[0])
			pl = pl[1:]
		}
		b = append(b, u.buf[from:to]...)
		from = to
	}
	for _, o := range u.opens {
		copyTo(o.at)
		if o.src >= 0 {
			places = append(places, place{at: len(b), src: o.src})
		}
		if o.note >= 0 {
			b = appendMarker(b, o.note)
		}
		b = append(b, o.text...)
	}
	copyTo(len(u.buf))
	return b, places
}
