package parse

import (
	"flag"
	"fmt"
	"os"
	"reflect"
	"strings"
	"testing"
)

var update = flag.Bool("update", false, "write testdata/statements.golden anew")

// TestStatementTrees compares the trees of statements that do not print as SQL with
// testdata/statements.golden: a statement a line, and below it its tree.
func TestStatementTrees(t *testing.T) {
	const file = "testdata/statements.golden"
	data, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	var out strings.Builder
	for _, line := range strings.Split(string(data), "\n") {
		if strings.HasPrefix(line, "    ") || line == "" {
			continue
		}
		out.WriteString(line + "\n")
		if strings.HasPrefix(line, "#") {
			continue
		}
		stmts, err := Parse(line)
		if err != nil {
			fmt.Fprintf(&out, "    %v\n\n", err)
			continue
		}
		for _, s := range stmts {
			fmt.Fprintf(&out, "    %s\n", dump(reflect.ValueOf(s.AST)))
		}
		out.WriteString("\n")
	}
	if *update {
		if err := os.WriteFile(file, []byte(out.String()), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	if out.String() != string(data) {
		want, got := strings.Split(string(data), "\n"), strings.Split(out.String(), "\n")
		for i := range want {
			if i >= len(got) || want[i] != got[i] {
				t.Fatalf("%s:%d: %s\n got %s", file, i+1, want[i], got[min(i, len(got)-1)])
			}
		}
		t.Fatalf("%s differs at its end", file)
	}
}

// dump writes the fields of a tree that are not zero, without places; expressions and
// queries as SQL.
func dump(v reflect.Value) string {
	switch v.Kind() {
	case reflect.Interface:
		return dump(v.Elem())
	case reflect.Pointer:
		switch n := v.Interface().(type) {
		case *TypeName:
			return PrintType(n)
		case Node:
			if s := Print(n); s != "" {
				return s
			}
		}
		return dump(v.Elem())
	case reflect.Slice:
		items := make([]string, v.Len())
		for i := range items {
			items[i] = dump(v.Index(i))
		}
		return "[" + strings.Join(items, ", ") + "]"
	case reflect.Struct:
		if n, ok := v.Interface().(ObjectName); ok {
			p := &printer{}
			p.object(n)
			return string(p.b)
		}
		var fields []string
		for i := range v.NumField() {
			f, name := v.Field(i), v.Type().Field(i).Name
			if f.IsZero() || name == "Pos" || name == "stmtAt" || name == "At" || name == "FilesPos" {
				continue
			}
			fields = append(fields, name+": "+dump(f))
		}
		return v.Type().Name() + "{" + strings.Join(fields, ", ") + "}"
	case reflect.String:
		return fmt.Sprintf("%q", v.String())
	}
	return fmt.Sprint(v)
}
