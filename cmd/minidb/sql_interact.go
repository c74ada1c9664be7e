package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"strings"

	"github.com/peterh/liner"
)

const shellHelp = `A statement runs at its semicolon. Ctrl-C cancels it.
  \timing   print how long each statement takes, or stop doing so
  \?        this help
  \q        leave (so does Ctrl-D)
`

// interact reads statements from the terminal with line editing and a history
// of the session, until the user leaves. Errors do not end it.
func (sh *shell) interact(ctx context.Context) error {
	ed := liner.NewLiner()
	defer ed.Close()
	ed.SetCtrlCAborts(true)
	ed.SetMultiLineMode(true)
	fmt.Fprintf(sh.out, "minidb %s, server %s. Type \\? for help.\n", version, sh.conn.ParameterStatus("server_version"))
	pending := ""
	for {
		line, err := ed.Prompt(sh.prompt(pending))
		switch {
		case errors.Is(err, liner.ErrPromptAborted):
			pending = ""
			continue
		case errors.Is(err, io.EOF):
			fmt.Fprintln(sh.out)
			return nil
		case err != nil:
			return err
		}
		if pending == "" && strings.HasPrefix(strings.TrimSpace(line), `\`) {
			if leave := sh.metaCommand(strings.TrimSpace(line)); leave {
				return nil
			}
			continue
		}
		ed.AppendHistory(line)
		pending = sh.runComplete(ctx, pending+line+"\n")
		if sh.conn.IsClosed() {
			return errors.New("the server closed the connection")
		}
	}
}

func (sh *shell) prompt(pending string) string {
	mark := map[byte]string{'T': "*", 'E': "!"}[sh.conn.TxStatus()]
	if pending != "" {
		return "postgres-" + mark + "> "
	}
	return "postgres=" + mark + "> "
}

// runComplete runs the whole statements that text begins with and returns the
// rest. Ctrl-C cancels the one that runs.
func (sh *shell) runComplete(ctx context.Context, text string) (rest string) {
	for {
		statement, after, complete := cutStatement(text)
		if !complete {
			return text
		}
		text = after
		if strings.TrimSpace(statement) == "" {
			return ""
		}
		runCtx, stop := signal.NotifyContext(ctx, os.Interrupt)
		if copyIn.MatchString(statement) {
			fmt.Fprintln(sh.errOut, "COPY FROM STDIN reads a script's data; use minidb sql -f or -c")
		} else {
			sh.runWithData(runCtx, statement, nil)
		}
		stop()
	}
}

func (sh *shell) metaCommand(line string) (leave bool) {
	switch line {
	case `\q`:
		return true
	case `\timing`:
		sh.timing = !sh.timing
		state := "off"
		if sh.timing {
			state = "on"
		}
		fmt.Fprintf(sh.out, "Timing is %s.\n", state)
	case `\?`:
		fmt.Fprint(sh.out, shellHelp)
	default:
		fmt.Fprintf(sh.errOut, "unknown command %s; \\? for help\n", line)
	}
	return false
}
