package plan

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"
)

// JSON is the explanation as PostgreSQL prints it in JSON.
func (x *Explanation) JSON() string {
	w := &jsonWriter{named: x.named}
	w.open("", '[')
	w.open("", '{')
	x.json(w, "Plan", x.root, subPlan{})
	if x.options.Settings {
		w.open("Settings", '{')
		w.close('}')
	}
	if x.options.Summary {
		w.number("Planning Time", ms(x.options.Planning), 3)
	}
	if x.options.Analyze != nil {
		w.open("Triggers", '[')
		w.close(']')
		if x.options.Summary {
			w.number("Execution Time", ms(x.options.Execution), 3)
		}
	}
	w.close('}')
	w.close(']')
	return string(w.out)
}

// json writes a node, which is to the one above it what as says.
func (x *Explanation) json(w *jsonWriter, key string, s *shown, as subPlan) {
	w.open(key, '{')
	w.property(property{"Node Type", s.kind})
	w.properties(s.class)
	w.property(property{"Parent Relationship", as.of})
	w.property(property{"Subplan Name", as.name})
	w.property(property{"Parallel Aware", false})
	w.property(property{"Async Capable", false})
	w.properties(s.target)
	if x.options.Estimates && s.rows > 0 {
		w.number("Plan Rows", s.rows, 0)
	}
	if m, ok := x.measured(s); ok {
		if x.options.Timing {
			w.number("Actual Startup Time", m.startupMS, 3)
			w.number("Actual Total Time", m.totalMS, 3)
		}
		w.number("Actual Rows", m.rows, 0)
		w.number("Actual Loops", float64(m.loops), 0)
	}
	w.properties(x.shownProperties(s))
	if children := s.children(); len(children) > 0 {
		w.open("Plans", '[')
		for _, c := range children {
			x.json(w, "", c.root, c)
		}
		w.close(']')
	}
	w.close('}')
}

// jsonWriter writes JSON with a value a line.
type jsonWriter struct {
	out   []byte
	depth int
	more  bool // the object or array at hand has a member
	named func(string) string
}

// begin begins a member, in an array without a key.
func (w *jsonWriter) begin(key string) {
	if w.more {
		w.out = append(w.out, ',')
	}
	if len(w.out) > 0 {
		w.out = append(w.out, "\n"+strings.Repeat("  ", w.depth)...)
	}
	w.more = true
	if key != "" {
		w.out = append(append(w.out, w.quote(key)...), ": "...)
	}
}

func (w *jsonWriter) open(key string, bracket byte) {
	w.begin(key)
	w.out = append(w.out, bracket)
	w.depth, w.more = w.depth+1, false
}

func (w *jsonWriter) close(bracket byte) {
	w.depth, w.more = w.depth-1, true
	w.out = append(append(w.out, "\n"+strings.Repeat("  ", w.depth)...), bracket)
}

func (w *jsonWriter) quote(s string) string {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(w.named(s)); err != nil {
		panic(err) // a string has a JSON form
	}
	return strings.TrimSuffix(b.String(), "\n")
}

func (w *jsonWriter) list(list []string) string {
	parts := make([]string, len(list))
	for i, s := range list {
		parts[i] = w.quote(s)
	}
	return "[" + joined(parts) + "]"
}

func (w *jsonWriter) raw(key, text string) {
	w.begin(key)
	w.out = append(w.out, text...)
}

func (w *jsonWriter) number(key string, v float64, digits int) {
	w.raw(key, fmt.Sprintf("%.*f", digits, v))
}

func (w *jsonWriter) properties(list []property) {
	for _, p := range list {
		w.property(p)
	}
}

func (w *jsonWriter) property(p property) {
	switch v := p.value.(type) {
	case string:
		if v != "" {
			w.raw(p.name, w.quote(v))
		}
	case []string:
		if len(v) > 0 {
			w.raw(p.name, w.list(v))
		}
	case bool:
		w.raw(p.name, fmt.Sprint(v))
	case removed:
		w.number(p.name, float64(v), 0)
	case groupingSets:
		w.open(p.name, '[')
		for _, keys := range v.hash {
			w.groupingSet("Hash Keys", keys)
		}
		for range v.empty {
			w.groupingSet("Group Keys", nil)
		}
		w.close(']')
	}
}

func (w *jsonWriter) groupingSet(name string, keys []string) {
	w.open("", '{')
	w.open(name, '[')
	w.raw("", w.list(keys))
	w.close(']')
	w.close('}')
}
