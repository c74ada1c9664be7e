package main

import (
	"bufio"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"

	"minidb/kv/mvcc"
	"minidb/sstable"
)

func newSSTCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "sst",
		Short: "Look inside sstables",
		Args:  cobra.NoArgs,
		RunE:  func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	cmd.AddCommand(
		sstCommand("check", "Verify checksums, the order of keys, the index, the filter and the counts of the files", checkSST),
		sstCommand("props", "Print the properties of the files", printSSTProps),
		sstCommand("layout", "Print where each block of the files lies", printSSTLayout),
		sstCommand("scan", "Print every entry of the files, in order", scanSST),
	)
	return cmd
}

// sstCommand makes a subcommand that does do to every file named, and fails at
// the end if any of them failed.
func sstCommand(name, short string, do func(out *bufio.Writer, r *sstable.Reader) error) *cobra.Command {
	return &cobra.Command{
		Use:   name + " FILE…",
		Short: short,
		Args:  cobra.MinimumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			out := bufio.NewWriter(cmd.OutOrStdout())
			var failed error
			for _, path := range args {
				if len(args) > 1 {
					fmt.Fprintf(out, "%s:\n", path)
				}
				if err := withSST(path, func(r *sstable.Reader) error { return do(out, r) }); err != nil {
					failed = errors.Join(failed, err)
				}
			}
			return errors.Join(failed, out.Flush())
		},
	}
}

func withSST(path string, do func(*sstable.Reader) error) error {
	f, err := os.Open(path)
	if err != nil {
		return err
	}
	info, err := f.Stat()
	if err != nil {
		return errors.Join(err, f.Close())
	}
	r, err := sstable.OpenReader(f, info.Size(), sstable.ReaderOptions{FileName: filepath.Clean(path)})
	if err != nil {
		return errors.Join(err, f.Close())
	}
	return errors.Join(do(r), r.Close())
}

func checkSST(out *bufio.Writer, r *sstable.Reader) error {
	if err := r.Check(); err != nil {
		return err
	}
	fmt.Fprintf(out, "ok: %d entries in %d blocks\n", r.Properties().NumEntries, r.Properties().NumBlocks)
	return nil
}

func printSSTProps(out *bufio.Writer, r *sstable.Reader) error {
	_, err := r.Properties().WriteTo(out)
	return err
}

func printSSTLayout(out *bufio.Writer, r *sstable.Reader) error {
	return r.WriteLayout(out, false)
}

func scanSST(out *bufio.Writer, r *sstable.Reader) error {
	it, err := r.NewIter(sstable.IterOptions{})
	if err != nil {
		return err
	}
	for ok := it.First(); ok; ok = it.Next() {
		value := "tombstone"
		if len(it.Value()) > 0 {
			value = fmt.Sprintf("%x", it.Value())
		}
		fmt.Fprintf(out, "%s  %s\n", formatKey(it.Key()), value)
	}
	return it.Close()
}

// formatKey shows a key as the hex digits of its prefix and its timestamp.
func formatKey(key []byte) string {
	if len(key) < sstable.SuffixLen {
		return fmt.Sprintf("%x", key)
	}
	prefix, timestamp := mvcc.Split(key)
	return fmt.Sprintf("%x@%d", prefix, timestamp)
}
