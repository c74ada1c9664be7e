package exec

import (
	"fmt"
	"testing"
)

func TestKeyTableNumbersKeys(t *testing.T) {
	var table keyTable
	for round, n := range []int{10, 5000, 10} {
		for i := range n + 1 {
			key := []byte(fmt.Sprint("key ", i))
			if i == n {
				key = nil
			}
			sum := hashKey(key)
			if got := table.find(key, sum); got != -1 {
				t.Fatalf("round %d: key %d is there, as %d", round, i, got)
			}
			if got := table.add(key, sum); got != i {
				t.Fatalf("round %d: key %d became %d", round, i, got)
			}
		}
		for i := range n {
			key := []byte(fmt.Sprint("key ", i))
			if got := table.find(key, hashKey(key)); got != i {
				t.Fatalf("round %d: key %d is %d", round, i, got)
			}
		}
		table.reset()
	}
}
