package pgwire_test

import (
	"bufio"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	osexec "os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/cockroachdb/datadriven"
	"github.com/jackc/pgx/v5/pgproto3"

	"minidb/sql"
	"minidb/storage/vfs"
)

// reportCase is one case of the bug reports' corpus: a situation that somebody met with a database of this kind.
type reportCase struct {
	ID, Class, Kind, Setup, Input string
	Files                         map[string]string
	FilesB64                      map[string]string `json:"files_b64"`
	Output                        string            `json:"pg15_output"`
}

// betterThanPostgres holds what minidb answers where the corpus asks for other than PostgreSQL's recording.
var betterThanPostgres = map[string]string{
	"BR-001": "ERROR:  23505\n0",      // several files are one statement: no second error
	"BR-009": "1|aa\n2|bb\n2",         // a byte order mark is no part of the header
	"BR-026": "1|3\nERROR:  22P04\n1", // a lone CR outside of quotes is no line's end and no digit
	"BR-030": "ERROR:  22021\n0",      // psql's \copy would cut the line at the NUL
}

// reportsFloor is how many cases of a class have to pass: all of them, as the corpus stands.
var reportsFloor = map[string]int{"import": 30, "sql": 12, "types": 13, "wire": 20, "txn": 1, "engine": 2}

// importRow is what IMPORT INTO answers: the row of its job. The corpus's recordings, made with \copy, have none.
var importRow = regexp.MustCompile(`(?m)^\d+\|succeeded\|1\|\d+\|\d+\n`)

func reportCases(t *testing.T) []reportCase {
	t.Helper()
	dir := os.Getenv("MINIDB_CORPORA")
	if dir == "" {
		dir = filepath.Join("..", "..", "shared", "corpora")
	}
	f, err := os.Open(filepath.Join(dir, "bugreports", "visible.jsonl"))
	if err != nil {
		missing(t, "no corpora (set MINIDB_CORPORA): %v", err)
	}
	defer f.Close()
	var cases []reportCase
	for d := json.NewDecoder(bufio.NewReader(f)); ; {
		var c reportCase
		if err := d.Decode(&c); errors.Is(err, io.EOF) {
			return cases
		} else if err != nil {
			t.Fatal(err)
		}
		cases = append(cases, c)
	}
}

// missing skips a test that lacks what it needs, or fails it where everything must be there.
func missing(t *testing.T, format string, args ...any) {
	t.Helper()
	if os.Getenv("CI") == "true" {
		t.Fatalf(format, args...)
	}
	t.Skipf(format, args...)
}

// TestBugReports runs the corpus, each case against a database of its own: scripts through a real psql, conversations
// message by message.
func TestBugReports(t *testing.T) {
	cases := reportCases(t)
	psql, err := osexec.LookPath("psql")
	if err != nil {
		missing(t, "psql is not installed")
	}
	passed, total := map[string]int{}, map[string]int{}
	for _, c := range cases {
		if c.Kind != "psql" && c.Kind != "wire" {
			continue // described tests; those that can be told are tests elsewhere
		}
		t.Run(c.ID, func(t *testing.T) {
			total[c.Class]++
			want := c.Output
			if better, ok := betterThanPostgres[c.ID]; ok {
				want = better
			}
			if c.Kind == "wire" {
				addr := serveReports(t, t.TempDir(), c)
				runPsql(t, psql, addr, c.Setup)
				compareReport(t, c, converse(t, addr, c.Input), want)
			} else {
				dir := t.TempDir()
				out := runPsql(t, psql, serveReports(t, dir, c), c.Setup+"\n"+c.Input)
				compareReport(t, c, importRow.ReplaceAllString(out, ""), want)
				if copied := importCommand.ReplaceAllStringFunc(c.Input, func(s string) string { return clientCopy(s, dir) }); copied != c.Input {
					out := runPsql(t, psql, serveReports(t, dir, c), c.Setup+"\n"+copied)
					compareReport(t, c, out, copiedWant(c))
				}
			}
			if !t.Failed() {
				passed[c.Class]++
			}
		})
	}
	for class, n := range total {
		t.Logf("%s: %d of %d", class, passed[class], n)
		if floor := reportsFloor[class]; n >= floor && passed[class] < floor { // n is less if -run chose some
			t.Errorf("class %s: %d of %d passed, want %d", class, passed[class], n, floor)
		}
	}
}

func compareReport(t *testing.T, c reportCase, got, want string) {
	t.Helper()
	if strings.TrimSpace(got) != strings.TrimSpace(want) {
		t.Errorf("%s\n%s\ngot:\n%s\nwant:\n%s", c.Setup, c.Input, got, want)
	}
}

