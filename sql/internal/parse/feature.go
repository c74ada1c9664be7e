package parse

import (
	"slices"
	"strings"
)

// Feature is what a statement is called where it is refused: its command, without the names that it uses. Text is the whole text that
// was parsed.
func Feature(st Stmt, text string) string {
	switch st.(type) {
	case *DeclareCursorStmt:
		return "DECLARE CURSOR"
	case *RefreshStmt:
		return "REFRESH MATERIALIZED VIEW"
	}
	words := strings.FieldsFunc(strings.ToUpper(text[min(st.Position(), len(text)):]), func(r rune) bool {
		return (r < 'A' || r > 'Z') && r != '_'
	})
	if len(words) == 0 {
		return "this statement"
	}
	switch first := words[0]; first {
	case "CREATE", "ALTER", "DROP", "COMMENT", "SET", "DISCARD", "REASSIGN":
		for _, w := range words[1:] {
			if !slices.Contains(fillers, w) {
				return first + " " + w
			}
		}
	}
	return words[0]
}

// fillers may stand between CREATE and what is created.
var fillers = []string{"OR", "REPLACE", "TEMP", "TEMPORARY", "UNLOGGED", "LOCAL", "GLOBAL", "RECURSIVE", "UNIQUE"}
