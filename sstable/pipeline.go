package sstable

import "sync"

// pipeline does work on items in parallel and hands the results on in the order
// in which the items came:
//
//	item := p.next()   // a free item, reused with its buffers
//	…fill item…
//	err := p.submit()
//	…
//	err = p.finish()   // or p.stop() to give up
//
// next, submit, finish, stop and emit run on the caller's goroutine, work runs
// on up to workers others, each of which takes the next item that nobody has
// taken. At most the window of items is under way: next then waits for the
// oldest and emits it, while later ones are still being worked on. With fewer
// than two workers everything happens on the caller's goroutine. Goroutines
// start as items come, so that a short run starts none in vain.
type pipeline[T any] struct {
	work    func(*T)
	emit    func(*T) error
	workers int

	slots   []slot[T] // a ring; [head, head+busy) are under way
	head    int
	busy    int
	started int
	jobs    chan *slot[T]
	wg      sync.WaitGroup
	err     error // of emit; final
}

type slot[T any] struct {
	item T
	done chan struct{}
}

// windowPerWorker is how many items may be under way for each worker: one being
// worked on and slack for items of uneven size.
const windowPerWorker = 3

func newPipeline[T any](workers int, work func(*T), emit func(*T) error) *pipeline[T] {
	window := 1
	if workers > 1 {
		window = workers * windowPerWorker
	}
	return &pipeline[T]{work: work, emit: emit, workers: workers, slots: make([]slot[T], window)}
}

// next returns an item to fill and submit. An error of an earlier item's emit
// is reported by submit.
func (p *pipeline[T]) next() *T {
	if p.busy == len(p.slots) {
		p.emitOldest()
	}
	return &p.slots[(p.head+p.busy)%len(p.slots)].item
}

// submit gives the item of the last next to the workers.
func (p *pipeline[T]) submit() error {
	if p.err != nil {
		return p.err
	}
	s := &p.slots[(p.head+p.busy)%len(p.slots)]
	if p.workers < 2 {
		p.work(&s.item)
		p.err = p.emit(&s.item)
		return p.err
	}
	if p.jobs == nil {
		p.jobs = make(chan *slot[T], len(p.slots))
	}
	if s.done == nil {
		s.done = make(chan struct{}, 1)
	}
	if p.started < p.workers {
		p.started++
		p.wg.Add(1)
		go p.run()
	}
	p.busy++
	p.jobs <- s
	for p.busy > 0 && len(p.slots[p.head].done) > 0 {
		p.emitOldest()
	}
	return p.err
}

func (p *pipeline[T]) run() {
	defer p.wg.Done()
	for s := range p.jobs {
		p.work(&s.item)
		s.done <- struct{}{}
	}
}

// emitOldest waits for the oldest item under way and emits it, unless an emit
// has failed before.
func (p *pipeline[T]) emitOldest() {
	s := &p.slots[p.head]
	<-s.done
	p.head = (p.head + 1) % len(p.slots)
	p.busy--
	if p.err == nil {
		p.err = p.emit(&s.item)
	}
}

// finish emits everything and ends the goroutines.
func (p *pipeline[T]) finish() error {
	for p.busy > 0 {
		p.emitOldest()
	}
	p.stop()
	return p.err
}

// stop ends the goroutines; items under way are dropped.
func (p *pipeline[T]) stop() {
	if p.jobs != nil {
		close(p.jobs)
		p.wg.Wait()
		p.jobs = nil
	}
	p.busy = 0
}
