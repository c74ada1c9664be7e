package parse

import "strings"

// QuoteIdent writes a name so that it reads back as it is: in quotes unless it is small letters, digits and underscores and
// no keyword, or one that may name anything.
func QuoteIdent(name string) string {
	if isPlainName(name) {
		if k := keywords[name]; k == nil || k.category == unreserved {
			return name
		}
	}
	return `"` + strings.ReplaceAll(name, `"`, `""`) + `"`
}

func isPlainName(name string) bool {
	if name == "" || name[0] >= '0' && name[0] <= '9' {
		return false
	}
	for i := range len(name) {
		c := name[i]
		if (c < 'a' || c > 'z') && (c < '0' || c > '9') && c != '_' {
			return false
		}
	}
	return true
}
