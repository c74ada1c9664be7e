package source

import (
	"bytes"
	"compress/gzip"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/klauspost/compress/zstd"
	"pgregory.net/rapid"

	"minidb/sql/sqlerr"
	"minidb/storage/vfs"
)

// write makes a file in a memory file system.
func write(t testing.TB, fs vfs.FS, name string, data []byte) {
	t.Helper()
	f, err := fs.Create(name)
	if err == nil {
		_, err = f.Write(data)
	}
	if err != nil {
		t.Fatal(err)
	}
	if err := f.Close(); err != nil {
		t.Fatal(err)
	}
}

// read returns all records of files, a field as %q, a NULL as -, the line before.
func read(fs vfs.FS, f Format, columns []string, chunk int, files ...string) (rows []string, err error) {
	sp, err := NewSplitter(SplitterOptions{FS: fs, Files: files, Format: f, ChunkBytes: chunk, MaxRecordBytes: 1 << 20})
	if err != nil {
		return nil, err
	}
	defer sp.Close()
	sc, err := NewScanner(f, columns)
	if err != nil {
		return nil, err
	}
	for seq := 0; ; seq++ {
		c, err := sp.Next(nil)
		if errors.Is(err, io.EOF) {
			return rows, nil
		}
		if err != nil {
			return rows, err
		}
		if c.Seq != seq {
			return rows, fmt.Errorf("chunk %d comes as the %dth", c.Seq, seq)
		}
		sc.Reset(c)
		for {
			rec, err := sc.Next()
			if err != nil {
				return rows, err
			}
			if rec == nil {
				break
			}
			rows = append(rows, show(rec))
		}
	}
}

func show(rec *Record) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%d:", rec.Line)
	for i, f := range rec.Fields {
		if rec.Null[i] {
			b.WriteString(" -")
		} else {
			fmt.Fprintf(&b, " %q", f)
		}
	}
	return b.String()
}

func TestRecordsFollowCopyCSV(t *testing.T) {
	pipes := Format{Delimiter: '|', Null: "\\N"}
	backslash := Format{Escape: '\\'}
	for _, c := range []struct {
		name, in string
		f        Format
		want     []string
	}{
		{"plain", "a,b\nc,d\n", Format{}, []string{`1: "a" "b"`, `2: "c" "d"`}},
		{"no line end at the end", "a,b\nc,d", Format{}, []string{`1: "a" "b"`, `2: "c" "d"`}},
		{"nothing", "", Format{}, nil},
		{"empty line is one empty field", "a\n\nb\n", Format{}, []string{`1: "a"`, `2: -`, `3: "b"`}},
		{"empty is NULL unless quoted", "a,,\"\",\n", Format{}, []string{`1: "a" - "" -`}},
		{"another NULL", "\\N|\"\\N\"||x\n", pipes, []string{`1: - "\\N" "" "x"`}},
		{"spaces are kept", " a , \"b\" \n", Format{}, []string{`1: " a " " b "`}},
		{"doubled quotes", "\"say \"\"hi\"\"\",x\n", Format{}, []string{`1: "say \"hi\"" "x"`}},
		{"quotes within a field", "a\"b,c\"d,e\n", Format{}, []string{`1: "ab,cd" "e"`}},
		{"adjoining quoted parts", "\"a\"b\"c\"\n", Format{}, []string{`1: "abc"`}},
		{"other escape", "\"a\\\"b\\\\c\\d\",\"\"\n", backslash, []string{`1: "a\"b\\c\\d" ""`}},
		{"escape outside of quotes is plain", "a\\b\n", backslash, []string{`1: "a\\b"`}},
		{"line ends in quotes", "\"a\nb\",c\nd,e\n", Format{}, []string{`1: "a\nb" "c"`, `3: "d" "e"`}},
		{"CR LF", "a,b\r\nc,\"d\r\ne\"\r\nf,g", Format{}, []string{`1: "a" "b"`, `2: "c" "d\r\ne"`, `4: "f" "g"`}},
		{"CR", "a,b\rc,\"d\re\"\rf,g\r", Format{}, []string{`1: "a" "b"`, `2: "c" "d\re"`, `4: "f" "g"`}},
		{"CR at the very end", "a\r", Format{}, []string{`1: "a"`}},
		{"byte order mark", "\xef\xbb\xbfa,b\n", Format{}, []string{`1: "a" "b"`}},
		{"byte order mark only", "\xef\xbb\xbf", Format{}, nil},
		{"header", "x,\"y\nz\"\na,b\n", Format{Header: true}, []string{`3: "a" "b"`}},
		{"header only", "x,y", Format{Header: true}, nil},
		{"skip", "x\ny\na\nb\n", Format{Skip: 2}, []string{`3: "a"`, `4: "b"`}},
		{"skip more than there is", "x\ny\n", Format{Skip: 20}, nil},
		{"limit", "a\nb\nc\n", Format{Limit: 2}, []string{`1: "a"`, `2: "b"`}},
		{"limit beyond the end", "a\nb", Format{Limit: 20}, []string{`1: "a"`, `2: "b"`}},
		{"comments", "#\"x\na,#b\n#y\n#z", Format{Comment: '#'}, []string{`2: "a" "#b"`}},
		{"backslash dot is data", "a\n\\.\nb\n", Format{}, []string{`1: "a"`, `2: "\\."`, `3: "b"`}},
		{"characters of several bytes", "ä,日本\n\"é\"\"\",x\n", Format{}, []string{`1: "ä" "日本"`, `2: "é\"" "x"`}},
	} {
		t.Run(c.name, func(t *testing.T) {
			fs := vfs.NewMem()
			write(t, fs, "f.csv", []byte(c.in))
			for _, chunk := range []int{1, 2, 3, 5, 1 << 16} {
				got, err := read(fs, c.f, nil, chunk, "f.csv")
				if err != nil || !slices.Equal(got, c.want) {
					t.Errorf("chunks of %d: %v, error %v\nwant %v", chunk, got, err, c.want)
				}
			}
		})
	}
}

