package main

import (
	"context"
	"fmt"
	"io"
	"regexp"
	"strings"
)

// COPY of the client's data needs another conversation than other statements.
var (
	copyIn  = regexp.MustCompile(`(?is)^\s*copy\b.*\bfrom\s+stdin\b`)
	copyOut = regexp.MustCompile(`(?is)^\s*copy\b.*\bto\s+stdout\b`)
)

// runWithData runs a statement as run does; data is what a COPY FROM STDIN reads.
func (sh *shell) runWithData(ctx context.Context, text string, data io.Reader) bool {
	switch {
	case copyIn.MatchString(text):
		tag, err := sh.conn.CopyFrom(ctx, data, text)
		return sh.finishCopy(tag.String(), text, err)
	case copyOut.MatchString(text):
		tag, err := sh.conn.CopyTo(ctx, sh.out, text)
		return sh.finishCopy(tag.String(), text, err)
	}
	return sh.run(ctx, text)
}

func (sh *shell) finishCopy(tag, text string, err error) bool {
	if err != nil {
		sh.printError(err, text)
		return false
	}
	fmt.Fprintln(sh.out, tag)
	return true
}

// cutCopyData cuts the data that follows a COPY FROM STDIN in a script: the
// lines below it, up to one that is \. alone.
func cutCopyData(text string) (data, rest string) {
	_, text, _ = strings.Cut(text, "\n") // the end of the statement's own line
	end := 0
	for end < len(text) {
		line, _, _ := strings.Cut(text[end:], "\n")
		next := min(end+len(line)+1, len(text))
		if strings.TrimRight(line, "\r") == `\.` {
			return text[:end], text[next:]
		}
		end = next
	}
	return text, ""
}
