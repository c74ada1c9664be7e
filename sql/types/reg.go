package types

import (
	"bytes"
	"strconv"
	"strings"

	"minidb/sql/sqlerr"
)

// Names finds the objects that regclass and its kin name. Types, and the rows of pg_class and so on, live above this package.
type Names interface {
	// NameOf is the name of an object as the reg type t shows it: in quotes and with its schema where that is needed. ok is
	// false if there is no such object.
	NameOf(t Type, oid OID) (name string, ok bool)
	// Find gives the OID of the object that text names; its errors are those of PostgreSQL's input functions.
	Find(t Type, text string) (OID, error)
}

// IsReg reports whether values of t are the OIDs of objects, shown as their names.
func (t Type) IsReg() bool {
	switch t.OID {
	case RegClassOID, RegTypeOID, RegProcOID, RegProcedureOID, RegOperOID, RegOperatorOID, RegNamespaceOID, RegRoleOID,
		RegConfigOID, RegDictionaryOID, RegCollationOID:
		return true
	}
	return false
}

// inputReg reads the name of an object or its number; "-" (of operators "0") is none.
func inputReg(ec *Context, t Type, text []byte) (Datum, error) {
	none := "-"
	if t.OID == RegOperOID || t.OID == RegOperatorOID {
		none = "0"
	}
	if string(text) == none {
		return Datum{}, nil
	}
	if allDigits(text) {
		return inputOid(text)
	}
	if t.OID == RegTypeOID {
		named, err := ParseType(string(text))
		if err != nil {
			if byName, ok := ByName(string(text)); ok { // also one that has no values
				named, err = byName, nil
			}
		}
		if err == nil {
			return Datum{I: int64(named.OID)}, nil
		} else if ec.Names == nil {
			return Datum{}, err
		}
	}
	if ec.Names == nil {
		return Datum{}, sqlerr.Unsupported("type " + t.Format())
	}
	oid, err := ec.Names.Find(t, string(text))
	return Datum{I: int64(oid)}, err
}

// appendReg writes the name of an object, or its number if it has none.
func appendReg(ec *Context, dst []byte, t Type, oid OID) []byte {
	if oid == InvalidOID {
		if t.OID == RegOperOID || t.OID == RegOperatorOID {
			return append(dst, '0')
		}
		return append(dst, '-')
	}
	if t.OID == RegTypeOID {
		if named, ok := ByOID(oid); ok {
			return append(dst, named.Format()...)
		}
	}
	if ec.Names != nil {
		if name, ok := ec.Names.NameOf(t, oid); ok {
			return append(dst, name...)
		}
	}
	return strconv.AppendUint(dst, uint64(oid), 10)
}

// ParseType reads the text of a type as it is written in SQL: integer[], "char", pg_catalog.numeric(8,2), timestamp(3)
// with time zone.
func ParseType(text string) (Type, error) {
	p := typeText{rest: strings.TrimSpace(text)}
	t, err := p.parse()
	if err != nil {
		return Type{}, err
	}
	if p.bad || p.rest != "" {
		return Type{}, sqlerr.New(sqlerr.SyntaxError, "syntax error at or near \"%s\"", p.rest)
	}
	if p.array {
		array, ok := t.Array()
		if !ok {
			return Type{}, sqlerr.New(sqlerr.UndefinedObject, "could not find array type for data type %s", t.Format())
		}
		return array, nil
	}
	return t, nil
}

// typeText is the text of a type that is being read.
type typeText struct {
	rest  string
	array bool
	bad   bool
}

