package types

import (
	"strings"
	"sync"
	"time"
	_ "time/tzdata" // zones are known on machines without a zone database, too
)

// zoneAbbreviations are the offsets, in hours times 4, of common abbreviations as PostgreSQL's default list has them.
var zoneAbbreviations = map[string]int{
	"z": 0, "utc": 0, "gmt": 0, "ut": 0, "uct": 0, "zulu": 0, "wet": 0,
	"bst": 4, "west": 4, "cet": 4, "met": 4, "cest": 8, "mest": 8, "eet": 8, "sast": 8, "ist": 8, "eest": 12, "msk": 12,
	"msd": 16, "pkt": 20, "hkt": 32, "sgt": 32, "awst": 32, "jst": 36, "kst": 36, "aest": 40, "aedt": 44, "nzst": 48,
	"nzdt": 52, "acst": 38, "acdt": 42, "nst": -14, "ndt": -10, "ast": -16, "adt": -12, "est": -20, "edt": -16, "cst": -24,
	"cdt": -20, "mst": -28, "mdt": -24, "pst": -32, "pdt": -28, "akst": -36, "akdt": -32, "hst": -40,
}

var zoneCache sync.Map // lower-case name → *time.Location; only names that exist, so its size is bounded

// Zone finds a time zone by its name in the zone database, in any case, or by a common abbreviation.
func Zone(name string) (*time.Location, bool) {
	lower := strings.ToLower(name)
	if loc, ok := zoneCache.Load(lower); ok {
		return loc.(*time.Location), true
	}
	loc, ok := loadZone(name, lower)
	if ok {
		zoneCache.Store(strings.Clone(lower), loc)
	}
	return loc, ok
}

func loadZone(name, lower string) (*time.Location, bool) {
	if off, ok := zoneAbbreviations[lower]; ok {
		if off == 0 {
			return time.UTC, true
		}
		return time.FixedZone(strings.ToUpper(name), off*900), true
	}
	if name == "" || lower == "local" || len(name) > 64 {
		return nil, false
	}
	for _, n := range []string{name, titleCase(lower), strings.ToUpper(name)} {
		if loc, err := time.LoadLocation(n); err == nil {
			return loc, true
		}
	}
	return nil, false
}

// titleCase writes america/new_york as the zone database does.
func titleCase(s string) string {
	b := []byte(s)
	up := true
	for i, c := range b {
		if up && c >= 'a' && c <= 'z' {
			b[i] = c - 'a' + 'A'
		}
		up = c == '/' || c == '_' || c == '-'
	}
	return string(b)
}
