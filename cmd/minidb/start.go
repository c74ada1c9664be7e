package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"minidb/kv"
	"minidb/pgwire"
	"minidb/sql"
	"minidb/sql/rowenc"
	"minidb/storage/vfs"
)

// defaultData is where the data goes when the flags name no place.
const defaultData = "minidb-data"

// memoryData is the store's directory in the file system of --memory.
const memoryData = "data"

// startFlags are the flags of minidb start.
type startFlags struct {
	data, listen, importDir string
	memory, trustRemote     bool
	auth                    pgwire.Auth
	passwordFile            string
	allowClockJump          bool
	maxConnections          int
	cacheMiB                int64
	logLevel                slog.Level
}

// shutdownTimeout bounds how long a stopping server waits for its sessions.
const shutdownTimeout = 10 * time.Second

func newStartCommand() *cobra.Command {
	var f startFlags
	cmd := &cobra.Command{
		Use:   "start [--data DIR | --memory]",
		Short: "Run the server",
		Long: `Run the server until SIGTERM or Ctrl-C. A directory that is missing or empty is
set up: a superuser and a database, both called postgres. Clients on this
machine are trusted; others cannot connect unless --trust-remote is given. With
--auth scram all may come and are asked for passwords, which cross the network
only as proofs; nothing else is encrypted. When the server accepts connections it
prints one line with its address on standard output; logs go to standard error.

  minidb start --data ./data
  minidb start --memory --listen 127.0.0.1:0      a free port, nothing on disk
  minidb start --auth scram --superuser-password-file secret.txt

Exit status: 0 stopped as asked, 1 failure (such as a directory in use).`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			ctx, stop := untilSignal(cmd.Context())
			defer stop()
			return f.run(ctx, cmd.OutOrStdout(), cmd.ErrOrStderr())
		},
	}
	flags := cmd.Flags()
	flags.StringVar(&f.data, "data", defaultData, "directory of the data; made if missing")
	flags.BoolVar(&f.memory, "memory", false, "keep everything in memory; it is gone at the end")
	flags.StringVar(&f.listen, "listen", "127.0.0.1:5432", "address to listen on; port 0 picks a free one")
	flags.StringVar(&f.importDir, "import-dir", "", "the only directory IMPORT INTO reads (default DATA/import; none with --memory)")
	flags.BoolVar(&f.trustRemote, "trust-remote", false, "listen on other than loopback addresses too, and trust whoever connects")
	f.auth = pgwire.AuthTrust
	flags.Var(&f.auth, "auth", "how clients prove who they are: trust, or scram (passwords)")
	flags.StringVar(&f.passwordFile, "superuser-password-file", "", "file whose first line becomes the superuser's password")
	flags.IntVar(&f.maxConnections, "max-connections", 100, "sessions at once")
	flags.Int64Var(&f.cacheMiB, "cache", 256, "block cache in MiB")
	flags.BoolVar(&f.allowClockJump, "allow-clock-jump", false, "start although the clock is far ahead of the data")
	flags.TextVar(&f.logLevel, "log-level", slog.LevelWarn, "DEBUG, INFO, WARN or ERROR")
	cmd.MarkFlagsMutuallyExclusive("data", "memory")
	return cmd
}

func (f *startFlags) run(ctx context.Context, out, logs io.Writer) (err error) {
	logger := slog.New(slog.NewTextHandler(logs, &slog.HandlerOptions{Level: f.logLevel}))
	listener, err := pgwire.Listen(f.listen, f.trustRemote || f.auth == pgwire.AuthSCRAM)
	if err != nil {
		return err
	}
	defer func() {
		if listener != nil {
			err = errors.Join(err, listener.Close())
		}
	}()
	store, err := f.openStore(ctx, logger)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, store.Close()) }()
	engine, err := f.openEngine(ctx, store, logger)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, engine.Close()) }()

	if err := f.setUpPasswords(ctx, engine); err != nil {
		return err
	}
	server := pgwire.NewServer(engine, pgwire.Options{MaxConnections: f.maxConnections, Auth: f.auth, TrustRemote: f.trustRemote, Logger: logger})
	served := make(chan error, 1)
	addr := listener.Addr()
	go func(l net.Listener) { served <- server.Serve(l) }(listener)
	listener = nil // Serve closes it
	fmt.Fprintln(out, readyLine(addr))
	select {
	case err = <-served:
	case <-ctx.Done():
	}
	shutdown, cancel := context.WithTimeout(context.WithoutCancel(ctx), shutdownTimeout)
	defer cancel()
	return errors.Join(err, server.Shutdown(shutdown))
}

