package parse

// tokenKind is the kind of a token. Single-character punctuation is its own
// character: '(' ')' '[' ']' ',' ';' ':' '.'.
type tokenKind uint8

const (
	tokEOF   tokenKind = 1 + iota
	tokIdent           // identifier or keyword; str is folded and truncated
	tokString
	tokBits
	tokHex
	tokInt   // digits alone
	tokFloat // any other number
	tokParam // $n: str is n
	tokOp    // any operator, also + - * / % ^ < > = and <= >= <>; != is <>
	tokCast  // ::
	tokDotDot
	tokColonEquals
	tokArrow // =>
	tokBad   // a character that begins nothing
	tokError // what the lexer refuses; err says why
)

// token is one token of the text.
type token struct {
	kind     tokenKind
	kw       string // the keyword in lower case, "" for anything else
	cat      category
	bare     bool // may be a column label without AS
	str      string
	pos, end int // byte offsets in the whole text
	err      error
}

func (t *token) isOp(op string) bool { return t.kind == tokOp && t.str == op }
