package bulk

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"sync"

	"minidb/bulk/internal/source"
	"minidb/sql/sqlerr"
)

// chunksAhead is how many chunks are cut before somebody has time for them.
const chunksAhead = 2

// checkEvery is after how many records a worker looks whether to go on.
const checkEvery = 64

// chunkWork is what one goroutine of a scan does with chunks.
type chunkWork interface {
	record(*Record) error
	// chunkDone comes after a chunk's last record; stop tells that no later chunk
	// is needed.
	chunkDone(*source.Chunk) (stop bool)
	// close comes at the end, if there was no error.
	close() error
}

// scanner is a run over all records of a request's files.
type scanner struct {
	ctx    context.Context
	r      *Request
	chunks chan source.Chunk
	free   chan []byte // buffers of chunks that are done
	// end is the lowest chunk after which no more are needed, because of an error
	// in it or because it is enough.
	end lowest

	mu    sync.Mutex
	err   error
	errAt int64 // chunk of err
}

// scan gives all records to as many workers as the request has threads. Chunks are
// taken in order, so that of several errors the first in the input is the one
// that is returned.
func scan(ctx context.Context, r *Request, work func() chunkWork) error {
	o := source.SplitterOptions{
		FS: r.FS, Dir: r.Dir, Files: r.Files, Format: r.Format, Columns: r.Columns, ChunkBytes: r.chunkBytes(r.totalBytes()),
		MaxRecordBytes: int(max(r.MemoryBytes/8, minRecordBytes)),
	}
	sp, err := source.NewSplitter(o)
	if err != nil {
		return err
	}
	s := &scanner{
		ctx: ctx, r: r, errAt: math.MaxInt64, chunks: make(chan source.Chunk, chunksAhead),
		free: make(chan []byte, r.Threads+chunksAhead),
	}
	s.end.v.Store(math.MaxInt64)
	for range cap(s.free) {
		s.free <- nil
	}
	var wg sync.WaitGroup
	wg.Go(func() { s.split(sp) })
	works := make([]chunkWork, r.Threads)
	for i := range works {
		works[i] = work()
		wg.Go(func() { s.work(works[i]) })
	}
	wg.Wait()
	if err := ctx.Err(); err != nil {
		return err
	}
	if s.err != nil {
		return s.err
	}
	for _, w := range works {
		if err := w.close(); err != nil {
			return err
		}
	}
	return nil
}

// fail notes an error in a chunk.
func (s *scanner) fail(seq int64, err error) {
	s.mu.Lock()
	if seq < s.errAt {
		s.err, s.errAt = err, seq
	}
	s.mu.Unlock()
	s.end.tell(seq)
}

// split cuts the files into chunks until the end, or the first failure.
func (s *scanner) split(sp *source.Splitter) {
	defer close(s.chunks)
	defer sp.Close()
	for seq := int64(0); seq <= s.end.v.Load(); seq++ {
		var buf []byte
		select {
		case buf = <-s.free:
		case <-s.ctx.Done():
			return
		}
		c, err := sp.Next(buf)
		if errors.Is(err, io.EOF) {
			return
		}
		if err != nil {
			s.fail(seq, err)
			return
		}
		select {
		case s.chunks <- c:
		case <-s.ctx.Done():
			return
		}
	}
}

// work takes chunks apart until there are no more.
func (s *scanner) work(w chunkWork) {
	sc, err := source.NewScanner(s.r.Format, s.r.Columns)
	for c := range s.chunks {
		if seq := int64(c.Seq); err == nil && seq <= s.end.v.Load() {
			if e := s.chunk(sc, w, c); e != nil {
				s.fail(seq, e)
			} else if w.chunkDone(&c) {
				s.end.tell(seq)
			}
		}
		s.free <- c.Data[:0] // has room for all buffers there are
	}
	if err != nil {
		s.fail(0, err)
	}
}

// chunk gives the records of c to w.
func (s *scanner) chunk(sc *source.Scanner, w chunkWork, c source.Chunk) error {
	sc.Reset(c)
	for n := 1; ; n++ {
		rec, err := sc.Next()
		if err != nil || rec == nil {
			return err
		}
		if err := w.record(rec); err != nil {
			return err
		}
		if n%checkEvery == 0 {
			if err := s.ctx.Err(); err != nil {
				return err
			}
		}
	}
}

// at adds file and line to the error of a record.
func at(err error, rec *Record) error {
	where := source.Where(rec.File, rec.Line)
	e, ok := sqlerr.As(err)
	if !ok {
		return fmt.Errorf("%s: %w", where, err)
	}
	located := *e // may be shared
	if e.Where != "" {
		where += ", " + e.Where
	}
	located.Where = where
	return &located
}