// importCommand is the corpus's neutral spelling of an import.
var importCommand = regexp.MustCompile(`IMPORT INTO (\w+(?: \([\w, ]+\))?) FROM ('[^;]*?')(?: WITH \((.*)\))?;`)

// clientCopy is what the corpus recorded in place of an import: psql's \copy, in a block for several files.
func clientCopy(command, dir string) string {
	m := importCommand.FindStringSubmatch(command)
	options := "format csv"
	if m[3] != "" {
		options += ", " + m[3]
	}
	var lines []string
	for _, file := range strings.Split(m[2], ", ") {
		lines = append(lines, fmt.Sprintf(`\copy %s from '%s' with (%s)`, m[1], filepath.Join(dir, strings.Trim(file, "'")), options))
	}
	if len(lines) > 1 {
		lines = append([]string{"BEGIN;"}, append(lines, "COMMIT;")...)
	}
	return strings.Join(lines, "\n")
}

// copiedWant is what \copy gives: PostgreSQL's answer but for a few.
func copiedWant(c reportCase) string {
	switch c.ID {
	case "BR-009":
		return betterThanPostgres[c.ID]
	case "BR-030":
		return "2" // psql reads lines as C strings and cuts this one at its NUL
	}
	return c.Output
}

// serveReports serves an empty database, with a case's files in its import directory dir, and gives its address.
func serveReports(t *testing.T, dir string, c reportCase) string {
	t.Helper()
	files := map[string][]byte{}
	for name, text := range c.Files {
		files[name] = []byte(text)
	}
	for name, text := range c.FilesB64 {
		b, err := base64.StdEncoding.DecodeString(text)
		if err != nil {
			t.Fatal(err)
		}
		files[name] = b
	}
	for name, b := range files {
		if err := os.WriteFile(filepath.Join(dir, name), b, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return serveWith(t, sql.Options{ImportDir: dir, ImportFS: vfs.Disk})
}

// runPsql gives what psql prints for a script.
func runPsql(t *testing.T, psql, addr, script string) string {
	t.Helper()
	host, port, err := net.SplitHostPort(addr)
	if err != nil {
		t.Fatal(err)
	}
	cmd := osexec.Command(psql, "-XAtq", "-v", "VERBOSITY=sqlstate", "-h", host, "-p", port, "-U", "postgres", "postgres")
	cmd.Stdin = strings.NewReader(script)
	cmd.Env = append(os.Environ(), "PGTZ=UTC", "PGCLIENTENCODING=UTF8", "PGSSLMODE=disable")
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Errorf("psql: %v", err)
	}
	return string(out)
}

// converse sends the messages of a script and gives what came back, a line for each until.
func converse(t *testing.T, addr, script string) string {
	t.Helper()
	nc, err := net.Dial("tcp", addr)
	if err != nil {
		t.Fatal(err)
	}
	defer nc.Close()
	nc.SetDeadline(time.Now().Add(20 * time.Second))
	f := pgproto3.NewFrontend(nc, nc)
	f.Send(&pgproto3.StartupMessage{
		ProtocolVersion: pgproto3.ProtocolVersionNumber,
		Parameters:      map[string]string{"user": "postgres", "database": "postgres", "TimeZone": "UTC"},
	})
	if err := f.Flush(); err != nil {
		t.Fatal(err)
	}
	receiveUntil(t, f, "Z")
	var out []string
	for line := range strings.Lines(script) {
		if line = strings.TrimRight(line, "\n"); line == "" {
			continue
		}
		if types, ok := strings.CutPrefix(line, "until "); ok {
			if err := f.Flush(); err != nil {
				t.Fatal(err)
			}
			out = append(out, receiveUntil(t, f, types))
			continue
		}
		f.Send(reportMessage(t, line))
	}
	return strings.Join(out, "\n")
}

// reportMessage makes a message of a script's line.
func reportMessage(t *testing.T, line string) pgproto3.FrontendMessage {
	t.Helper()
	words := strings.Fields(line)
	name := func(i int) string { // "-" is the unnamed one
		if i >= len(words) || words[i] == "-" {
			return ""
		}
		return words[i]
	}
	text := ""
	if i := strings.IndexByte(line, '"'); i >= 0 {
		var err error
		if text, err = strconv.Unquote(line[i:]); err != nil {
			t.Fatalf("%s: %v", line, err)
		}
	}
	switch words[0] {
	case "Q":
		return &pgproto3.Query{String: text}
	case "P":
		return &pgproto3.Parse{Name: name(1), Query: text}
	case "B":
		b := &pgproto3.Bind{DestinationPortal: name(1), PreparedStatement: name(2)}
		if i := strings.IndexByte(line, '('); i >= 0 {
			if values := line[i+1 : strings.LastIndexByte(line, ')')]; values != "" {
				for value := range strings.SplitSeq(values, "|") {
					b.Parameters = append(b.Parameters, []byte(value))
				}
			}
		}
		if i := strings.IndexByte(line, '['); i >= 0 {
			if err := json.Unmarshal([]byte(line[i:]), &b.ResultFormatCodes); err != nil {
				t.Fatalf("%s: %v", line, err)
			}
		}
		return b
	case "D":
		return &pgproto3.Describe{ObjectType: words[1][0], Name: name(2)}
	case "C":
		return &pgproto3.Close{ObjectType: words[1][0], Name: name(2)}
	case "E":
		rows, err := strconv.Atoi(words[2])
		if err != nil {
			t.Fatalf("%s: %v", line, err)
		}
		return &pgproto3.Execute{Portal: name(1), MaxRows: uint32(rows)}
	case "d":
		return &pgproto3.CopyData{Data: []byte(text)}
	case "f":
		return &pgproto3.CopyFail{Message: text}
	}
	if m, ok := map[string]pgproto3.FrontendMessage{"S": &pgproto3.Sync{}, "H": &pgproto3.Flush{}, "c": &pgproto3.CopyDone{}}[words[0]]; ok {
		return m
	}
	t.Fatalf("unknown message: %s", line)
	return nil
}

// receiveUntil shows all messages up to the first of one of the types, which are letters of the protocol.
func receiveUntil(t *testing.T, f *pgproto3.Frontend, types string) string {
	t.Helper()
	var line []string
	for {
		m, err := f.Receive()
		if err != nil {
			t.Fatalf("%v after %s", err, line)
		}
		shown, letter := shownMessage(m)
		if shown != "" {
			line = append(line, shown)
		}
		if strings.Contains(types, letter) {
			return strings.Join(line, " ")
		}
	}
}

// shownMessage is a message as the corpus writes it, and its type; notices and parameters are left out.
func shownMessage(m pgproto3.BackendMessage) (shown, letter string) {
	name := strings.TrimPrefix(fmt.Sprintf("%T", m), "*pgproto3.")
	switch m := m.(type) {
	case *pgproto3.ReadyForQuery:
		return fmt.Sprintf("%s(%c)", name, m.TxStatus), "Z"
	case *pgproto3.CommandComplete:
		return fmt.Sprintf("%s(%q)", name, m.CommandTag), "C"
	case *pgproto3.ErrorResponse:
		return fmt.Sprintf("Error(%s,%s)", m.Severity, m.Code), "E"
	case *pgproto3.ParameterDescription:
		return name + strings.ReplaceAll(fmt.Sprint(m.ParameterOIDs), " ", ", "), "t"
	case *pgproto3.RowDescription:
		var fields []string
		for _, f := range m.Fields {
			fields = append(fields, fmt.Sprintf("%s:oid=%d,len=%d,mod=%d,fmt=%d", f.Name, f.DataTypeOID, f.DataTypeSize, f.TypeModifier, f.Format))
		}
		return name + "[" + strings.Join(fields, "; ") + "]", "T"
	case *pgproto3.DataRow:
		var values []string
		for _, v := range m.Values {
			values = append(values, shownValue(v))
		}
		return name + "[" + strings.Join(values, ", ") + "]", "D"
	case *pgproto3.CopyInResponse:
		return fmt.Sprintf("%s(fmt=%d,cols=%d)", name, m.OverallFormat, len(m.ColumnFormatCodes)), "G"
	case *pgproto3.CopyOutResponse:
		return fmt.Sprintf("%s(fmt=%d,cols=%d)", name, m.OverallFormat, len(m.ColumnFormatCodes)), "H"
	case *pgproto3.CopyData:
		return fmt.Sprintf("%s(%q)", name, m.Data), "d"
	case *pgproto3.ParameterStatus, *pgproto3.BackendKeyData, *pgproto3.AuthenticationOk, *pgproto3.NoticeResponse:
		return "", "?"
	}
	return name, "?"
}

// shownValue shows a text in quotes and what cannot be one, a binary value, in hexadecimal.
func shownValue(v []byte) string {
	switch {
	case v == nil:
		return "NULL"
	case slices.ContainsFunc(v, func(b byte) bool { return b < ' ' }):
		return fmt.Sprintf("x%x", v)
	}
	return "'" + string(v) + "'"
}

// TestConversations runs the conversations of testdata/conversation, each on a connection of its own, written as the corpus
// writes them. The answers are those of PostgreSQL 15.
func TestConversations(t *testing.T) {
	datadriven.Walk(t, "testdata/conversation", func(t *testing.T, path string) {
		addr := serveWith(t, sql.Options{})
		datadriven.RunTest(t, path, func(t *testing.T, d *datadriven.TestData) string {
			return converse(t, addr, d.Input) + "\n"
		})
	})
}
