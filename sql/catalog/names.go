package catalog

import (
	"strconv"
	"unicode/utf8"
)

// Labels of PostgreSQL's generated names.
const (
	labelPrimary = "pkey"
	labelUnique  = "key"
	labelIndex   = "idx"
	labelCheck   = "check"
)

// objectName makes name1_name2_label (name2 may be empty) of at most MaxNameLength bytes: the longer of the two names is
// cut, character by whole character, until it fits. The rule is PostgreSQL's makeObjectName.
func objectName(name1, name2, label string) string {
	overhead := len(label) + 1
	if name2 != "" {
		overhead++
	}
	n1, n2 := len(name1), len(name2)
	for n1+n2 > MaxNameLength-overhead {
		if n1 > n2 {
			n1--
		} else {
			n2--
		}
	}
	name := clip(name1, n1)
	if name2 != "" {
		name += "_" + clip(name2, n2)
	}
	return name + "_" + label
}

// clip cuts s to at most n bytes without cutting a character.
func clip(s string, n int) string {
	if len(s) <= n {
		return s
	}
	for n > 0 && !utf8.RuneStart(s[n]) {
		n--
	}
	return s[:n]
}

// TruncateName cuts an identifier to the length PostgreSQL keeps.
func TruncateName(s string) string { return clip(s, MaxNameLength) }

// chooseName makes name1_name2_label and, as long as taken says that a name is not free, name1_name2_label1, …2, ….
func chooseName(name1, name2, label string, taken func(string) (bool, error)) (string, error) {
	modified := label
	for pass := 1; ; pass++ {
		name := objectName(name1, name2, modified)
		used, err := taken(name)
		if err != nil {
			return "", err
		}
		if !used {
			return name, nil
		}
		modified = label + strconv.Itoa(pass)
	}
}

// indexNamePart joins column names to the middle part of an index name. A name that occurs again gets a number (a, a1),
// and names past the length of an identifier are left out, as in PostgreSQL.
func indexNamePart(columns []string) string {
	part := ""
	for _, name := range uniqueNames(columns) {
		if part != "" {
			part += "_"
		}
		part += name
		if len(part) >= MaxNameLength+1 {
			break
		}
	}
	return part
}

// uniqueNames gives a name that occurs again a number.
func uniqueNames(names []string) []string {
	var unique []string
	for _, origin := range names {
		name := origin
		for i := 1; contains(unique, name); i++ {
			n := strconv.Itoa(i)
			name = clip(origin, MaxNameLength-len(n)) + n
		}
		unique = append(unique, name)
	}
	return unique
}

func contains(list []string, s string) bool {
	for _, x := range list {
		if x == s {
			return true
		}
	}
	return false
}
