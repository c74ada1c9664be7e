package compact

import (
	"fmt"
	"strings"
	"testing"

	"github.com/cockroachdb/datadriven"

	"minidb/storage/internal/manifest"
)

// TestPicker runs scripts over versions written as lines "L1: a-f=100 g-m=50*",
// a span, a size, and a star for a file that is being compacted.
func TestPicker(t *testing.T) {
	var v *manifest.Version
	var claims map[int]manifest.Span
	busy := func(level int, span manifest.Span) bool {
		c, ok := claims[level]
		return ok && c.Overlaps(span)
	}
	o := Options{BaseBytes: 100, L0Depth: 2, MaxInputBytes: 1000}
	datadriven.RunTest(t, "testdata/picker", func(t *testing.T, d *datadriven.TestData) string {
		switch d.Cmd {
		case "version":
			v = parseVersion(t, d.Input)
			claims = map[int]manifest.Span{}
			return ""
		case "busy":
			var level int
			var span string
			d.ScanArgs(t, "level", &level)
			d.ScanArgs(t, "span", &span)
			claims[level] = parseSpan(span)
			return ""
		case "pick":
			return showJob(Pick(v, o, busy))
		case "all":
			var span string
			d.ScanArgs(t, "span", &span)
			j, ok := All(v, parseSpan(span), busy)
			if !ok {
				return "somebody is at work\n"
			}
			return showJob(j)
		case "targets":
			base, targets := Targets(v, o)
			return fmt.Sprintf("base L%d, %v\n", base, targets[base:])
		case "ingest":
			var span string
			d.ScanArgs(t, "span", &span)
			return fmt.Sprintf("L%d\n", IngestLevel(v, parseSpan(span), busy))
		}
		t.Fatalf("unknown command %s", d.Cmd)
		return ""
	})
}

func parseSpan(s string) manifest.Span {
	first, last, _ := strings.Cut(s, "-")
	return manifest.Span{First: []byte(first), Last: []byte(last)}
}

func parseVersion(t *testing.T, input string) *manifest.Version {
	t.Helper()
	e := &manifest.Edit{}
	for line := range strings.Lines(input) {
		head, files, _ := strings.Cut(strings.TrimSpace(line), ":")
		var level int
		if _, err := fmt.Sscanf(head, "L%d", &level); err != nil {
			t.Fatal(err)
		}
		for _, s := range strings.Fields(files) {
			s, busy := strings.CutSuffix(s, "*")
			span, size, _ := strings.Cut(s, "=")
			f := &manifest.File{
				Num: uint64(len(e.Added) + 1), Compacting: busy,
				Smallest: append(parseSpan(span).First, "00000000"...),
				Largest:  append(parseSpan(span).Last, "99999999"...),
			}
			if _, err := fmt.Sscan(size, &f.Bytes); err != nil {
				t.Fatal(err)
			}
			e.Added = append(e.Added, manifest.Added{Level: level, File: f})
		}
	}
	v, err := (*manifest.Version)(nil).Apply(e)
	if err != nil {
		t.Fatal(err)
	}
	return v
}

func showJob(j *Job) string {
	if j == nil {
		return "nothing\n"
	}
	var out strings.Builder
	for level, files := range j.Inputs {
		if len(files) == 0 {
			continue
		}
		fmt.Fprintf(&out, "L%d:", level)
		for _, f := range files {
			fmt.Fprintf(&out, " %s-%s", f.Span().First, f.Span().Last)
		}
		out.WriteString("\n")
	}
	fmt.Fprintf(&out, "to L%d over %s-%s", j.Output, j.Span.First, j.Span.Last)
	if j.Moves() {
		out.WriteString(", a move")
	}
	if j.Score > 0 {
		fmt.Fprintf(&out, ", score %.2f", j.Score)
	}
	return out.String() + "\n"
}
