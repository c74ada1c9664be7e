package exec

import (
	"fmt"
	"testing"
)

func TestKeySetTellsNewKeysFromOld(t *testing.T) {
	var s keySet
	for round, n := range []int{10, 5000, 10} {
		for _, first := range []bool{true, false} {
			for i := range n {
				if got := s.add([]byte(fmt.Sprint("key ", i))); got != first {
					t.Fatalf("round %d: key %d is new: %t", round, i, got)
				}
			}
		}
		if !s.add(nil) || s.add(nil) {
			t.Fatalf("round %d: the empty key", round)
		}
		s.reset()
	}
}