func (p *typeText) parse() (Type, error) {
	var words []string
	var mods []int64
	quoted := false
	for p.rest != "" && !p.bad && !p.array {
		switch c := p.rest[0]; {
		case c == '"':
			end := strings.IndexByte(p.rest[1:], '"')
			if end < 0 {
				p.bad = true
				break
			}
			words, quoted = append(words, p.rest[1:1+end]), true
			p.take(2 + end)
		case c == '(' && len(words) > 0 && mods == nil:
			mods = p.mods()
		case c == '[':
			p.brackets()
		case c == '.' && len(words) == 1:
			if words[0] != "pg_catalog" {
				return Type{}, sqlerr.New(sqlerr.UndefinedObject, "type \"%s\" does not exist", strings.ToLower(words[0]+p.rest))
			}
			words = nil
			p.take(1)
		case c == '_' || isLetter(c) || c >= 0x80:
			n := 1
			for n < len(p.rest) && (p.rest[n] == '_' || p.rest[n] == '$' || isLetter(p.rest[n]) || isDigit(p.rest[n]) || p.rest[n] >= 0x80) {
				n++
			}
			words = append(words, strings.ToLower(p.rest[:n]))
			p.take(n)
		default:
			p.bad = true
		}
	}
	if p.bad || len(words) == 0 {
		p.bad = true
		return Type{}, nil
	}
	name := strings.Join(words, " ")
	if name == "char" && !quoted {
		name = "character"
	}
	if strings.HasSuffix(name, " array") {
		name, p.array = strings.TrimSuffix(name, " array"), true
	}
	return ParseTypeName(name, mods)
}

// take drops n bytes and the blanks after them.
func (p *typeText) take(n int) { p.rest = strings.TrimLeft(p.rest[n:], " \t\n\r\v\f") }

// mods reads (n, …).
func (p *typeText) mods() []int64 {
	end := strings.IndexByte(p.rest, ')')
	if end < 0 {
		p.bad = true
		return nil
	}
	var mods []int64
	for _, s := range strings.Split(p.rest[1:end], ",") {
		m, err := strconv.ParseInt(strings.TrimSpace(s), 10, 32)
		if err != nil {
			p.bad = true
			return nil
		}
		mods = append(mods, m)
	}
	p.take(end + 1)
	return mods
}

// brackets reads [] or [n], any number of them: they are all one type.
func (p *typeText) brackets() {
	for strings.HasPrefix(p.rest, "[") {
		end := strings.IndexByte(p.rest, ']')
		if end < 0 || end > 1 && !allDigits([]byte(p.rest[1:end])) {
			p.bad = true
			return
		}
		p.take(end + 1)
	}
	p.array = true
}

// inputXid reads the number of a transaction as C's strtoul does: what is not a number ends it, and it wraps.
func inputXid(t Type, text []byte) (Datum, error) {
	text = trimSpace(text)
	n := 0
	for n < len(text) && (isDigit(text[n]) || n == 0 && (text[0] == '-' || text[0] == '+')) {
		n++
	}
	i, _ := strconv.ParseInt(string(text[:n]), 10, 64)
	if t.OID != Xid8OID {
		i = int64(uint32(i))
	}
	return Datum{I: i}, nil
}

// SplitName takes a possibly qualified name apart, as regclass reads it: a."B".c. Words that are not quoted are folded. Its
// error is 42602.
func SplitName(text string) ([]string, error) {
	bad := sqlerr.New(sqlerr.InvalidName, "invalid name syntax")
	var parts []string
	s := strings.TrimFunc(text, isSpaceRune)
	for {
		var part []byte
		switch {
		case s == "":
			return nil, bad
		case s[0] == '"':
			closed := false
			for s = s[1:]; s != "" && !closed; {
				switch {
				case strings.HasPrefix(s, `""`):
					part = append(part, '"')
					s = s[2:]
				case s[0] == '"':
					closed, s = true, s[1:]
				default:
					part = append(part, s[0])
					s = s[1:]
				}
			}
			if !closed || len(part) == 0 {
				return nil, bad
			}
		default:
			n := 0
			for n < len(s) && s[n] != '.' && !isSpace(s[n]) {
				n++
			}
			if n == 0 {
				return nil, bad
			}
			part = bytes.ToLower([]byte(s[:n]))
			s = s[n:]
		}
		parts = append(parts, string(truncateName(part)))
		s = strings.TrimLeftFunc(s, isSpaceRune)
		if s == "" {
			return parts, nil
		}
		if s[0] != '.' {
			return nil, bad
		}
		s = strings.TrimLeftFunc(s[1:], isSpaceRune)
	}
}

func isSpaceRune(r rune) bool { return r < 0x80 && isSpace(byte(r)) }
