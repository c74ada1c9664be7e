package main

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// codeSpan is what the documents set in backticks: package.Name, package.Type.Method
// or a path of this tree.
var codeSpan = regexp.MustCompile("`([a-z][A-Za-z0-9_/.]*)`")

// TestDocsNameWhatExists fails when a document names a symbol or a file of this
// module that is not there (any more).
func TestDocsNameWhatExists(t *testing.T) {
	symbols := walkSymbols(t)
	for _, doc := range []string{"README.md", "docs/architecture.md", "docs/life-of-an-import.md", "docs/life-of-an-insert.md", "docs/life-of-a-select.md"} {
		text, err := os.ReadFile(filepath.Join(moduleRoot, doc))
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range codeSpan.FindAllStringSubmatch(string(text), -1) {
			pkg, name, _ := strings.Cut(m[1], ".")
			switch {
			case strings.Contains(pkg, "/"):
				if _, err := os.Stat(filepath.Join(moduleRoot, m[1])); err != nil {
					t.Errorf("%s names %s: %v", doc, m[1], err)
				}
			case symbols[pkg] != nil && name != "" && !symbols[pkg][name]:
				t.Errorf("%s names %s, which does not exist", doc, m[1])
			}
		}
	}
}

// walkSymbols parses the module: package name → its top-level names, and
// "Type.Method" and "Type.Field".
func walkSymbols(t *testing.T) map[string]map[string]bool {
	symbols := map[string]map[string]bool{}
	fset := token.NewFileSet()
	err := filepath.WalkDir(moduleRoot, func(path string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir() && (d.Name() == "testdata" || d.Name() == "bench" || strings.HasPrefix(d.Name(), ".") && len(d.Name()) > 2):
			return fs.SkipDir
		case filepath.Ext(path) != ".go" || strings.HasSuffix(path, "_test.go"):
			return nil
		}
		f, err := parser.ParseFile(fset, path, nil, parser.SkipObjectResolution)
		if err != nil {
			return err
		}
		if symbols[f.Name.Name] == nil {
			symbols[f.Name.Name] = map[string]bool{}
		}
		for _, decl := range f.Decls {
			addSymbols(symbols[f.Name.Name], decl)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return symbols
}

func addSymbols(into map[string]bool, decl ast.Decl) {
	switch d := decl.(type) {
	case *ast.FuncDecl:
		if d.Recv == nil {
			into[d.Name.Name] = true
			return
		}
		recv := d.Recv.List[0].Type
		if star, ok := recv.(*ast.StarExpr); ok {
			recv = star.X
		}
		if id, ok := recv.(*ast.Ident); ok {
			into[id.Name+"."+d.Name.Name] = true
		}
	case *ast.GenDecl:
		for _, spec := range d.Specs {
			switch s := spec.(type) {
			case *ast.TypeSpec:
				into[s.Name.Name] = true
				addMembers(into, s)
			case *ast.ValueSpec:
				for _, n := range s.Names {
					into[n.Name] = true
				}
			}
		}
	}
}

// addMembers adds a struct's fields or an interface's methods.
func addMembers(into map[string]bool, s *ast.TypeSpec) {
	var list *ast.FieldList
	switch x := s.Type.(type) {
	case *ast.StructType:
		list = x.Fields
	case *ast.InterfaceType:
		list = x.Methods
	default:
		return
	}
	for _, f := range list.List {
		for _, n := range f.Names {
			into[s.Name.Name+"."+n.Name] = true
		}
	}
}
