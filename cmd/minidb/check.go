package main

import (
	"errors"
	"fmt"
	"os"

	"github.com/spf13/cobra"

	"minidb/kv"
	"minidb/sql"
	"minidb/storage/vfs"
)

func newCheckCommand() *cobra.Command {
	var data string
	var allowClockJump bool
	cmd := &cobra.Command{
		Use:   "check --data DIR",
		Short: "Verify the data of a stopped server: checksums, and every index against its table",
		Long: `Verify the data of a stopped server: the checksum of every block on disk, then
that the indexes of every table hold exactly the entries its rows call for.

Exit status: 0 all is well, 1 something is not, or the directory cannot be opened.`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) (err error) {
			ctx, stop := untilSignal(cmd.Context())
			defer stop()
			if _, err := os.Stat(data); err != nil {
				return err // opening would make a new one
			}
			store, err := openStore(ctx, kv.Options{Dir: data, FS: vfs.Disk, AllowClockJump: allowClockJump})
			if err != nil {
				return err
			}
			defer func() { err = errors.Join(err, store.Close()) }()
			if err := store.Check(ctx); err != nil {
				return err
			}
			engine, err := sql.Open(ctx, sql.Options{KV: store, Version: version})
			if err != nil {
				return err
			}
			defer func() { err = errors.Join(err, engine.Close()) }()
			result, err := engine.Check(ctx)
			if err != nil {
				return err
			}
			_, err = fmt.Fprintf(cmd.OutOrStdout(), "ok: %d table(s), %d row(s), %d index entries\n",
				result.Tables, result.Rows, result.IndexEntries)
			return err
		},
	}
	cmd.Flags().StringVar(&data, "data", defaultData, "directory of the data")
	cmd.Flags().BoolVar(&allowClockJump, "allow-clock-jump", false, "open although the clock is far ahead of the data")
	return cmd
}
