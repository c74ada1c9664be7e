package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"
)

func newDemoCommand() *cobra.Command {
	var d demo
	cmd := &cobra.Command{
		Use:   "demo",
		Short: "Import real-looking data, query it, kill the server, and find all of it again",
		Long: `Start a server of its own in a temporary directory and on a free port, import
trade rows while showing the progress, run a few queries, kill the server with
SIGKILL, start it again and compare. Leaves no process and no file behind.`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			ctx, stop := untilSignal(cmd.Context())
			defer stop()
			d.out = cmd.OutOrStdout()
			return d.run(ctx)
		},
	}
	cmd.Flags().Int64Var(&d.rows, "rows", 200_000, "number of rows to import")
	return cmd
}

// demo is one run of the demo command.
type demo struct {
	rows   int64
	out    io.Writer
	server *serverProcess
	sh     *shell
}

const demoParts = 4

// demoQueries are shown with their times; the first goes to one row, the next
// two are answered by the covering indexes alone.
var demoQueries = []string{
	`SELECT t_id, t_dts, t_s_symb, t_qty, t_bid_price FROM trade WHERE t_id = 200000000001234`,
	`SELECT t_dts, t_s_symb, t_qty, t_trade_price FROM trade WHERE t_ca_id = 43000000042 ORDER BY t_dts DESC LIMIT 5`,
	`EXPLAIN SELECT t_dts, t_s_symb, t_qty, t_trade_price FROM trade WHERE t_ca_id = 43000000042 ORDER BY t_dts DESC LIMIT 5`,
	`SELECT t_st_id, count(*), sum(t_qty) AS shares, round(avg(t_trade_price), 2) AS price FROM trade GROUP BY t_st_id ORDER BY t_st_id`,
}

const demoCounts = `SELECT count(*) AS trades, count(t_trade_price) AS priced, sum(t_comm) AS commissions FROM trade`

func (d *demo) run(ctx context.Context) (err error) {
	dir, err := os.MkdirTemp("", "minidb-demo-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	defer func() {
		if d.sh != nil {
			d.sh.close()
		}
		if d.server != nil {
			err = errors.Join(err, d.server.stop())
		}
	}()
	data := filepath.Join(dir, "data")
	files := tradeFiles{rows: d.rows, seed: 1, dir: filepath.Join(data, "import"), parts: demoParts}
	d.say("start a server in %s", data)
	if err := d.start(ctx, data); err != nil {
		return err
	}
	d.say("write %d trades into %d files", d.rows, demoParts)
	bytes, err := files.write(ctx)
	if err != nil {
		return err
	}
	fmt.Fprintf(d.out, "%.1f MB\n", float64(bytes)/1e6)
	d.say("create the table and its two covering indexes")
	if err := d.sh.runScript(ctx, strings.NewReader(tradeSchema)); err != nil {
		return err
	}
	if err := d.importTrades(ctx); err != nil {
		return err
	}
	d.sh.timing = true
	d.say("query it")
	for _, q := range demoQueries {
		if err := d.show(ctx, q); err != nil {
			return err
		}
	}
	return d.crash(ctx, data)
}

// crash kills the server with SIGKILL, starts it again and compares what the
// table holds.
func (d *demo) crash(ctx context.Context, data string) error {
	before, err := d.query(ctx, demoCounts)
	if err != nil {
		return err
	}
	if err := d.show(ctx, demoCounts); err != nil {
		return err
	}
	d.say("kill -9 %d, and start the server again", d.server.cmd.Process.Pid)
	d.sh.close()
	if err := d.server.kill(); err != nil {
		return err
	}
	started := time.Now()
	if err := d.start(ctx, data); err != nil {
		return err
	}
	fmt.Fprintf(d.out, "it accepts connections after %d ms\n\n", time.Since(started).Milliseconds())
	if err := d.show(ctx, demoCounts); err != nil {
		return err
	}
	after, err := d.query(ctx, demoCounts)
	if err != nil {
		return err
	}
	if fmt.Sprint(before) != fmt.Sprint(after) {
		return fmt.Errorf("the table held %v before the kill and holds %v after it", before, after)
	}
	d.say("the same counts: nothing was lost")
	fmt.Fprintf(d.out, "Now your own: start a server with\n\n  minidb start --data ./data\n\n"+
		"and connect with `minidb sql`, or with psql and any PostgreSQL driver:\n\n  psql -h 127.0.0.1 -p 5432 -U postgres postgres\n")
	return nil
}

// importTrades runs the IMPORT as a detached job and shows its progress until
// it ends.
func (d *demo) importTrades(ctx context.Context) error {
	const statement = `IMPORT INTO trade CSV DATA ('nodelocal://1/*/Trade.txt') WITH delimiter = '|', DETACHED`
	d.say("import them")
	fmt.Fprintln(d.out, statement)
	started := time.Now()
	rows, err := d.query(ctx, statement)
	if err != nil {
		return err
	}
	if len(rows) != 1 || rows[0]["job_id"] == "" {
		return fmt.Errorf("IMPORT … DETACHED answered %v, not a job's id", rows)
	}
	job := rows[0]["job_id"]
	for {
		rows, err := d.query(ctx, `SHOW JOBS`)
		if err != nil {
			return err
		}
		status, line := jobLine(rows, job)
		fmt.Fprintf(d.out, "  %5.2fs  %s\n", time.Since(started).Seconds(), line)
		switch status {
		case "succeeded":
			seconds := time.Since(started).Seconds()
			fmt.Fprintf(d.out, "%.0f rows/s\n", float64(d.rows)/seconds)
			return nil
		case "pending", "running":
		default:
			return fmt.Errorf("the import ended as %s", line)
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(250 * time.Millisecond):
		}
	}
}

// say announces a step.
func (d *demo) say(format string, args ...any) {
	fmt.Fprintf(d.out, "\n── "+format+"\n", args...)
}

// show prints a statement and its result.
func (d *demo) show(ctx context.Context, text string) error {
	fmt.Fprintln(d.out, text)
	if !d.sh.run(ctx, text) {
		return errStatementFailed
	}
	return nil
}

// query returns the text of a statement's rows, by column name.
func (d *demo) query(ctx context.Context, text string) ([]map[string]string, error) {
	results, err := d.sh.conn.Exec(ctx, text).ReadAll()
	if err != nil {
		return nil, err
	}
	var rows []map[string]string
	for _, r := range results[0].Rows {
		row := map[string]string{}
		for i, v := range r {
			row[results[0].FieldDescriptions[i].Name] = string(v)
		}
		rows = append(rows, row)
	}
	return rows, nil
}

func (d *demo) start(ctx context.Context, data string) error {
	self, err := os.Executable()
	if err != nil {
		return err
	}
	if d.server, err = startServerProcess(self, []string{"--data", data}); err != nil {
		return err
	}
	fmt.Fprintln(d.out, d.server.ready)
	d.sh, err = connectShell(ctx, d.server.url(), d.out, d.out)
	return err
}

// jobLine finds job in SHOW JOBS' rows: its status, and a line about it.
func jobLine(rows []map[string]string, job string) (status, line string) {
	for _, r := range rows {
		if r["job_id"] != job {
			continue
		}
		fraction, _ := strconv.ParseFloat(r["fraction_completed"], 64)
		return r["status"], strings.TrimSpace(fmt.Sprintf("%-9s %3.0f %%  %9s rows  %s %s",
			r["status"], fraction*100, r["rows"], r["running_status"], r["error"]))
	}
	return "", "job " + job + " is not listed"
}
