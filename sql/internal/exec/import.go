package exec

import (
	"context"
	"errors"
	"slices"
	"strings"

	"minidb/bulk"
	"minidb/kv"
	"minidb/sql/catalog"
	"minidb/sql/internal/jobs"
	"minidb/sql/internal/parse"
	"minidb/sql/internal/plan"
	"minidb/sql/rowenc"
	"minidb/sql/sqlerr"
	"minidb/storage/vfs"
)

// Import is an IMPORT INTO that was looked at and is ready to run as a job, in a transaction of its own.
type Import struct {
	env     *Env // without a transaction
	st      *parse.ImportStmt
	fs      vfs.FS
	dir     string
	files   []string
	options importOptions
}

// nodelocal begins the paths of files in the server's import directory, as other systems write them.
const nodelocal = "nodelocal://"

// NewImport looks at an IMPORT INTO: options, files, table and columns. Env's Txn and View serve only that look. fs and dir are where
// files may be read; fs may be nil.
//
// Errors: 42P01, 42703, 42601, 42501, 58P01 and others, with positions.
func NewImport(ctx context.Context, env *Env, st *parse.ImportStmt, fs vfs.FS, dir string) (*Import, error) {
	if fs == nil || dir == "" {
		return nil, sqlerr.New(sqlerr.FeatureNotSupported, "the server has no import directory")
	}
	// The server reads the files, whoever asks.
	who, err := env.View.Acting(ctx)
	if err != nil {
		return nil, err
	}
	if !who.Role.Superuser {
		return nil, denied("must be superuser to import files of the server")
	}
	own := *env
	own.Txn, own.View = nil, nil
	i := &Import{env: &own, st: st, fs: fs, dir: dir}
	if i.options, err = parseImportOptions(env, st); err != nil {
		return nil, err
	}
	t, err := i.lookup(ctx, env.View)
	if err != nil {
		return nil, err
	}
	if _, err := copyColumns(t, i.st.Columns, "IMPORT INTO"); err != nil {
		return nil, err
	}
	var patterns []string
	for n, file := range st.Files {
		p, err := importPath(file)
		if err != nil {
			return nil, env.At(err, st.FilesPos[n])
		}
		patterns = append(patterns, p)
	}
	if i.files, err = bulk.Expand(fs, dir, patterns); err != nil {
		return nil, err
	}
	return i, nil
}

// importPath is a path relative to the import directory.
func importPath(file string) (string, error) {
	rest, ok := strings.CutPrefix(file, nodelocal)
	if !ok {
		if scheme, _, ok := strings.Cut(file, "://"); ok {
			return "", sqlerr.Unsupported("importing from " + scheme + "://")
		}
		return file, nil
	}
	node, path, ok := strings.Cut(rest, "/")
	if !ok || (node != "1" && node != "self") {
		return "", sqlerr.New(sqlerr.InvalidParameterValue, "a path in the import directory is %s1/…, not \"%s\"", nodelocal, file)
	}
	return path, nil
}

// lookup finds the table and locks it against DDL.
func (i *Import) lookup(ctx context.Context, view *catalog.View) (*catalog.Table, error) {
	r, _, err := plan.LookupRelation(ctx, view, i.env.Database, i.env.SearchPath, i.st.Table.Name, kv.TableRowExclusive)
	if err != nil {
		return nil, i.env.At(err, i.st.Table.Name.Pos)
	}
	if r.Index != nil {
		return nil, i.env.At(sqlerr.New(sqlerr.WrongObjectType, "cannot import into index \"%s\"", i.st.Table.Name.Name), i.st.Table.Name.Pos)
	}
	if r.Table.Kind != catalog.KindTable {
		return nil, i.env.At(sqlerr.New(sqlerr.WrongObjectType, "cannot import into %s \"%s\"", r.Table.Kind, r.Table.Name), i.st.Table.Name.Pos)
	}
	return r.Table, nil
}

// Run imports, and commits the rows together with the job's row of success. Store is the catalog.
func (i *Import) Run(ctx context.Context, store *catalog.Store, job *jobs.Job) error {
	txn, err := i.env.KV.Begin(kv.TxnOptions{})
	if err != nil {
		return err
	}
	defer txn.Rollback()
	view := store.View(txn)
	view.ActAs(i.env.UserOID, i.env.Database.ID)
	t, err := i.lookup(ctx, view)
	if err != nil {
		return err
	}
	txn.NextStatement()
	schema, err := view.SchemaByID(ctx, t.Schema)
	if err != nil {
		return err
	}
	i.env.schema = schema.Name
	rows, err := i.rowPlan(ctx, view, t)
	if err != nil {
		return err
	}
	format, err := i.options.formatFor(t, rows.names())
	if err != nil {
		return err
	}
	empty, err := isEmpty(ctx, txn, t)
	if err != nil {
		return err
	}
	req := bulk.Request{
		DB: i.env.KV, Txn: txn, FS: i.fs, Dir: i.dir, Files: i.files, Columns: rows.names(), Format: format, Rows: rows,
		Borders: indexBorders(t), Threads: i.options.threads,
		Progress: func(p bulk.Progress) { job.Progress(jobProgress(p)) },
	}
	result, err := bulk.Import(ctx, req)
	if err != nil {
		return i.explain(ctx, req, t, err)
	}
	if err := addRows(ctx, view, t, result.Rows, empty); err != nil {
		return err
	}
	done := jobs.Progress{Fraction: 1, Rows: result.Rows, Bytes: result.Bytes}
	if err := job.Succeed(txn, done); err != nil {
		return err
	}
	if err := txn.Commit(ctx); err != nil {
		return i.explain(ctx, req, t, err)
	}
	view.Committed()
	return nil
}

// indexBorders are the keys at which the files of one index end.
func indexBorders(t *catalog.Table) [][]byte {
	var out [][]byte
	for _, x := range t.AllIndexes() {
		out = append(out, rowenc.IndexPrefix(t.ID, x.ID))
	}
	slices.SortFunc(out, func(a, b []byte) int { return strings.Compare(string(a), string(b)) })
	return out
}

// jobProgress is the part of the whole that the stages before and the present one have done: reading is most of it.
func jobProgress(p bulk.Progress) jobs.Progress {
	out := jobs.Progress{Rows: p.Rows, Bytes: p.Bytes, Stage: string(p.Stage)}
	part := func(done, all int64) float64 {
		if all <= 0 {
			return 0
		}
		return float64(done) / float64(all)
	}
	switch p.Stage {
	case bulk.StageReading:
		out.Fraction = 0.7 * part(p.Bytes, p.TotalBytes)
	case bulk.StageBuilding:
		out.Fraction = 0.7 + 0.25*part(p.Keys, p.TotalKeys)
	default:
		out.Fraction = 0.95
	}
	return out
}

// explain turns a duplicate key into 23505 with constraint, key, file and line.
func (i *Import) explain(ctx context.Context, req bulk.Request, t *catalog.Table, err error) error {
	if err == nil {
		return nil
	}
	err = bulk.Explain(ctx, req, err)
	var dup *bulk.DuplicateKeyError
	if !errors.As(err, &dup) {
		return err
	}
	shown := duplicateOf(i.env, t, dup.Key)
	e, ok := sqlerr.As(shown)
	if !ok {
		return shown
	}
	e.WithCause(err)
	switch {
	case dup.OtherFile != "":
		e.WithWhere("file \"%s\", line %d, and file \"%s\", line %d", dup.File, dup.Line, dup.OtherFile, dup.OtherLine)
	case dup.File != "":
		e.WithWhere("file \"%s\", line %d", dup.File, dup.Line)
	}
	return e
}
