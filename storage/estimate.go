package storage

// estimateSteps is up to how many entries of a memtable are counted.
const estimateSteps = 4096

// EstimateEntries returns about how many entries [lower, upper) has, all versions
// counted: of files by the room that the span takes, of a memtable exactly up
// to a bound, beyond which it counts as a whole. It reads index blocks only.
func (db *DB) EstimateEntries(lower, upper []byte) (uint64, error) {
	if db.closed.Load() {
		return 0, ErrClosed
	}
	s := db.acquire()
	defer db.release(s)
	n := uint64(0)
	for _, m := range s.memtables() {
		it := m.NewIter(lower, upper)
		steps := 0
		for ok := it.First(); ok && steps < estimateSteps; ok = it.Next() {
			steps++
		}
		if steps == estimateSteps {
			steps = m.Len()
		}
		n += uint64(steps)
	}
	for _, files := range s.version.Levels {
		for _, f := range files {
			bytes, err := db.fileBytes(f, lower, upper)
			if err != nil {
				return 0, err
			}
			n += uint64(float64(f.Entries) * float64(bytes) / float64(max(f.Bytes, 1)))
		}
	}
	return n, nil
}
