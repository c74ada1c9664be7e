package main

import (
	"errors"
	"fmt"
	"time"

	"github.com/spf13/cobra"
)

func newWorkloadCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "workload",
		Short: "Make data files to import",
		Args:  cobra.NoArgs,
		RunE:  func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	cmd.AddCommand(newTradeCommand())
	return cmd
}

func newTradeCommand() *cobra.Command {
	var g tradeFiles
	var printSchema bool
	cmd := &cobra.Command{
		Use:   "trade --rows N --out DIR",
		Short: "Write '|'-delimited files like TPC-E's Trade table",
		Long: `Write '|'-delimited files DIR/1/Trade.txt … DIR/K/Trade.txt like those of TPC-E's
Trade table: 15 fields, about 119 bytes a row, an empty field for a trade
without a price yet. The same rows and seed give the same bytes, whatever the
number of parts.

  minidb workload trade --rows 1000000 --out data/import --parts 4
  minidb workload trade --schema | minidb sql

and then, in SQL:

  IMPORT INTO trade CSV DATA ('nodelocal://1/*/Trade.txt') WITH delimiter = '|';`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if printSchema {
				_, err := fmt.Fprint(cmd.OutOrStdout(), tradeSchema)
				return err
			}
			switch {
			case g.dir == "":
				return usageError{errors.New("--out is required")}
			case g.rows < 1:
				return usageError{errors.New("--rows must be at least 1")}
			case g.parts < 1 || int64(g.parts) > g.rows:
				return usageError{errors.New("--parts must be between 1 and the number of rows")}
			}
			ctx, stop := untilSignal(cmd.Context())
			defer stop()
			start := time.Now()
			bytes, err := g.write(ctx)
			if err != nil {
				return err
			}
			_, err = fmt.Fprintf(cmd.OutOrStdout(), "wrote %d rows, %.1f MB, in %d file(s) under %s in %.1fs\n",
				g.rows, float64(bytes)/1e6, g.parts, g.dir, time.Since(start).Seconds())
			return err
		},
	}
	f := cmd.Flags()
	f.Int64Var(&g.rows, "rows", 100_000, "number of rows")
	f.Uint64Var(&g.seed, "seed", 1, "seed of the pseudo-random values")
	f.StringVar(&g.dir, "out", "", "directory to write into")
	f.IntVar(&g.parts, "parts", 1, "number of files")
	f.BoolVar(&printSchema, "schema", false, "print the table's CREATE statements instead")
	return cmd
}