func TestBadRecordsNameFileAndLine(t *testing.T) {
	ab := []string{"a", "b"}
	for _, c := range []struct {
		name, in string
		f        Format
		code     sqlerr.Code
		message  string
		line     int
	}{
		{"unterminated", "1,2\n3,\"4\n5,6\n", Format{}, "22P04", "unterminated CSV quoted field", 2},
		{"too few", "1,2\n3\n", Format{}, "22P04", `missing data for column "b"`, 2},
		{"too many", "1,2\n3,4,5\n", Format{}, "22P04", "extra data after last expected column", 2},
		{"empty line", "1,2\n\n", Format{}, "22P04", `missing data for column "b"`, 2},
		{"lone CR", "1,2\n3,4\r\n", Format{}, "22P04", "unquoted carriage return found in data", 2},
		{"lone LF", "1,2\r\n3,4\n", Format{}, "22P04", "unquoted newline found in data", 2},
		{"LF in a CR file", "1,2\r3\n,4\r", Format{}, "22P04", "unquoted newline found in data", 2},
		{"NUL", "1,2\n\"3\n\",\x00\n", Format{}, "22021", `invalid byte sequence for encoding "UTF8": 0x00`, 2},
		{"not UTF-8", "1,2\n\"a\"\"b\",\xff\n", Format{}, "22021", `invalid byte sequence for encoding "UTF8": 0xff`, 2},
		{"first error counts", "1\n\xff,2\n", Format{}, "22P04", `missing data for column "b"`, 1},
		{"strict quotes", "1,a\"b\"\n", Format{StrictQuotes: true}, "22P04", "quote in an unquoted CSV field", 1},
		{"strict quotes, text after", "\"1\"x,2\n", Format{StrictQuotes: true}, "22P04", "text after a quoted CSV field", 1},
	} {
		t.Run(c.name, func(t *testing.T) {
			fs := vfs.NewMem()
			write(t, fs, "f.csv", []byte(c.in))
			for _, chunk := range []int{1, 4, 1 << 16} {
				_, err := read(fs, c.f, ab, chunk, "f.csv")
				e, ok := sqlerr.As(err)
				if !ok || e.Code != c.code || e.Message != c.message || e.Where != fmt.Sprintf("file %q, line %d", "f.csv", c.line) {
					t.Errorf("chunks of %d: %v, %+v", chunk, err, e)
				}
			}
		})
	}
}

func TestFormatsThatCannotWorkAreRefused(t *testing.T) {
	for _, f := range []Format{
		{Delimiter: '"'},
		{Delimiter: '\n'},
		{Quote: '\r'},
		{Escape: 0xe4},
		{Comment: ','},
		{Null: "a,b"},
		{Null: "a\"b"},
		{Null: "a\nb"},
		{Skip: -1},
		{Limit: -1},
	} {
		if _, err := NewScanner(f, nil); sqlerr.CodeOf(err) != sqlerr.InvalidParameterValue {
			t.Errorf("%+v: %v", f, err)
		}
		if _, err := NewSplitter(SplitterOptions{Format: f}); sqlerr.CodeOf(err) != sqlerr.InvalidParameterValue {
			t.Errorf("%+v: %v", f, err)
		}
	}
}

