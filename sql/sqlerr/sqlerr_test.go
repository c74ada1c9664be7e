package sqlerr_test

import (
	"errors"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"sort"
	"strconv"
	"strings"
	"testing"

	"minidb/sql/sqlerr"
)

// A code that changes, goes or comes must be looked up in PostgreSQL's list and then be written to the golden file.
func TestCodesMatchTheGoldenTable(t *testing.T) {
	file, err := parser.ParseFile(token.NewFileSet(), "codes.go", nil, 0)
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	seen := map[string]string{}
	ast.Inspect(file, func(n ast.Node) bool {
		spec, ok := n.(*ast.ValueSpec)
		if !ok {
			return true
		}
		code, err := strconv.Unquote(spec.Values[0].(*ast.BasicLit).Value)
		if err != nil || len(code) != 5 || code != strings.ToUpper(code) {
			t.Errorf("%s: %q is no SQLSTATE", spec.Names[0], code)
		}
		if other := seen[code]; other != "" {
			t.Errorf("%s and %s are both %s", other, spec.Names[0], code)
		}
		seen[code] = spec.Names[0].Name
		got = append(got, code+" "+spec.Names[0].Name)
		return true
	})
	sort.Strings(got)
	raw, err := os.ReadFile("testdata/codes.golden")
	if err != nil {
		t.Fatal(err)
	}
	_, want, _ := strings.Cut(string(raw), "\n")
	if s := strings.Join(got, "\n") + "\n"; s != want {
		t.Errorf("codes.go and testdata/codes.golden differ; codes.go has:\n%s", s)
	}
}

func TestErrorKeepsItsFirstPositionAndItsCause(t *testing.T) {
	cause := errors.New("disk on fire")
	e := sqlerr.New(sqlerr.UndefinedColumn, "column %q does not exist", "x").At(8).At(3).WithCause(cause)
	wrapped := fmt.Errorf("planning: %w", e)
	got, ok := sqlerr.As(wrapped)
	if !ok || got.Position != 8 || got.Message != `column "x" does not exist` || got.Severity != sqlerr.SeverityError {
		t.Errorf("got %+v, %v", got, ok)
	}
	if !errors.Is(wrapped, cause) {
		t.Error("the cause is lost")
	}
	if s := e.Error(); s != `ERROR: column "x" does not exist (SQLSTATE 42703)` {
		t.Error(s)
	}
}

func TestMessageWithoutArgumentsIsTakenAsItIs(t *testing.T) {
	if e := sqlerr.New(sqlerr.SyntaxError, "100%d"); e.Message != "100%d" {
		t.Error(e.Message)
	}
}

func TestCodeOf(t *testing.T) {
	for _, c := range []struct {
		err  error
		want sqlerr.Code
	}{
		{nil, sqlerr.SuccessfulCompletion},
		{errors.New("x"), sqlerr.InternalError},
		{fmt.Errorf("x: %w", sqlerr.Unsupported("y")), sqlerr.FeatureNotSupported},
	} {
		if got := sqlerr.CodeOf(c.err); got != c.want {
			t.Errorf("%v: %s, want %s", c.err, got, c.want)
		}
	}
}
