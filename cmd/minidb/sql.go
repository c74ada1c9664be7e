package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"time"

	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgconn/ctxwatch"
	"github.com/spf13/cobra"
)

// defaultURL is where `minidb start` listens when it is not told otherwise.
const defaultURL = "postgres://postgres@127.0.0.1:5432/postgres?sslmode=disable"

func newSQLCommand() *cobra.Command {
	var url, file string
	var texts []string
	var timing bool
	cmd := &cobra.Command{
		Use:   "sql",
		Short: "Run SQL on a server: a small shell for machines without psql",
		Long: `Run SQL on a server over PostgreSQL's wire protocol, print the results as tables.

Without -c and -f it reads statements from standard input: with line editing
where that is a terminal, and up to the first error where it is not.

  minidb sql -c 'SELECT 1' -c 'SELECT 2'
  minidb sql -f schema.sql
  minidb sql --url postgres://postgres@127.0.0.1:15432/postgres

Exit status: 0 success, 1 a statement failed or no connection, 2 a mistake on the command line.`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if url == "" {
				url = os.Getenv("MINIDB_URL")
			}
			if url == "" {
				url = defaultURL
			}
			sh, err := connectShell(cmd.Context(), url, cmd.OutOrStdout(), cmd.ErrOrStderr())
			if err != nil {
				return err
			}
			defer sh.close()
			sh.timing = timing
			return sh.runInputs(cmd.Context(), texts, file)
		},
	}
	f := cmd.Flags()
	f.StringVar(&url, "url", "", "the server (default $MINIDB_URL, or "+defaultURL+")")
	f.StringArrayVarP(&texts, "command", "c", nil, "run this SQL and exit (may be repeated)")
	f.StringVarP(&file, "file", "f", "", "run the statements of this file and exit (- for standard input)")
	f.BoolVar(&timing, "timing", false, "print how long each statement took")
	return cmd
}

// runInputs runs what the flags name, or standard input where they name
// nothing.
func (sh *shell) runInputs(ctx context.Context, texts []string, file string) error {
	if file == "" && len(texts) == 0 && isTerminal(os.Stdin) {
		return sh.interact(ctx)
	}
	ctx, stop := untilSignal(ctx)
	defer stop()
	for _, text := range texts {
		if !sh.runWithData(ctx, text, os.Stdin) {
			return errStatementFailed
		}
	}
	switch {
	case file == "" && len(texts) > 0:
		return nil
	case file == "" || file == "-":
		return sh.runScript(ctx, os.Stdin)
	}
	f, err := os.Open(file)
	if err != nil {
		return err
	}
	defer f.Close()
	return sh.runScript(ctx, f)
}

// errStatementFailed ends the shell after an error that it has printed already.
var errStatementFailed = errors.New("a statement failed")

func isTerminal(f *os.File) bool {
	info, err := f.Stat()
	return err == nil && info.Mode()&os.ModeCharDevice != 0
}

// shell runs statements over one connection and prints what comes back.
type shell struct {
	conn   *pgconn.PgConn
	out    io.Writer
	errOut io.Writer
	timing bool
}

func connectShell(ctx context.Context, url string, out, errOut io.Writer) (*shell, error) {
	sh := &shell{out: out, errOut: errOut}
	config, err := pgconn.ParseConfig(url)
	if err != nil {
		return nil, usageError{fmt.Errorf("--url: %w", err)}
	}
	if config.RuntimeParams["application_name"] == "" {
		config.RuntimeParams["application_name"] = "minidb sql"
	}
	config.BuildContextWatcherHandler = func(conn *pgconn.PgConn) ctxwatch.Handler {
		return &pgconn.CancelRequestContextWatcherHandler{Conn: conn, DeadlineDelay: 10 * time.Second}
	}
	config.OnNotice = func(_ *pgconn.PgConn, n *pgconn.Notice) { sh.printNotice(n) }
	sh.conn, err = pgconn.ConnectConfig(ctx, config)
	if err != nil {
		return nil, err
	}
	return sh, nil
}

func (sh *shell) close() { _ = sh.conn.Close(context.Background()) }

// runScript runs the statements of r one by one, as a user who types them
// would, and stops at the first error.
func (sh *shell) runScript(ctx context.Context, r io.Reader) error {
	text, err := io.ReadAll(r)
	if err != nil {
		return err
	}
	rest := string(text)
	for rest != "" {
		statement, after, _ := cutStatement(rest)
		rest = after
		var data string
		if copyIn.MatchString(statement) {
			data, rest = cutCopyData(rest)
		}
		if !sh.runWithData(ctx, statement, strings.NewReader(data)) {
			return errStatementFailed
		}
	}
	return nil
}
