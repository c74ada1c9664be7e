package expr

import (
	"strings"
	"sync"
	"unicode/utf8"
)

// A template of to_char, to_date and to_timestamp is read into a list of dateItems.

// dateMode is the calendar that a pattern belongs to.
type dateMode uint8

const (
	modeNone dateMode = iota
	modeGregorian
	modeISOWeek
)

// dateKey is a pattern.
type dateKey struct {
	name  string // in upper case
	mode  dateMode
	digit bool // it is a number's, so that what stands before it must know its length
}

// dateKeys are the patterns, longer ones before those they begin with.
var dateKeys = makeDateKeys()

func makeDateKeys() []*dateKey {
	var keys []*dateKey
	add := func(mode dateMode, digit bool, names ...string) {
		for _, n := range names {
			keys = append(keys, &dateKey{n, mode, digit})
		}
	}
	add(modeNone, false, "A.D.", "A.M.", "AD", "AM", "B.C.", "BC", "P.M.", "PM", "DAY", "DY", "FX", "OF", "TZH", "TZ")
	add(modeNone, true, "CC", "FF1", "FF2", "FF3", "FF4", "FF5", "FF6", "HH24", "HH12", "HH", "J", "MI", "MS", "Q", "SSSSS", "SSSS", "SS", "TZM", "US")
	add(modeGregorian, true, "DDD", "DD", "D", "MM", "WW", "W", "Y,YYY", "YYYY", "YYY", "YY", "Y")
	add(modeGregorian, false, "MONTH", "MON", "RM")
	add(modeISOWeek, true, "IDDD", "ID", "IW", "IYYY", "IYY", "IY", "I")
	var out []*dateKey
	for n := 5; n > 0; n-- {
		for _, k := range keys {
			if len(k.name) == n {
				out = append(out, k)
			}
		}
	}
	return out
}

// itemKind says what an item of a template is.
type itemKind uint8

const (
	itemKey itemKind = iota
	itemText
	itemBlank
	itemSeparator
)

// dateItem is a pattern or a literal character.
type dateItem struct {
	kind    itemKind
	key     *dateKey
	written string // the pattern, whose letters' case counts, or the character
	fm, tm  bool
	ordinal string // TH or th, if it follows
}

// datePatterns keeps the templates that were used last.
var datePatterns = struct {
	sync.Mutex
	byText map[string][]dateItem
}{byText: map[string][]dateItem{}}

// datePatternOf reads a template. What it gives must not be changed.
func datePatternOf(format []byte) []dateItem {
	datePatterns.Lock()
	items, ok := datePatterns.byText[string(format)]
	datePatterns.Unlock()
	if ok {
		return items
	}
	items = readDatePattern(string(format))
	datePatterns.Lock()
	defer datePatterns.Unlock()
	if len(datePatterns.byText) >= maxKeptPatterns {
		clear(datePatterns.byText)
	}
	datePatterns.byText[string(format)] = items
	return items
}

func readDatePattern(f string) []dateItem {
	var items []dateItem
	for f != "" {
		var item dateItem
		switch {
		case strings.HasPrefix(f, "FM"), strings.HasPrefix(f, "fm"):
			item.fm, f = true, f[2:]
		case strings.HasPrefix(f, "TM"), strings.HasPrefix(f, "tm"):
			item.tm, f = true, f[2:]
		}
		if k, written := matchDateKey(f); k != nil {
			item.key, item.written, f = k, written, f[len(written):]
			for _, suffix := range []string{"TH", "th", "SP"} {
				if strings.HasPrefix(f, suffix) {
					if suffix != "SP" {
						item.ordinal = suffix
					}
					f = f[2:]
					break
				}
			}
			items = append(items, item)
			continue
		}
		if f == "" {
			break
		}
		quoted := f[0] == '"'
		var chars []string
		chars, f = literalText(f)
		for _, c := range chars {
			items = append(items, dateItem{kind: kindOfChar(c, quoted), written: c})
		}
	}
	return items
}

func kindOfChar(c string, quoted bool) itemKind {
	switch {
	case quoted:
		return itemText
	case isSeparator(c[0]):
		return itemSeparator
	case isBlank(c[0]):
		return itemBlank
	}
	return itemText
}

// matchDateKey finds the pattern at the front of a template: all in upper or all in lower case, of names also with a capital.
func matchDateKey(f string) (*dateKey, string) {
	for _, k := range dateKeys {
		n := len(k.name)
		if len(f) < n {
			continue
		}
		head := f[:n]
		if head == k.name || head == strings.ToLower(k.name) {
			return k, head
		}
		switch k.name {
		case "MONTH", "MON", "DAY", "DY":
			if head == k.name[:1]+strings.ToLower(k.name[1:]) {
				return k, head
			}
		}
	}
	return nil, ""
}

// isSeparator: a printable ASCII character that is neither letter nor digit.
func isSeparator(c byte) bool {
	return c > ' ' && c < 0x7f && !isDigit(c) && (c|0x20 < 'a' || c|0x20 > 'z')
}

func isBlank(c byte) bool { return c == ' ' || c >= '\t' && c <= '\r' }

// nextChar is the length of the first character of s.
func nextChar(s string) int {
	_, n := utf8.DecodeRuneInString(s)
	return n
}
