package storage

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"minidb/storage/vfs"
)

// TestAscendingKeysMoveDownUnmerged: beside keys that come in any order, those that ascend on their side of a border go to the last level
// without being rewritten.
func TestAscendingKeysMoveDownUnmerged(t *testing.T) {
	o := smallOptions(vfs.NewMem())
	o.TargetFileBytes = 16 << 10
	o.Border = func(before, after []byte) bool { return before[0] != after[0] }
	db := openTest(t, o)
	rng := rand.New(rand.NewPCG(1, 2))
	value := make([]byte, 100)
	for round := range 30 {
		var facts []string
		for i := range 40 {
			for n := range value {
				value[n] = byte(rng.Uint32())
			}
			facts = append(facts, fmt.Sprintf("p%05d@%d=%x", 40*round+i, round+1, value))
			facts = append(facts, fmt.Sprintf("s%05d@%d=x", (40*round+i)*7919%10007, round+1))
		}
		put(t, db, SyncOS, facts...)
		must(t, db.Flush())
	}
	waitFor(t, func() bool {
		m := db.Metrics()
		return m.Running == 0 && m.L0Depth < 4 && m.Moves > 0
	})
	m := db.Metrics()
	if all := int64(30 * 40 * 200); m.CompactionWritten > all {
		t.Errorf("compactions wrote %d bytes, more than the %d of the rows: %d moves", m.CompactionWritten, all, m.Moves)
	}
}
