package bulk

import (
	"sync"
	"time"
)

// progressEvery is the least time between two reports of one stage.
const progressEvery = 100 * time.Millisecond

// progress adds up how far an import is and tells the caller.
type progress struct {
	f    func(Progress)
	mu   sync.Mutex
	now  Progress
	told time.Time
}

func newProgress(r *Request) *progress {
	return &progress{f: r.Progress, now: Progress{TotalBytes: r.totalBytes()}}
}

func (p *progress) stage(s Stage) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.now.Stage = s
	p.tell(true)
}

// read adds rows and bytes that were taken in.
func (p *progress) read(rows, bytes int64) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.now.Rows += rows
	p.now.Bytes += bytes
	p.tell(false)
}

// built tells how many keys are in sstables.
func (p *progress) built(keys, total int64) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.now.Keys, p.now.TotalKeys = max(p.now.Keys, keys), total
	p.tell(false)
}

func (p *progress) tell(always bool) {
	if p.f == nil {
		return
	}
	if now := time.Now(); always || now.Sub(p.told) >= progressEvery {
		p.told = now
		p.f(p.now)
	}
}
