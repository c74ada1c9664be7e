package main

import (
	"context"
	"fmt"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"
	"unsafe"
)

// openTerminal opens a pseudo-terminal: what a user's terminal is, and what a program sees of it.
func openTerminal(t *testing.T) (user, program *os.File) {
	t.Helper()
	user, err := os.OpenFile("/dev/ptmx", os.O_RDWR|syscall.O_NOCTTY, 0)
	if err != nil {
		t.Skipf("no pseudo-terminal: %v", err)
	}
	var unlock, number int32
	for request, arg := range map[uintptr]*int32{syscall.TIOCSPTLCK: &unlock, syscall.TIOCGPTN: &number} {
		if _, _, errno := syscall.Syscall(syscall.SYS_IOCTL, user.Fd(), request, uintptr(unsafe.Pointer(arg))); errno != 0 {
			t.Fatal(errno)
		}
	}
	program, err = os.OpenFile(fmt.Sprintf("/dev/pts/%d", number), os.O_RDWR|syscall.O_NOCTTY, 0)
	if err != nil {
		t.Skipf("no pseudo-terminal: %v", err)
	}
	return user, program
}

// psqlTerminal is a psql at a terminal.
type psqlTerminal struct {
	t    *testing.T
	user *os.File
	read chan string
}

func startPsqlTerminal(t *testing.T, target *url.URL) *psqlTerminal {
	user, program := openTerminal(t)
	ctx, cancel := context.WithCancel(context.Background())
	cmd := exec.CommandContext(ctx, "psql", "-X", target.String())
	cmd.Env = append(psqlEnv(), "TERM=xterm", "INPUTRC=/dev/null", "PSQL_HISTORY=/dev/null")
	cmd.Stdin, cmd.Stdout, cmd.Stderr = program, program, program
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true, Setctty: true}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	program.Close()
	p := &psqlTerminal{t: t, user: user, read: make(chan string, 1000)}
	go func() {
		defer close(p.read)
		buf := make([]byte, 4096)
		for {
			n, err := user.Read(buf)
			if n > 0 {
				p.read <- string(buf[:n])
			}
			if err != nil {
				return
			}
		}
	}()
	t.Cleanup(func() {
		cancel()
		_ = cmd.Wait()
		user.Close()
	})
	return p
}

// typeUntil types keys and waits until the terminal shows a text after them.
func (p *psqlTerminal) typeUntil(keys, want string) bool {
	p.t.Helper()
	if _, err := p.user.WriteString(keys); err != nil {
		p.t.Fatal(err)
	}
	shown := ""
	deadline := time.After(10 * time.Second)
	for !strings.Contains(shown, want) {
		select {
		case s, ok := <-p.read:
			if shown += s; !ok {
				p.t.Errorf("psql ended after %q: %q", keys, shown)
				return false
			}
		case <-deadline:
			p.t.Errorf("%q shows %q, want %q", keys, shown, want)
			return false
		}
	}
	return true
}

// TestPsqlCompletesNames presses TAB: psql asks the catalogs for what may follow.
func TestPsqlCompletesNames(t *testing.T) {
	mustPsql(t)
	s := startServer(t, t.TempDir())
	target, err := url.Parse(s.url())
	if err != nil {
		t.Fatal(err)
	}
	schema, err := os.ReadFile(filepath.Join("testdata", "psql", "schema.sql"))
	if err != nil {
		t.Fatal(err)
	}
	runPsql(t, target, string(schema))
	p := startPsqlTerminal(t, target)
	p.typeUntil("\\pset pager off\n", "off")
	const clear = "\x15" // the line
	for _, c := range []struct{ typed, shown string }{
		{`SELECT * FROM custome`, `customers`},
		{`SELECT * FROM shop.prod`, `shop.products`},
		{`SELECT * FROM "Mix`, `"Mixed Case"`},
		{`UPDATE customers SET bal`, `balance`},
		{`INSERT INTO order_l`, `order_lines`},
		{`DELETE FROM tra`, `trade`},
		{`TRUNCATE TABLE cop`, `copied`},
		{`DROP VIEW ric`, `rich`},
		{`DROP INDEX orders_tok`, `orders_token_idx`},
		{`DROP SCHEMA sho`, `shop`},
		{`DROP SEQUENCE tick`, `ticket`},
		{`DROP TYPE moo`, `mood`},
		{`ALTER SEQUENCE tick`, `ticket`},
		{`ALTER TABLE customers RENAME COLUMN ema`, `email`},
		{`ALTER TABLE orders DROP CONSTRAINT orders_qty`, `orders_qty_check`},
		{`ALTER TABLE customers ALTER COLUMN bor`, `born`},
		{`CREATE INDEX ON order_l`, `order_lines`},
		{`COMMENT ON TABLE custome`, `customers`},
		{`GRANT SELECT ON custome`, `customers`},
		{`ANALYZE custome`, `customers`},
		{`VACUUM custome`, `customers`},
		{`LOCK TABLE custome`, `customers`},
		{`COPY custome`, `customers`},
		{`SET search_pa`, `search_path`},
		{`SHOW work_m`, `work_mem`},
		{`SET ROLE post`, `postgres`},
		{`SELECT pg_sleep_fo`, `pg_sleep_fo`}, // psql asks nothing here
		{`\d custome`, `customers`},
		{`\dt ord`, `order`},
		{`\di orders_tok`, `orders_token_idx`},
		{`\dn sho`, `shop`},
		{`\du post`, `postgres`},
		{`\df pg_sleep_f`, `pg_sleep_for`},
		{`\sv ric`, `rich`},
		{`\c postg`, `postgres`},
		{`\dT moo`, `mood`},
		{`EXECUTE nosu`, `nosu`},
		{`FETCH 1 FROM nosu`, `nosu`},
		{`CREATE TRIGGER x BEFORE INSERT ON custome`, `customers`},
		{`ALTER PUBLICATION nosu`, `nosu`},
		{`DROP POLICY nosu`, `nosu`},
		{`ALTER SYSTEM SET work_m`, `work_mem`},
	} {
		// What psql completes, it writes behind what was typed; control-L draws the whole line.
		before := c.typed[:strings.LastIndexByte(c.typed, ' ')+1]
		if !p.typeUntil(clear+c.typed+"\t\x0c", before+c.shown) {
			break
		}
	}
	p.typeUntil(clear+"SELECT 'still ' || 'here';\n", "still here")
}
