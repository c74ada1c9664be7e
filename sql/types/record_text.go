package types

import "minidb/sql/sqlerr"

// recordReader reads the text form of a record: (1,"a b",).
type recordReader struct {
	text, rest []byte
}

func (r *recordReader) malformed(detail string) error {
	return sqlerr.New(sqlerr.InvalidTextRepresentation, "malformed record literal: \"%s\"", r.text).WithDetail("%s", detail)
}

// inputRecord reads a record of a type whose fields are known.
func inputRecord(ec *Context, t Type, text []byte) (Datum, error) {
	fields := t.Fields()
	if t.Mod < 0 {
		return Datum{}, sqlerr.New(sqlerr.FeatureNotSupported, "input of anonymous composite types is not implemented")
	}
	r := &recordReader{text: text, rest: trimSpace(text)}
	if len(r.rest) == 0 || r.rest[0] != '(' {
		return Datum{}, r.malformed("Missing left parenthesis.")
	}
	r.rest = r.rest[1:]
	values := make([]Datum, len(fields))
	for i, f := range fields {
		if i > 0 {
			if len(r.rest) == 0 || r.rest[0] != ',' {
				return Datum{}, r.malformed("Too few columns.")
			}
			r.rest = r.rest[1:]
		}
		item, null, err := r.field()
		switch {
		case err != nil:
			return Datum{}, err
		case null:
			values[i] = NullDatum
			continue
		}
		if values[i], err = Input(ec, f.Type, item); err != nil {
			return Datum{}, err
		}
	}
	switch {
	case len(r.rest) == 0 || r.rest[0] != ')':
		return Datum{}, r.malformed("Too many columns.")
	case len(trimSpace(r.rest[1:])) > 0:
		return Datum{}, r.malformed("Junk after right parenthesis.")
	}
	return NewRecord(t, values), nil
}

// field reads up to the comma or parenthesis behind a field. Nothing at all is NULL.
func (r *recordReader) field() (item []byte, null bool, err error) {
	if len(r.rest) > 0 && (r.rest[0] == ',' || r.rest[0] == ')') {
		return nil, true, nil
	}
	item = []byte{}
	quoted := false
	for quoted || len(r.rest) == 0 || r.rest[0] != ',' && r.rest[0] != ')' {
		if len(r.rest) == 0 {
			return nil, false, r.malformed("Unexpected end of input.")
		}
		c := r.rest[0]
		r.rest = r.rest[1:]
		switch {
		case c == '\\':
			if len(r.rest) == 0 {
				return nil, false, r.malformed("Unexpected end of input.")
			}
			item = append(item, r.rest[0])
			r.rest = r.rest[1:]
		case c == '"' && quoted && len(r.rest) > 0 && r.rest[0] == '"':
			item = append(item, '"')
			r.rest = r.rest[1:]
		case c == '"':
			quoted = !quoted
		default:
			item = append(item, c)
		}
	}
	return item, false, nil
}
