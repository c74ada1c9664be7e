package main

import (
	"fmt"
	"math"
	"runtime"
	"strings"

	"golang.org/x/perf/benchmath"
)

// results are the figures of all engines.
type results struct {
	cpu  string
	rows []*row // in the order of the first run
	byID map[rowID]*row
}

type rowID struct{ name, unit string }

// row is one figure of one benchmark.
type row struct {
	rowID
	values map[string][]float64 // by engine
}

func (res *results) add(name, unit, engine string, value float64) {
	id := rowID{name, unit}
	w := res.byID[id]
	if w == nil {
		w = &row{rowID: id, values: map[string][]float64{}}
		if res.byID == nil {
			res.byID = map[rowID]*row{}
		}
		res.byID[id] = w
		res.rows = append(res.rows, w)
	}
	w.values[engine] = append(w.values[engine], value)
}

// report is the table, in Markdown.
func (res *results) report(r *runner) string {
	var b strings.Builder
	fmt.Fprintf(&b, `# Benchmarks of the engine

Written by `+"`make bench-engine`"+`: medians of %d rounds in which the engines took turns, on %s, %d CPUs, %s.
Reads: %d keys. A row's ratio is how many times better the first engine is than the best of the
others, above 1 is better; "~" marks a difference that may be chance (Mann-Whitney U test, 5 %%).
Pebble has bloom filters, memtables and workers as minidb's, its defaults for the rest.
An unsynced write of minidb is with the operating system when it is answered, one of Pebble may still be in
its own memory. RocksDB is not measured: it needs a C++ toolchain.

`, r.count, res.cpu, runtime.NumCPU(), runtime.Version(), r.keys)
	fmt.Fprintf(&b, "| benchmark | unit | %s | ratio |\n", strings.Join(r.engines, " | "))
	fmt.Fprintf(&b, "|---|---%s|---|\n", strings.Repeat("|---", len(r.engines)))
	for _, w := range res.rows {
		fmt.Fprintf(&b, "| %s | %s |", strings.TrimPrefix(w.name, "Benchmark"), w.unit)
		for _, e := range r.engines {
			fmt.Fprintf(&b, " %s |", formatCell(w.values[e]))
		}
		fmt.Fprintf(&b, " %s |\n", w.ratio(r.engines))
	}
	return b.String()
}

// ratio compares the first engine with the best of the others.
func (w *row) ratio(engines []string) string {
	higher := strings.HasSuffix(w.unit, "/s")
	ours := w.values[engines[0]]
	if len(ours) == 0 {
		return ""
	}
	best, found := 0.0, false
	var peer []float64
	for _, e := range engines[1:] {
		if v := w.values[e]; len(v) > 0 {
			if c := median(v); !found || (c > best) == higher {
				best, peer, found = c, v, true
			}
		}
	}
	if !found {
		return ""
	}
	ratio := best / median(ours)
	if higher {
		ratio = median(ours) / best
	}
	if math.IsNaN(ratio) || math.IsInf(ratio, 0) || ratio == 0 {
		return "" // allocations, where one side has none
	}
	text := fmt.Sprintf("%.2f", ratio)
	if c := benchmath.AssumeNothing.Compare(sample(ours), sample(peer)); c.P >= c.Alpha {
		text += " ~"
	}
	return text
}

func sample(v []float64) *benchmath.Sample {
	return benchmath.NewSample(append([]float64(nil), v...), &benchmath.DefaultThresholds)
}

func median(v []float64) float64 { return benchmath.AssumeNothing.Summary(sample(v), 0.95).Center }

// formatCell is the median and how far its confidence interval reaches.
func formatCell(v []float64) string {
	if len(v) == 0 {
		return "–"
	}
	s := benchmath.AssumeNothing.Summary(sample(v), 0.95)
	return fmt.Sprintf("%.4g ± %s", s.Center, s.PctRangeString())
}