// setUpPasswords sets the superuser's password, and refuses to ask for passwords that nobody has.
func (f *startFlags) setUpPasswords(ctx context.Context, engine *sql.Engine) error {
	if f.passwordFile != "" {
		raw, err := os.ReadFile(f.passwordFile)
		if err != nil {
			return fmt.Errorf("--superuser-password-file: %w", err)
		}
		line, _, _ := strings.Cut(string(raw), "\n")
		if line = strings.TrimRight(line, "\r"); line == "" {
			return fmt.Errorf("--superuser-password-file: the first line of %s is empty", f.passwordFile)
		}
		if err := engine.SetSuperuserPassword(ctx, line); err != nil {
			return err
		}
	}
	if f.auth != pgwire.AuthSCRAM {
		return nil
	}
	ok, err := engine.HasPassword()
	if err == nil && !ok {
		err = errors.New("--auth scram: no role has a password yet; set the superuser's by --superuser-password-file")
	}
	return err
}

// readyLine says where the server is and how to get there.
func readyLine(addr net.Addr) string {
	host, port, err := net.SplitHostPort(addr.String())
	if err != nil {
		return fmt.Sprintf("minidb ready on %s", addr)
	}
	if ip := net.ParseIP(host); ip != nil && ip.IsUnspecified() {
		host = "127.0.0.1"
	}
	return fmt.Sprintf("minidb ready on %s; connect with: psql -h %s -p %s -U postgres postgres", addr, host, port)
}

func (f *startFlags) openStore(ctx context.Context, logger *slog.Logger) (*kv.DB, error) {
	o := kv.Options{Dir: f.data, FS: vfs.Disk, CacheBytes: f.cacheMiB << 20, Logger: logger, AllowClockJump: f.allowClockJump, Border: rowenc.IsBorder}
	if f.memory {
		o.Dir, o.FS = memoryData, vfs.NewMem()
	}
	return openStore(ctx, o)
}

// openStore opens a store and words the errors that users meet.
func openStore(ctx context.Context, o kv.Options) (*kv.DB, error) {
	db, err := kv.Open(ctx, o)
	switch {
	case errors.Is(err, vfs.ErrLocked):
		return nil, fmt.Errorf("the data directory %s is in use by another process", o.Dir)
	case errors.Is(err, kv.ErrClockJump):
		return nil, fmt.Errorf("%w; if the clock is right, start once with --allow-clock-jump", err)
	case err != nil:
		return nil, fmt.Errorf("open the data directory %s: %w", o.Dir, err)
	}
	return db, nil
}

func (f *startFlags) openEngine(ctx context.Context, store *kv.DB, logger *slog.Logger) (*sql.Engine, error) {
	o := sql.Options{KV: store, Logger: logger, Version: version}
	switch {
	case f.importDir != "":
		if info, err := os.Stat(f.importDir); err != nil {
			return nil, fmt.Errorf("--import-dir: %w", err)
		} else if !info.IsDir() {
			return nil, fmt.Errorf("--import-dir: %s is not a directory", f.importDir)
		}
		o.ImportDir, o.ImportFS = f.importDir, vfs.Disk
	case !f.memory:
		o.ImportDir, o.ImportFS = filepath.Join(f.data, "import"), vfs.Disk
		if err := os.MkdirAll(o.ImportDir, 0o755); err != nil {
			return nil, err
		}
	}
	return sql.Open(ctx, o)
}