func TestRecordsLongerThanTheBoundAreRefused(t *testing.T) {
	fs := vfs.NewMem()
	write(t, fs, "f.csv", []byte("a\nb,\""+strings.Repeat("x\n", 1<<20)))
	_, err := read(fs, Format{}, nil, 1024, "f.csv")
	if e, ok := sqlerr.As(err); !ok || e.Code != sqlerr.ProgramLimitExceeded || e.Where != `file "f.csv", line 2` {
		t.Errorf("%v", err)
	}
}

func TestCompressedFiles(t *testing.T) {
	plain := []byte(strings.Repeat("a,b\n", 1000))
	var gz, zst bytes.Buffer
	g := gzip.NewWriter(&gz)
	_, _ = g.Write(plain)
	_ = g.Close()
	z, _ := zstd.NewWriter(&zst)
	_, _ = z.Write(plain)
	_ = z.Close()
	fs := vfs.NewMem()
	write(t, fs, "f.csv.gz", gz.Bytes())
	write(t, fs, "f.csv.zst", zst.Bytes())
	write(t, fs, "noext", gz.Bytes())
	write(t, fs, "broken.gz", gz.Bytes()[:40])
	for name, f := range map[string]Format{"f.csv.gz": {}, "f.csv.zst": {}, "noext": {Compression: Gzip}} {
		if got, err := read(fs, f, nil, 100, name); err != nil || len(got) != 1000 || got[999] != `1000: "a" "b"` {
			t.Errorf("%s: %d records, %v", name, len(got), err)
		}
	}
	for name, f := range map[string]Format{"broken.gz": {}, "noext": {Compression: Bzip2}} {
		if _, err := read(fs, f, nil, 100, name); sqlerr.CodeOf(err) != sqlerr.IOError {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestExpandFindsFiles(t *testing.T) {
	fs := vfs.NewMem()
	for _, d := range []string{"imp/1", "imp/2", "imp/3"} {
		if err := fs.MkdirAll(d); err != nil {
			t.Fatal(err)
		}
	}
	for _, name := range []string{"imp/1/Trade.txt", "imp/2/Trade.txt", "imp/2/Other.txt", "imp/a.csv", "imp/.hidden.csv", "secret"} {
		write(t, fs, name, nil)
	}
	for _, c := range []struct {
		patterns []string
		want     []string
		code     sqlerr.Code
	}{
		{[]string{"*/Trade.txt"}, []string{"1/Trade.txt", "2/Trade.txt"}, ""},
		{[]string{"2/*", "*/Trade.txt"}, []string{"1/Trade.txt", "2/Other.txt", "2/Trade.txt"}, ""},
		{[]string{"./1/../a.csv"}, []string{"a.csv"}, ""},
		{[]string{"*.csv"}, []string{"a.csv"}, ""},
		{[]string{".h*"}, []string{".hidden.csv"}, ""},
		{[]string{"[12]/T?ade.txt"}, []string{"1/Trade.txt", "2/Trade.txt"}, ""},
		{[]string{"absent.csv"}, nil, sqlerr.UndefinedFile},
		{[]string{"a.csv", "*/absent"}, nil, sqlerr.UndefinedFile},
		{[]string{"1"}, nil, sqlerr.UndefinedFile},
		{[]string{"../secret"}, nil, sqlerr.InsufficientPrivilege},
		{[]string{"1/../../secret"}, nil, sqlerr.InsufficientPrivilege},
		{[]string{"/secret"}, nil, sqlerr.InsufficientPrivilege},
		{[]string{".."}, nil, sqlerr.InsufficientPrivilege},
		{[]string{""}, nil, sqlerr.InsufficientPrivilege},
		{[]string{"[a"}, nil, sqlerr.InvalidParameterValue},
	} {
		got, err := Expand(fs, "imp", c.patterns)
		if !slices.Equal(got, c.want) || sqlerr.CodeOf(err) != c.code && (err != nil || c.code != "") {
			t.Errorf("%q: %q, %v", c.patterns, got, err)
		}
	}
}

// noNulls is for comparisons with readers that know no NULL.
var noNulls = Format{Null: "no field is this"}

// TestRandomFilesReadAsByEncodingCSV writes random records by the rules on which
// COPY and encoding/csv agree and reads them back with both.
func TestRandomFilesReadAsByEncodingCSV(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		field := rapid.StringMatching("[a\", \r\n日|]{0,6}")
		var buf bytes.Buffer
		w := csv.NewWriter(&buf)
		w.UseCRLF = rapid.Bool().Draw(t, "crlf")
		n := rapid.IntRange(1, 30).Draw(t, "records")
		for range n {
			rec := rapid.SliceOfN(field, 2, 4).Draw(t, "record")
			if err := w.Write(rec); err != nil {
				t.Fatal(err)
			}
		}
		w.Flush()
		r := csv.NewReader(bytes.NewReader(buf.Bytes()))
		r.FieldsPerRecord = -1
		fs := vfs.NewMem()
		f, _ := fs.Create("f.csv")
		_, _ = f.Write(buf.Bytes())
		chunk := rapid.IntRange(1, 200).Draw(t, "chunk")
		got, err := read(fs, noNulls, nil, chunk, "f.csv")
		if err != nil {
			t.Fatalf("%v in %q", err, buf.Bytes())
		}
		for i := range n {
			rec, err := r.Read()
			if err != nil {
				t.Fatal(err)
			}
			line, _ := r.FieldPos(0)
			var want strings.Builder
			fmt.Fprintf(&want, "%d:", line)
			for _, f := range rec {
				// encoding/csv reads CR LF within quotes as LF.
				fmt.Fprintf(&want, " %q", f)
			}
			have := strings.ReplaceAll(got[i], `\r\n`, `\n`)
			if w.UseCRLF {
				have = strings.ReplaceAll(have, `\r`, "")
				w := strings.ReplaceAll(want.String(), `\r`, "")
				want.Reset()
				want.WriteString(w)
			}
			if have != want.String() {
				t.Fatalf("record %d of %q: %s, want %s", i, buf.Bytes(), have, want.String())
			}
		}
	})
}

// corpora returns where the CSV corpora are, or skips the test.
func corpora(t *testing.T) string {
	t.Helper()
	dir := os.Getenv("MINIDB_CORPORA")
	if dir == "" {
		dir = "../../../../shared/corpora"
	}
	dir = filepath.Join(dir, "csv")
	if _, err := os.Stat(dir); err != nil {
		if os.Getenv("CI") == "true" {
			t.Fatalf("no corpora: %v", err)
		}
		t.Skipf("no corpora (set MINIDB_CORPORA): %v", err)
	}
	return dir
}

// TestCorporaReadAsByEncodingCSV reads real files with small chunks and with
// large ones, and by encoding/csv where the rules agree.
func TestCorporaReadAsByEncodingCSV(t *testing.T) {
	dir := corpora(t)
	files := 0
	for _, pattern := range []string{"csv-spectrum/csvs/*.csv", "real/*.csv", "rust-csv/examples/data/*.csv", "papaparse/tests/*.csv", "commons-csv/*/*.csv"} {
		names, _ := filepath.Glob(filepath.Join(dir, pattern))
		for _, name := range names {
			t.Run(path.Base(name), func(t *testing.T) {
				data, err := os.ReadFile(name)
				if err != nil {
					t.Fatal(err)
				}
				if len(data) > 4<<20 {
					t.Skip("large")
				}
				fs := vfs.NewMem()
				write(t, fs, "f", data)
				got, err := read(fs, noNulls, nil, 1<<16, "f")
				small, smallErr := read(fs, noNulls, nil, 100, "f")
				if !slices.Equal(got, small) || fmt.Sprint(err) != fmt.Sprint(smallErr) {
					t.Errorf("chunks of 100 give %d records and %v, large ones %d and %v", len(small), smallErr, len(got), err)
				}
				r := csv.NewReader(bytes.NewReader(bytes.TrimPrefix(data, []byte(byteOrderMark))))
				r.FieldsPerRecord = -1
				want, wantErr := r.ReadAll()
				if err != nil || wantErr != nil || bytes.Contains(data, []byte("\n\n")) || bytes.Contains(data, []byte("\n\r\n")) {
					t.Skipf("the rules differ: %v, %v", err, wantErr)
				}
				files++
				if len(got) != len(want) {
					t.Fatalf("%d records, want %d", len(got), len(want))
				}
				for i, rec := range want {
					w := ""
					for _, f := range rec {
						w += fmt.Sprintf(" %q", f)
					}
					_, have, _ := strings.Cut(strings.ReplaceAll(got[i], `\r\n`, `\n`), ":")
					if have != w {
						t.Fatalf("record %d: %s, want %s", i, have, w)
					}
				}
			})
		}
	}
	if files < 20 {
		t.Errorf("only %d files were compared", files)
	}
}

// FuzzScanner checks that nothing panics, that chunk sizes make no difference,
// and that fields do not grow.
func FuzzScanner(f *testing.F) {
	f.Add([]byte("a,\"b\"\"c\"\r\nd,e\r\n"), byte(0), byte(0), uint8(3))
	f.Add([]byte("#x\na|'b\\'c'\n"), byte('\\'), byte('#'), uint8(1))
	f.Fuzz(func(t *testing.T, data []byte, escape, comment byte, chunk uint8) {
		format := Format{Escape: escape, Comment: comment}
		fs := vfs.NewVolatile()
		write(t, fs, "f", data)
		a, errA := read(fs, format, nil, 1<<16, "f")
		b, errB := read(fs, format, nil, int(chunk)+1, "f")
		if !slices.Equal(a, b) || fmt.Sprint(errA) != fmt.Sprint(errB) {
			t.Fatalf("large chunks: %q %v\nsmall: %q %v", a, errA, b, errB)
		}
	})
}

func BenchmarkScanner(b *testing.B) {
	row := "200000000123456|2026-03-04 05:06:07.123|CMPT|TMB|true|ABCDEFG|100|20.50|43000001234|John Smith|20.45|10.00|5.25|1.00|false\n"
	data := []byte(strings.Repeat(row, 10_000))
	sc, _ := NewScanner(Format{Delimiter: '|'}, nil)
	b.SetBytes(int64(len(data)))
	b.ReportAllocs()
	for b.Loop() {
		sc.Reset(Chunk{Data: data, eol: eolLF})
		for {
			if rec, err := sc.Next(); rec == nil || err != nil {
				break
			}
		}
	}
}

func TestHeadersMatchAndForcedNulls(t *testing.T) {
	for _, c := range []struct {
		text   string
		format Format
		want   string // fields, and NULL; or a part of the error
	}{
		{"a,b\n1,2\n", Format{MatchHeader: true}, "1,2"},
		{"\ufeff\"a\",b\r\n1,\r\n", Format{MatchHeader: true}, "1,NULL"},
		{"a,B\n1,2\n", Format{MatchHeader: true}, `column name mismatch in header line field 2: got "B", expected "b"`},
		{"a\n1,2\n", Format{MatchHeader: true}, "wrong number of fields in header line: got 1, expected 2"},
		{"a,\n1,2\n", Format{MatchHeader: true}, `column name mismatch in header line field 2: got null value (""), expected "b"`},
		{"\"\",\"\"\n", Format{ForceNull: []bool{true, false}}, "NULL,"},
		{",\n", Format{ForceNotNull: []bool{true, false}}, ",NULL"},
		{"\"\",\n", Format{ForceNull: []bool{true, true}, ForceNotNull: []bool{true, true}}, "NULL,"},
	} {
		fs := vfs.NewMem()
		f, err := fs.Create("f.csv")
		if err != nil {
			t.Fatal(err)
		}
		f.Write([]byte(c.text))
		f.Close()
		got, err := firstRecord(SplitterOptions{FS: fs, Files: []string{"f.csv"}, Format: c.format, Columns: []string{"a", "b"}, ChunkBytes: 16, MaxRecordBytes: 1 << 10})
		if err != nil {
			got = err.Error()
		}
		if got != c.want && (err == nil || !strings.Contains(got, c.want)) {
			t.Errorf("%q: %s, want %s", c.text, got, c.want)
		}
	}
}

// firstRecord shows the first record after the header.
func firstRecord(o SplitterOptions) (string, error) {
	sp, err := NewSplitter(o)
	if err != nil {
		return "", err
	}
	defer sp.Close()
	c, err := sp.Next(nil)
	if err != nil {
		return "", err
	}
	sc, err := NewScanner(o.Format, o.Columns)
	if err != nil {
		return "", err
	}
	sc.Reset(c)
	rec, err := sc.Next()
	if err != nil {
		return "", err
	}
	var fields []string
	for i, f := range rec.Fields {
		if rec.Null[i] {
			f = []byte("NULL")
		}
		fields = append(fields, string(f))
	}
	return strings.Join(fields, ","), nil
}
