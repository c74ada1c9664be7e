package main

import (
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// mayImport is the import table: which packages of the module a package may
// use. Tests may also use what testsMayImport adds.
var mayImport = map[string][]string{
	"sstable/internal/block":  {},
	"sstable/internal/filter": {},
	"sstable":                 {"sstable/internal/block", "sstable/internal/filter"},

	"storage/vfs":               {},
	"storage/internal/cache":    {"sstable"},
	"storage/internal/wal":      {"storage/vfs", "sstable"},
	"storage/internal/manifest": {"storage/vfs", "sstable", "storage/internal/wal"},
	"storage/internal/memtable": {"sstable"},
	"storage/internal/iterator": {"sstable"},
	"storage/internal/compact":  {"storage/internal/manifest"},
	"storage":                   {"sstable", "storage/vfs", "storage/internal/*"},

	"kv/mvcc":              {"storage"},
	"kv/internal/lock":     {},
	"kv/internal/resolver": {"kv/mvcc"},
	"kv":                   {"storage", "storage/vfs", "sstable", "kv/mvcc", "kv/internal/*"},

	"sql/sqlerr":  {},
	"sql/types":   {"sql/sqlerr"},
	"sql/scram":   {},
	"sql/catalog": {"kv", "sql/types", "sql/sqlerr"},
	"sql/rowenc":  {"sql/catalog", "sql/types", "sql/sqlerr", "kv"},

	"bulk/internal/source": {"sql/sqlerr", "sql/types", "storage/vfs"},
	"bulk/internal/sorter": {"sstable", "storage/vfs"},
	"bulk/internal/build":  {"kv", "storage/vfs", "bulk/internal/sorter"},
	"bulk":                 {"kv", "storage/vfs", "sql/sqlerr", "bulk/internal/*"},

	"sql/internal/parse":     {"sql/sqlerr"},
	"sql/internal/expr":      {"sql/internal/parse", "sql/types", "sql/sqlerr"},
	"sql/internal/pgcatalog": {"sql/internal/expr", "sql/internal/parse", "sql/types", "sql/catalog", "sql/sqlerr"},
	"sql/internal/plan":      {"sql/internal/pgcatalog", "sql/internal/parse", "sql/internal/expr", "sql/types", "sql/catalog", "sql/rowenc", "sql/sqlerr", "kv"},
	"sql/internal/copyfmt":   {"sql/types", "sql/sqlerr"},
	"sql/internal/jobs":      {"kv", "sql/types", "sql/catalog", "sql/sqlerr"},
	"sql/internal/exec":      {"sql/internal/pgcatalog", "sql/internal/parse", "sql/internal/plan", "sql/internal/expr", "sql/internal/jobs", "sql/internal/copyfmt", "sql/types", "sql/catalog", "sql/rowenc", "sql/scram", "sql/sqlerr", "kv", "bulk", "storage/vfs"},
	"sql":                    {"sql/internal/*", "sql/types", "sql/catalog", "sql/rowenc", "sql/scram", "sql/sqlerr", "kv", "storage/vfs"},

	"pgwire":     {"sql", "sql/types", "sql/scram", "sql/sqlerr"},
	"cmd/minidb": {"pgwire", "sql", "sql/rowenc", "kv", "kv/mvcc", "storage/vfs", "sstable"},
}

// testsMayImport holds what the tests of a package use beyond mayImport, such
// as the file system in memory.
var testsMayImport = map[string][]string{
	"sql/catalog":       {"storage/vfs"},
	"sql/internal/jobs": {"storage/vfs"},
	"pgwire":            {"kv", "storage/vfs"},
}

// onlyImporter names the one package that may use a library.
var onlyImporter = map[string]string{
	"github.com/pingcap/tidb/pkg/parser": "sql/internal/parse",
	"github.com/jackc/pgproto3/v2":       "pgwire",
}

// topLevel is what may stand at the module's root, beside dot-files.
var topLevel = []string{
	"go.mod", "go.sum", "cmd", "sql", "pgwire", "kv", "storage", "sstable", "bulk", "bench", "docs",
	"Makefile", "README.md", "CHANGELOG.md", "LICENSE",
}

const moduleRoot = "../.."

func TestLayout(t *testing.T) {
	for _, name := range entries(t) {
		if !strings.HasPrefix(name, ".") && name != "bin" && !slices.Contains(topLevel, name) {
			t.Errorf("%s does not belong at the top level", name)
		}
	}
	packages := walkPackages(t)
	for pkg := range mayImport {
		if packages[pkg] == nil {
			t.Errorf("the import table has a row for %s, which is no package", pkg)
		}
	}
	for pkg, files := range packages {
		if _, ok := mayImport[pkg]; !ok {
			t.Errorf("package %s has no row in the import table", pkg)
			continue
		}
		documented := false
		used := map[string]bool{}
		for name, f := range files {
			isTest := strings.HasSuffix(name, "_test.go")
			documented = documented || f.documented && !isTest
			for _, imp := range f.imports {
				checkImport(t, pkg, name, imp, isTest, used)
			}
		}
		if !documented {
			t.Errorf("package %s has no package comment", pkg)
		}
		for _, row := range slices.Concat(mayImport[pkg], testsMayImport[pkg]) {
			if !used[row] {
				t.Errorf("the import table lets %s use %s, which it does not", pkg, row)
			}
		}
	}
}

// checkImport checks one import of pkg's file and marks the rows that allow it.
func checkImport(t *testing.T, pkg, file, imp string, isTest bool, used map[string]bool) {
	for lib, owner := range onlyImporter {
		if (imp == lib || strings.HasPrefix(imp, lib+"/")) && pkg != owner {
			t.Errorf("%s/%s imports %s; only %s may", pkg, file, imp, owner)
		}
	}
	own, ok := strings.CutPrefix(imp, "minidb/")
	if !ok || own == pkg {
		return
	}
	rows := mayImport[pkg]
	if isTest {
		rows = slices.Concat(rows, testsMayImport[pkg])
	}
	allowed := false
	for _, row := range rows {
		if match, err := path.Match(row, own); err == nil && match {
			used[row], allowed = true, true
		}
	}
	if !allowed {
		t.Errorf("%s/%s imports %s, which the import table does not allow", pkg, file, own)
	}
}

type sourceFile struct {
	documented bool
	imports    []string
}

// walkPackages parses the imports and comments of every Go file below the
// module's root: package path → file name → facts. It reads the tree itself,
// so that the test cache sees every file it depends on.
func walkPackages(t *testing.T) map[string]map[string]sourceFile {
	packages := map[string]map[string]sourceFile{}
	fset := token.NewFileSet()
	err := filepath.WalkDir(moduleRoot, func(p string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		rel, err := filepath.Rel(moduleRoot, p)
		if err != nil {
			return err
		}
		if d.IsDir() {
			if name := d.Name(); rel != "." && (strings.HasPrefix(name, ".") || name == "testdata" || name == "bin" || name == "bench") {
				return fs.SkipDir
			}
			return nil
		}
		if filepath.Ext(p) != ".go" {
			return nil
		}
		f, err := parser.ParseFile(fset, p, nil, parser.ImportsOnly|parser.ParseComments)
		if err != nil {
			return err
		}
		facts := sourceFile{documented: f.Doc != nil}
		for _, imp := range f.Imports {
			facts.imports = append(facts.imports, strings.Trim(imp.Path.Value, `"`))
		}
		pkg := filepath.ToSlash(filepath.Dir(rel))
		if packages[pkg] == nil {
			packages[pkg] = map[string]sourceFile{}
		}
		packages[pkg][d.Name()] = facts
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return packages
}

func entries(t *testing.T) []string {
	list, err := os.ReadDir(moduleRoot)
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, e := range list {
		names = append(names, e.Name())
	}
	return names
}
