package main

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"

	"golang.org/x/perf/benchfmt"
)

// runner runs the benchmarks.
type runner struct {
	engines          []string
	bench, benchTime string
	count            int
	short            bool
	keys, loadMB     int64
	dir, binary      string
}

// run builds the benchmarks once and runs them round by round: each top-level one
// on every engine, one after the other, so that a machine that gets slower or
// faster does so for all.
func (r *runner) run() (*results, error) {
	build := exec.Command("go", "test", "-c", "-o", r.binary, "./engine")
	build.Stdout, build.Stderr = os.Stderr, os.Stderr
	if err := build.Run(); err != nil {
		return nil, fmt.Errorf("building the benchmarks: %w", err)
	}
	top, rest, hasRest := strings.Cut(r.bench, "/")
	list, err := exec.Command(r.binary, "-test.list", top).Output()
	if err != nil {
		return nil, fmt.Errorf("listing the benchmarks: %w", err)
	}
	res := &results{}
	for round := range r.count {
		for _, name := range strings.Fields(string(list)) {
			if !strings.HasPrefix(name, "Benchmark") {
				continue
			}
			pattern := "^" + name + "$"
			if hasRest {
				pattern += "/" + rest
			}
			for _, engine := range r.engines {
				fmt.Fprintf(os.Stderr, "round %d of %d: %s on %s\n", round+1, r.count, name, engine)
				if err := r.measure(res, engine, name, pattern); err != nil {
					return nil, fmt.Errorf("%s on %s: %w", name, engine, err)
				}
			}
		}
	}
	return res, nil
}

func (r *runner) measure(res *results, engine, name, pattern string) error {
	if err := os.MkdirAll(r.dir, 0o755); err != nil {
		return err
	}
	benchTime := r.benchTime
	if name == "BenchmarkLoad" {
		benchTime = "1x"
	}
	args := []string{
		"-test.run=^$", "-test.bench=" + pattern, "-test.benchtime=" + benchTime, "-test.timeout=0",
		"-engine=" + engine, "-dir=" + r.dir, fmt.Sprintf("-keys=%d", r.keys), fmt.Sprintf("-load-mb=%d", r.loadMB),
	}
	if r.short {
		args = append(args, "-test.short")
	}
	var out bytes.Buffer
	cmd := exec.Command(r.binary, args...)
	cmd.Stdout, cmd.Stderr = io.MultiWriter(&out, os.Stderr), os.Stderr
	if err := cmd.Run(); err != nil {
		return err
	}
	return res.read(engine, &out)
}

// read adds what engine's output says.
func (res *results) read(engine string, out io.Reader) error {
	r := benchfmt.NewReader(out, engine)
	for r.Scan() {
		switch rec := r.Result().(type) {
		case *benchfmt.Result:
			if cpu := rec.GetConfig("cpu"); cpu != "" {
				res.cpu = cpu
			}
			for _, v := range rec.Values {
				value, unit := v.Value, v.Unit
				if v.OrigUnit != "" {
					value, unit = v.OrigValue, v.OrigUnit
				}
				res.add(benchName(rec.Name), unit, engine, value)
			}
		case *benchfmt.SyntaxError:
			return rec
		}
	}
	return r.Err()
}

// benchName is a benchmark's name without the number of CPUs.
func benchName(n benchfmt.Name) string {
	name := n.String()
	if _, parts := n.Parts(); len(parts) > 0 {
		if last := string(parts[len(parts)-1]); strings.HasPrefix(last, "-") {
			name = strings.TrimSuffix(name, last)
		}
	}
	return name
}
