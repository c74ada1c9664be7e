// Command minidb is the database server and its tools: one program, a file a
// subcommand. It parses flags and wires the layers together; it holds no logic
// of the database itself.
package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/signal"
	"syscall"

	"github.com/spf13/cobra"
)

func main() {
	if err := newRootCommand().ExecuteContext(context.Background()); err != nil {
		if !errors.Is(err, errStatementFailed) {
			fmt.Fprintf(os.Stderr, "minidb: %v\n", err)
		}
		os.Exit(exitCode(err))
	}
}

// untilSignal returns a context that ends at Ctrl-C or SIGTERM, for commands
// that then stop cleanly. A second signal ends the process at once.
func untilSignal(ctx context.Context) (context.Context, context.CancelFunc) {
	ctx, stop := signal.NotifyContext(ctx, os.Interrupt, syscall.SIGTERM)
	context.AfterFunc(ctx, stop)
	return ctx, stop
}

// usageError is a mistake on the command line, which exits with status 2;
// every other error exits with 1.
type usageError struct{ err error }

func (e usageError) Error() string { return e.err.Error() }
func (e usageError) Unwrap() error { return e.err }

func exitCode(err error) int {
	if errors.As(err, &usageError{}) {
		return 2
	}
	return 1
}

func newRootCommand() *cobra.Command {
	root := &cobra.Command{
		Use:   "minidb",
		Short: "A SQL-on-KV database that speaks PostgreSQL's wire protocol",
		Long: `minidb is a SQL-on-KV database that speaks PostgreSQL's wire protocol.

  minidb start --data DIR      run the server
  minidb sql                   talk to it (psql and every PostgreSQL driver work too)
  minidb demo                  see it all in a minute, in a directory that is thrown away

Exit status: 0 success, 1 failure, 2 a mistake on the command line.`,
		SilenceUsage:  true,
		SilenceErrors: true,
		Args:          cobra.NoArgs,
		RunE:          func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	root.SetFlagErrorFunc(func(_ *cobra.Command, err error) error { return usageError{err} })
	root.CompletionOptions.HiddenDefaultCmd = true
	root.AddCommand(newStartCommand(), newSQLCommand(), newDemoCommand(), newWorkloadCommand(), newCheckCommand(), newSSTCommand(), newVersionCommand())
	markUsage(root)
	return root
}

// markUsage turns every command's complaint about its positional arguments
// into a usageError.
func markUsage(cmd *cobra.Command) {
	if check := cmd.Args; check != nil {
		cmd.Args = func(cmd *cobra.Command, args []string) error {
			if err := check(cmd, args); err != nil {
				return usageError{err}
			}
			return nil
		}
	}
	for _, sub := range cmd.Commands() {
		markUsage(sub)
	}
}
