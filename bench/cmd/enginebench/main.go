// Command enginebench runs the benchmarks of minidb/bench/engine on minidb and its
// peers in turn, prints a table with ratios and writes it to docs/benchmarks.md.
package main

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

func main() {
	r := runner{}
	engines := flag.String("engines", "minidb,pebble-row,pebble-columnar", "the engines, ours first")
	out := flag.String("out", "../docs/benchmarks.md", "the file for the table; empty: none")
	flag.StringVar(&r.bench, "bench", ".", "run only benchmarks that match this, as go test's -bench; no | across slashes")
	flag.StringVar(&r.benchTime, "benchtime", "1s", "as go test's; benchmarks of whole loads always run once")
	flag.IntVar(&r.count, "count", 6, "rounds over all engines")
	flag.BoolVar(&r.short, "short", false, "leave out what takes long to build")
	flag.Int64Var(&r.keys, "keys", 5_000_000, "keys of the store that reads are measured on")
	flag.Int64Var(&r.loadMB, "load-mb", 2048, "MiB that the load benchmark writes")
	flag.StringVar(&r.dir, "dir", "", "where stores are built, and found again by a later run; empty: temporary")
	flag.Parse()
	r.engines = strings.Split(*engines, ",")
	if err := run(&r, *out); err != nil {
		fmt.Fprintln(os.Stderr, "enginebench:", err)
		os.Exit(1)
	}
}

func run(r *runner, out string) error {
	temp, err := os.MkdirTemp("", "enginebench")
	if err != nil {
		return err
	}
	defer os.RemoveAll(temp)
	if r.dir == "" {
		r.dir = filepath.Join(temp, "stores")
	}
	r.binary = filepath.Join(temp, "engine.test")
	results, err := r.run()
	if err != nil {
		return err
	}
	report := results.report(r)
	fmt.Print(report)
	if out == "" {
		return nil
	}
	return os.WriteFile(out, []byte(report), 0o644)
}
