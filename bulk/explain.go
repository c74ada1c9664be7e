package bulk

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"slices"
	"sync"

	"minidb/bulk/internal/source"
	"minidb/kv"
)

// Explain turns what says that a key came twice, a *kv.ConflictError or a
// *DuplicateKeyError without lines, into a *DuplicateKeyError with the files and
// lines of the records that have the key. For that it reads the files once more.
// If that does not find them, file and line stay empty. Any other error is
// returned as it is.
func Explain(ctx context.Context, r Request, err error) error {
	var conflict *kv.ConflictError
	var dup *DuplicateKeyError
	switch {
	case errors.As(err, &conflict):
		dup = &DuplicateKeyError{Key: conflict.Key, Existing: conflict.Existing}
	case errors.As(err, &dup) && dup.File == "":
		dup = &DuplicateKeyError{Key: dup.Key}
	default:
		return err
	}
	r.setDefaults()
	f := finder{r: &r, key: dup.Key, want: 2}
	if conflict != nil && conflict.Other < 0 {
		f.want = 1
	}
	switch scanErr := scan(ctx, &r, f.newWork); {
	case ctx.Err() != nil:
		return ctx.Err()
	case scanErr != nil:
		return dup // the files are no longer what they were
	}
	slices.SortFunc(f.found, func(a, b place) int {
		return cmp.Or(cmp.Compare(a.seq, b.seq), cmp.Compare(a.offset, b.offset))
	})
	if len(f.found) > 0 {
		at := f.found[min(len(f.found), f.want)-1]
		dup.File, dup.Line = at.file, at.line
	}
	if f.want == 2 && len(f.found) > 1 {
		dup.OtherFile, dup.OtherLine = f.found[0].file, f.found[0].line
	}
	return dup
}

// place is where a record is.
type place struct {
	seq    int
	file   string
	line   int64
	offset int64
}

// finder looks for the first records that have a key.
type finder struct {
	r    *Request
	key  []byte
	want int

	mu    sync.Mutex
	found []place
}

// finderWork is one goroutine's part.
type finderWork struct {
	f      *finder
	worker RowWorker
	found  []place // in this chunk
	rec    *Record
	emit   func(key, value []byte) error
}

func (f *finder) newWork() chunkWork {
	w := &finderWork{f: f, worker: f.r.Rows.NewWorker()}
	w.emit = func(key, _ []byte) error {
		if bytes.Equal(key, f.key) {
			w.found = append(w.found, place{file: w.rec.File, line: w.rec.Line, offset: w.rec.Offset})
		}
		return nil
	}
	return w
}

func (w *finderWork) record(rec *Record) error {
	w.rec = rec
	return w.worker.Encode(rec, w.emit)
}

// chunkDone stops the search when there are enough records: chunks before this one
// are in work already and are finished.
func (w *finderWork) chunkDone(c *source.Chunk) bool {
	w.f.mu.Lock()
	defer w.f.mu.Unlock()
	for _, p := range w.found {
		p.seq = c.Seq
		w.f.found = append(w.f.found, p)
	}
	w.found = w.found[:0]
	return len(w.f.found) >= w.f.want
}

func (w *finderWork) close() error { return nil }
