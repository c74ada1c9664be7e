package main

import (
	"strings"
	"testing"
)

func TestReportComparesWithTheBestPeer(t *testing.T) {
	r := &runner{engines: []string{"ours", "row", "columnar"}, count: 6}
	res := &results{}
	for engine, lines := range map[string]string{
		"ours":     "BenchmarkGet/hit-2 100 50.0 ns/op 10.0 commits/s\nBenchmarkOwn 1 7 ns/op\n",
		"row":      "BenchmarkGet/hit-2 100 100 ns/op 40.0 commits/s\n",
		"columnar": "BenchmarkGet/hit-2 100 200 ns/op 20.0 commits/s\n",
	} {
		for range r.count {
			if err := res.read(engine, strings.NewReader("cpu: a CPU\n"+lines)); err != nil {
				t.Fatal(err)
			}
		}
	}
	got := res.report(r)
	for _, want := range []string{
		"on a CPU,",
		"| Get/hit | ns/op | 50 ± 0% | 100 ± 0% | 200 ± 0% | 2.00 |",
		"| Get/hit | commits/s | 10 ± 0% | 40 ± 0% | 20 ± 0% | 0.25 |",
		"| Own | ns/op | 7 ± 0% | – | – |  |",
	} {
		if !strings.Contains(got, want) {
			t.Errorf("no line with %q in\n%s", want, got)
		}
	}
}

func TestReportMarksWhatMayBeChance(t *testing.T) {
	r := &runner{engines: []string{"ours", "peer"}, count: 2}
	res := &results{}
	for i := range 4 {
		res.add("BenchmarkX", "ns/op", r.engines[i%2], float64(i))
	}
	if got := res.report(r); !strings.Contains(got, " ~ |") {
		t.Errorf("one round each is not marked as uncertain:\n%s", got)
	}
}
