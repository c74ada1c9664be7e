package types

import (
	"cmp"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"minidb/sql/sqlerr"
)

// Types that somebody made are enumerated types and the arrays of them. Everything but their names and labels is told by
// their OIDs, so that keys and rows of them can be written, read and ordered without the catalog: OIDs from FirstUserOID
// on are enumerated types if even, and arrays of the type before if odd.
//
// A value is the place of its label in the type's order, in Datum.I. Places never change: see catalog.Enum. What shows or
// reads labels asks Context.Enums; where that is nil, a value is shown and read as # and its place. Likewise the name of
// such a type is pg_catalog."#16386" in this package, which NameTypes replaces where texts leave for a client. Both
// forms are SQL: descriptors keep expressions in them, which renaming a type or a label does not change.

// FirstUserOID is the first OID that is not built in.
const FirstUserOID OID = 16384

// maxEnumLabel is how long a label may be, in bytes.
const maxEnumLabel = 63

// IsEnum reports whether t is an enumerated type.
func (t Type) IsEnum() bool { return t.OID >= FirstUserOID && t.OID&1 == 0 }

// IsUser reports whether t is a type that somebody made, or the arrays of one.
func (t Type) IsUser() bool { return t.OID >= FirstUserOID }

// EnumOf is the enumerated type that t is or has as its elements.
func (t Type) EnumOf() (oid OID, ok bool) { return t.OID &^ 1, t.IsUser() }

// EnumType is the type of an OID, which is even.
func EnumType(oid OID) Type { return Type{oid, -1} }

// enumInfo and enumArrayInfo are the rows of pg_type of all enumerated types and of arrays of them, without names and OIDs.
var (
	enumInfo      = &typeInfo{name: "enum", len: 4, category: 'E'}
	enumArrayInfo = &typeInfo{name: "_enum", len: -1, category: 'A'}
)

// EnumLabel is a label and its place.
type EnumLabel struct {
	Place int64
	Name  string
}

// Enum is the labels of an enumerated type in their order. It never changes and may be used by several goroutines.
type Enum struct {
	labels []EnumLabel
	places map[string]int64
}

// NewEnum makes an Enum of labels in ascending order of their places. It keeps them.
func NewEnum(labels []EnumLabel) *Enum {
	e := &Enum{labels: labels, places: make(map[string]int64, len(labels))}
	for _, l := range labels {
		e.places[l.Name] = l.Place
	}
	return e
}

// Labels are all labels in their order. The caller must not change them.
func (e *Enum) Labels() []EnumLabel { return e.labels }

// at is the label of a place; ok is false if there is none.
func (e *Enum) at(place int64) (name string, ok bool) {
	i, ok := slices.BinarySearchFunc(e.labels, place, func(l EnumLabel, p int64) int { return cmp.Compare(l.Place, p) })
	if !ok {
		return "", false
	}
	return e.labels[i].Name, true
}

// enum is the labels of a type; nil if nobody knows them.
func (ec *Context) enum(t Type) *Enum {
	if ec == nil || ec.Enums == nil {
		return nil
	}
	return ec.Enums(t.OID)
}

func appendEnum(ec *Context, dst []byte, t Type, d Datum) []byte {
	if e := ec.enum(t); e != nil {
		if name, ok := e.at(d.I); ok {
			return append(dst, name...)
		}
	}
	return strconv.AppendInt(append(dst, '#'), d.I, 10)
}

func inputEnum(ec *Context, t Type, text []byte) (Datum, error) {
	if ec.Enums == nil {
		if place, err := strconv.ParseInt(strings.TrimPrefix(string(text), "#"), 10, 64); err == nil && len(text) > 0 && text[0] == '#' {
			return Datum{I: place}, nil
		}
	} else if e := ec.Enums(t.OID); e != nil && len(text) <= maxEnumLabel {
		if place, ok := e.places[string(text)]; ok {
			return Datum{I: place}, nil
		}
	}
	return Datum{}, sqlerr.New(sqlerr.InvalidTextRepresentation, "invalid input value for enum %s: \"%s\"", t.Format(), text)
}

// NumberedType finds the type of a name in the form pg_catalog."#16386", of which name is the last part.
func NumberedType(name string) (Type, bool) {
	if !strings.HasPrefix(name, "#") {
		return Type{}, false
	}
	oid, err := strconv.ParseUint(name[1:], 10, 32)
	t := Type{OID(oid), -1}
	return t, err == nil && t.IsUser()
}

// numberedName is the name of a type that somebody made; see NumberedType.
func (t Type) numberedName() string {
	oid, _ := t.EnumOf()
	name := `pg_catalog."#` + strconv.FormatUint(uint64(oid), 10) + `"`
	if t.OID != oid {
		name += "[]"
	}
	return name
}

var (
	numberedName     = regexp.MustCompile(`pg_catalog\."#(\d+)"`)
	numberedConstant = regexp.MustCompile(`'(#-?\d+|\{[^']*\})'::pg_catalog\."#(\d+)"`)
	numberedPlace    = regexp.MustCompile(`#-?\d+`)
)

// NameTypes puts the names and labels of types that somebody made where text has their numbers. Text is SQL or a message;
// enums gives the labels, name the name of a type as it is written in SQL.
func NameTypes(enums func(OID) *Enum, name func(OID) (string, bool), text string) string {
	if !strings.Contains(text, `pg_catalog."#`) {
		return text
	}
	ec := &Context{Enums: enums}
	text = numberedConstant.ReplaceAllStringFunc(text, func(s string) string {
		m := numberedConstant.FindStringSubmatch(s)
		t, _ := NumberedType("#" + m[2])
		label := func(place string) string {
			d, err := inputEnum(defaultContext, t, []byte(place))
			if err != nil {
				return place
			}
			return string(appendEnum(ec, nil, t, d))
		}
		if m[1][0] == '#' {
			return "'" + strings.ReplaceAll(label(m[1]), "'", "''") + "'::" + t.numberedName()
		}
		elems := numberedPlace.ReplaceAllStringFunc(m[1], func(place string) string {
			return string(quoteArrayElem([]byte(label(place)), 0))
		})
		return "'" + strings.ReplaceAll(elems, "'", "''") + "'::" + t.numberedName()
	})
	return numberedName.ReplaceAllStringFunc(text, func(s string) string {
		t, ok := NumberedType(strings.Trim(s[len("pg_catalog."):], `"`))
		if !ok {
			return s
		}
		if name, ok := name(t.OID); ok {
			return name
		}
		return s
	})
}
