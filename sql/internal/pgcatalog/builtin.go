package pgcatalog

import (
	_ "embed"
	"fmt"
	"strings"
	"sync"

	"minidb/sql/types"
)

//go:embed builtin.txt
var builtinText string

// section is a table of builtin.txt: raw fields.
type section struct {
	name    string
	columns []string // of rows
	fixed   map[string]string
	rows    [][]string // `\N` is NULL
}

func (s *section) column(name string) int {
	for i, c := range s.columns {
		if c == name {
			return i
		}
	}
	panic("pgcatalog: builtin: no column " + name)
}

// sectionTexts is where the tables begin and end in builtin.txt.
var sectionTexts = sync.OnceValue(func() map[string]string {
	texts := map[string]string{}
	for _, text := range strings.Split("\n"+builtinText, "\n# ")[1:] {
		name, _, _ := strings.Cut(text, " ")
		texts[name] = text
	}
	return texts
})

// builtinSection parses a table of builtin.txt. It is for tables that are there.
func builtinSection(name string) *section {
	text, ok := sectionTexts()[name]
	if !ok {
		panic("pgcatalog: builtin: no table " + name)
	}
	head, body, _ := strings.Cut(text, "\n")
	s := &section{name: name, fixed: map[string]string{}}
	for _, c := range strings.Fields(head)[1:] {
		if column, value, ok := strings.Cut(c, "="); ok {
			s.fixed[column] = value
		} else {
			s.columns = append(s.columns, c)
		}
	}
	for line := range strings.Lines(body) {
		s.rows = append(s.rows, strings.Split(strings.TrimSuffix(line, "\n"), "\t"))
	}
	return s
}

// row is a row of a relation: a value for each column.
type row = []types.Datum

// builtinRows are the rows that a relation has from the start; they are decoded once.
var builtinRows = func() func(name string) []row {
	var mu sync.Mutex
	done := map[string][]row{}
	return func(name string) []row {
		mu.Lock()
		defer mu.Unlock()
		rows, ok := done[name]
		if !ok {
			rows = decodeSection(builtinSection(name), Find("pg_catalog", name))
			done[name] = rows
		}
		return rows
	}
}()

func decodeSection(s *section, rel *Relation) []row {
	template := make(row, len(rel.Columns))
	for i := range template {
		template[i] = types.NullDatum
		if v, ok := s.fixed[rel.Columns[i].Name]; ok {
			template[i] = decodeField(rel.Columns[i].Type, v)
		}
	}
	places := make([]int, len(s.columns))
	for i, c := range s.columns {
		if places[i] = rel.Column(c); places[i] < 0 {
			panic("pgcatalog: builtin: " + s.name + " has no column " + c)
		}
	}
	rows := make([]row, len(s.rows))
	cells := make([]types.Datum, len(s.rows)*len(template))
	for n, fields := range s.rows {
		r := cells[n*len(template) : (n+1)*len(template) : (n+1)*len(template)]
		copy(r, template)
		for i, f := range fields {
			r[places[i]] = decodeField(rel.Columns[places[i]].Type, f)
		}
		rows[n] = r
	}
	return rows
}

// decodeField reads a value as COPY writes it.
func decodeField(t types.Type, f string) types.Datum {
	if f == `\N` {
		return types.NullDatum
	}
	if strings.Contains(f, `\`) {
		f = unescape.Replace(f)
	}
	switch t.OID {
	case types.NameOID, types.TextOID, types.CharOID, types.PgNodeTreeOID:
		return types.NewText(f)
	}
	d, err := types.Input(nil, t.Base(), []byte(f))
	if err != nil {
		panic(fmt.Sprintf("pgcatalog: builtin: %s %q: %v", t.Format(), f, err))
	}
	return d
}

var unescape = strings.NewReplacer(`\\`, `\`, `\t`, "\t", `\n`, "\n", `\r`, "\r", `\b`, "\b", `\f`, "\f", `\v`, "\v")
