package kv

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"runtime"
	"slices"

	"golang.org/x/sync/errgroup"

	"minidb/kv/internal/resolver"
	"minidb/kv/mvcc"
	"minidb/sstable"
	"minidb/storage/vfs"
)

// commitTables commits by one ingest: the attached tables with the commit's
// timestamp in place of the placeholder, and the buffered writes as one
// more table.
//
// Later commits cannot be published before this one, so everything that can
// be done without the timestamp comes before it. A failure or a cancel before the
// ingest leaves neither files nor rows.
func (t *Txn) commitTables(ctx context.Context) error {
	if err := t.lockTables(ctx); err != nil {
		return err
	}
	if err := t.recheck(ctx); err != nil {
		return err
	}
	var keys resolver.Keys
	if err := t.db.enter(&t.slot, &keys, t.writtenSpans(), nil); err != nil {
		return err
	}
	paths, err := t.finalTables(ctx, t.slot.at)
	defer func() {
		for _, p := range paths {
			if e := t.db.o.FS.Remove(p); e != nil && !errors.Is(e, fs.ErrNotExist) {
				t.db.o.Logger.Warn("kv: remove a staged sstable", "path", p, "err", e)
			}
		}
	}()
	if err != nil {
		t.db.published.void(&t.slot)
		return err
	}
	return t.db.leave(&t.slot, t.db.eng.Ingest(paths))
}

// writtenSpans returns spans around everything the transaction writes.
func (t *Txn) writtenSpans() []resolver.Span {
	var spans []resolver.Span
	for _, a := range t.tables {
		spans = append(spans, resolver.Span(a.table.span))
	}
	var first, last []byte
	for key := range t.buf.all {
		if first == nil {
			first = key
		}
		last = key
	}
	if first != nil {
		spans = append(spans, resolver.Span{Start: bytes.Clone(first), End: append(bytes.Clone(last), 0)})
	}
	return spans
}

// lockTables stops grants in the spans of the attached tables and waits for those
// who hold keys in them.
func (t *Txn) lockTables(ctx context.Context) error {
	var spans []Span
	for _, a := range t.tables {
		spans = append(spans, a.table.span)
	}
	slices.SortFunc(spans, func(a, b Span) int { return bytes.Compare(a.Start, b.Start) })
	for _, s := range spans {
		if err := t.LockSpan(ctx, s, Update, Block); err != nil {
			return err
		}
	}
	return nil
}

// finalTables writes synced files with the timestamp at, ready for ingest, and
// returns the paths of all files that it made, also after an error.
func (t *Txn) finalTables(ctx context.Context, at Timestamp) (paths []string, err error) {
	g, ctx := errgroup.WithContext(ctx)
	workers := runtime.GOMAXPROCS(0)
	g.SetLimit(workers)
	// With few tables each gets several workers.
	each := max(1, workers/max(1, len(t.tables)))
	for _, a := range t.tables {
		name := t.db.stagedName()
		paths = append(paths, name)
		g.Go(func() error { return t.db.rewrite(ctx, a.table, name, at, each) })
	}
	if !t.buf.empty() {
		name := t.db.stagedName()
		paths = append(paths, name)
		g.Go(func() error {
			return t.db.writeFile(name, func(w io.Writer) error { return t.writeBuffer(ctx, w, at) })
		})
	}
	return paths, g.Wait()
}

// rewrite copies s to the file name with the timestamp at in every key.
func (db *DB) rewrite(ctx context.Context, s *SSTable, name string, at Timestamp, workers int) error {
	in, err := db.o.FS.Open(s.path)
	if err != nil {
		return err
	}
	err = db.writeFile(name, func(w io.Writer) error {
		_, err := sstable.RewriteSuffixes(in, int64(s.Bytes), cancelWriter{ctx, w}, placeholder, mvcc.Suffix(at),
			db.writerOptions(0), workers)
		return err
	})
	closeInto(&err, in)
	return err
}

// writeBuffer writes the buffered writes as a table.
func (t *Txn) writeBuffer(ctx context.Context, w io.Writer, at Timestamp) error {
	sw := sstable.NewWriter(cancelWriter{ctx, w}, t.db.writerOptions(0))
	var key []byte
	for k, value := range t.buf.all {
		key = mvcc.AppendKey(key[:0], k, at)
		if err := sw.Set(key, value); err != nil {
			sw.Abort()
			return err
		}
	}
	_, err := sw.Close()
	return err
}

// writeFile creates the file name, lets write fill it and syncs it.
func (db *DB) writeFile(name string, write func(io.Writer) error) (err error) {
	var f vfs.File
	if f, err = db.o.FS.Create(name); err != nil {
		return fmt.Errorf("stage an sstable: %w", err)
	}
	defer closeInto(&err, f)
	if err := write(f); err != nil {
		return err
	}
	return f.Sync()
}

// cancelWriter refuses writes once ctx has ended, so that a long copy stops.
type cancelWriter struct {
	ctx context.Context
	w   io.Writer
}

func (c cancelWriter) Write(p []byte) (int, error) {
	if c.ctx.Err() != nil {
		return 0, context.Cause(c.ctx)
	}
	return c.w.Write(p)
}
