package types

import (
	"encoding/binary"
	"strings"
	"sync"
	"time"
	_ "time/tzdata" // zones are known on machines without a zone database, too
)

// abbreviationsByOffset are the abbreviations that PostgreSQL knows by default, by minutes east of UTC. Those whose meaning
// has changed over the years stand for what they mean today.
var abbreviationsByOffset = map[int]string{
	-660: "nut",
	-600: "ckt hst taht",
	-570: "mart",
	-540: "akst gamt",
	-480: "akdt pst",
	-420: "mst pdt",
	-360: "cst galt mdt",
	-300: "act cdt cot easst east est pet",
	-240: "amt ast bot edt gyt vet",
	-210: "nft nst",
	-180: "adt arst art bra brt clst clt fkst fkt gft pmst pyst pyt uyt wgt",
	-150: "ndt",
	-120: "brst fnt pmdt uyst wgst",
	-60:  "azot egt fnst",
	0:    "azost egst gmt uct ut utc wet z zulu",
	60:   "bst cet met mez wat wetdst",
	120:  "bdst cest cetdst eet ist mest mesz metdst sast",
	180:  "eat eest eetdst fet idt msk volt",
	210:  "irt",
	240:  "amst azst azt gest get msd mut ret sct",
	270:  "aft",
	300:  "mawt must mvt pkt tft tjt tmt uzt yekt",
	330:  "lkt",
	345:  "npt",
	360:  "almt bdt btt iot kgst kgt omsst omst pkst uzst xjt yekst",
	390:  "mmt",
	420:  "almst cxt davt ict krast krat novst novt wast",
	480:  "awst bnt bort cct hkt irkst irkt myt pht sgt ulat wadt",
	525:  "acwst",
	540:  "awsst jayt jst kst pwt ulast wdt yakst yakt",
	570:  "acst cast",
	600:  "aest chut ddut kdt ligt mpt pgt trut vlast vlat yapt",
	630:  "acdt acsst cadt lhst sadt",
	660:  "aedt aesst kost lhdt magst magt pont vut",
	720:  "anast anat fjt gilt mht nzst nzt petst pett tvt wakt wft",
	765:  "chast",
	780:  "fjst nzdt tkt tot",
	825:  "chadt",
	840:  "lint",
}

// zoneAbbreviations maps the abbreviations to minutes.
var zoneAbbreviations = map[string]int{}

func init() {
	for minutes, names := range abbreviationsByOffset {
		for _, name := range strings.Fields(names) {
			zoneAbbreviations[name] = minutes
		}
	}
}

var zoneCache sync.Map // lower-case name → *time.Location; only names that exist, so its size is bounded

// Zone finds a time zone by its name in the zone database, in any case, by an abbreviation that PostgreSQL knows, or by a
// rule in POSIX's form, which counts west of UTC: UTC+3, +05:30, CET-1CEST.
func Zone(name string) (*time.Location, bool) {
	lower := strings.ToLower(name)
	if loc, ok := zoneCache.Load(lower); ok {
		return loc.(*time.Location), true
	}
	loc, ok := loadZone(name, lower)
	if ok {
		zoneCache.Store(strings.Clone(lower), loc)
		return loc, true
	}
	return posixZone(lower)
}

func loadZone(name, lower string) (*time.Location, bool) {
	if off, ok := zoneAbbreviations[lower]; ok {
		if off == 0 {
			return time.UTC, true
		}
		return time.FixedZone(strings.ToUpper(name), off*60), true
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

// posixZone reads a zone as POSIX writes it: letters, or anything in <>, then an offset that counts west of UTC, then maybe
// the same for summer time, and when that is: EST5EDT,M3.2.0,M11.1.0. The first letters may be missing.
func posixZone(name string) (*time.Location, bool) {
	letters := posixLetters(name)
	offset := letters
	for offset < len(name) && (name[offset] >= '0' && name[offset] <= ':' || name[offset] == '+' || name[offset] == '-') {
		offset++
	}
	text := name[letters:offset]
	if text == "" || letters > 16 || letters > 0 && letters < 3 || len(name) > 64 {
		return nil, false
	}
	if text[0] != '+' && text[0] != '-' {
		text = "+" + text
	}
	var p datetimeText
	if p.parseOffset([]byte(text)) != dateOK {
		return nil, false
	}
	if offset == len(name) {
		return time.FixedZone(strings.Trim(strings.ToUpper(name[:letters]), "<>"), -int(p.offset)), true
	}
	if letters == 0 || posixLetters(name[offset:]) < 3 {
		return nil, false
	}
	return ruleZone(strings.ToUpper(name), -int32(p.offset))
}

// posixLetters is the length of the abbreviation that a zone begins with.
func posixLetters(s string) int {
	if strings.HasPrefix(s, "<") {
		return strings.IndexByte(s, '>') + 1
	}
	i := 0
	for i < len(s) && isLetter(s[i]) {
		i++
	}
	return i
}

// ruleZone makes a zone of a rule in POSIX's form: it writes the file that the zone database would have for it, which holds
// nothing but the rule and, for what it does not cover, an offset in seconds.
func ruleZone(rule string, offset int32) (*time.Location, bool) {
	header := func(types, letters uint32) []byte {
		h := append([]byte("TZif2"), make([]byte, 15)...)
		for _, n := range []uint32{0, 0, 0, 0, types, letters} {
			h = binary.BigEndian.AppendUint32(h, n)
		}
		return h
	}
	file := append(header(0, 0), header(1, 4)...)
	file = binary.BigEndian.AppendUint32(file, uint32(offset))
	file = append(file, 0, 0) // no summer time, abbreviation at 0
	file = append(file, "-00\x00\n"+rule+"\n"...)
	loc, err := time.LoadLocationFromTZData(rule, file)
	if err != nil {
		return nil, false
	}
	return loc, true
}
