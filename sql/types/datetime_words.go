package types

import "bytes"

var monthNames = [12]string{
	"january", "february", "march", "april", "may", "june", "july", "august", "september", "october", "november", "december",
}

var weekdayNames = [7]string{"sunday", "monday", "tuesday", "wednesday", "thursday", "friday", "saturday"}

// monthByName finds a month by its name or the first three letters of it ("sept" too); 0 if there is none.
func monthByName(s []byte) int {
	for i, name := range monthNames {
		if equalFold(s, name) || equalFold(s, name[:3]) {
			return i + 1
		}
	}
	if equalFold(s, "sept") {
		return 9
	}
	return 0
}

func isWeekday(s []byte) bool {
	for _, name := range weekdayNames {
		if len(s) >= 3 && isPrefixFold(s, name) {
			return true
		}
	}
	return false
}

// parseSigned reads what begins with a sign: an offset from UTC, or -infinity.
func (p *datetimeText) parseSigned(s []byte) ([]byte, dateStatus) {
	if equalFold(s, "-infinity") {
		return nil, p.setSpecial(TimestampNegInfinity)
	}
	n := 1
	for n < len(s) && isSpace(s[n]) {
		n++
	}
	end := n
	for end < len(s) && (isDigit(s[end]) || s[end] == ':') {
		end++
	}
	if p.hasZone || end == n {
		return s, dateBad
	}
	off := append([]byte{s[0]}, s[n:end]...)
	return s[end:], p.parseOffset(off)
}

// maxOffsetHours is PostgreSQL's limit of a displacement from UTC.
const maxOffsetHours = 15

// parseOffset reads ±H, ±HH, ±HHMM, ±HHMMSS or ±HH:MM[:SS].
func (p *datetimeText) parseOffset(s []byte) dateStatus {
	neg := s[0] == '-'
	s = s[1:]
	var v [3]int
	if bytes.IndexByte(s, ':') >= 0 {
		parts := bytes.Split(s, []byte{':'})
		if len(parts) > 3 {
			return dateBad
		}
		for i, part := range parts {
			if !allDigits(part) {
				return dateBad
			}
			v[i] = atoi(part)
		}
	} else {
		if !allDigits(s) || len(s) > 6 {
			return dateBad
		}
		switch {
		case len(s) > 4:
			v = [3]int{atoi(s[:len(s)-4]), atoi(s[len(s)-4 : len(s)-2]), atoi(s[len(s)-2:])}
		case len(s) > 2:
			v = [3]int{atoi(s[:len(s)-2]), atoi(s[len(s)-2:])}
		default:
			v[0] = atoi(s)
		}
	}
	if v[0] > maxOffsetHours || v[1] > 59 || v[2] > 59 {
		return dateZone
	}
	p.hasZone = true
	p.offset = int64(v[0])*3600 + int64(v[1])*60 + int64(v[2])
	if neg {
		p.offset = -p.offset
	}
	return dateOK
}

// parseWord reads a field that begins with a letter.
func (p *datetimeText) parseWord(ec *Context, s []byte, f *dateFields) ([]byte, dateStatus) {
	n := 0
	for n < len(s) && isLetter(s[n]) {
		n++
	}
	word, rest := s[:n], s[n:]
	if len(rest) > 0 && (rest[0] == '/' || rest[0] == '_' || rest[0] == '+') ||
		len(rest) > 1 && rest[0] == '-' && isDigit(rest[1]) && monthByName(word) == 0 {
		return p.parseZoneName(s) // America/New_York, UTC+3
	}
	if len(rest) > 0 && isDigit(rest[0]) && n >= 3 && monthByName(word) == 0 { // EST5EDT
		if rest, st := p.parseZoneName(s); st == dateOK {
			if _, ok := Zone(p.zone); ok {
				return rest, dateOK
			}
		}
		return s, dateBad
	}
	if lower(s[0]) == 'j' && n == 1 && len(rest) > 0 && isDigit(rest[0]) {
		return p.parseJulianDay(rest)
	}
	if len(rest) > 0 && (rest[0] == '-' || rest[0] == '.') && monthByName(word) != 0 { // Jan-05-2020
		end := n
		for end < len(s) && (isDigit(s[end]) || isLetter(s[end]) || s[end] == rest[0]) {
			end++
		}
		return s[end:], p.parseDate(ec, bytes.Split(s[:end], rest[:1]))
	}
	if len(word) == 1 && lower(word[0]) == 't' && len(rest) > 0 && isDigit(rest[0]) && (p.hasDate || p.timeOnly) {
		return rest, dateOK // the T between a date and a time
	}
	if m := monthByName(word); m != 0 {
		if f.month != 0 || p.hasDate {
			return rest, dateBad
		}
		f.month = m
		return rest, dateOK
	}
	return rest, p.applyWord(ec, word)
}

// applyWord handles the words that stand for themselves.
func (p *datetimeText) applyWord(ec *Context, word []byte) dateStatus {
	switch {
	case equalFold(word, "am"):
		p.isAM = true
	case equalFold(word, "pm"):
		p.isPM = true
	case equalFold(word, "ad"):
	case equalFold(word, "bc"):
		p.bc = true
	case equalFold(word, "infinity"):
		return p.setSpecial(TimestampInfinity)
	case equalFold(word, "epoch"):
		return p.setAbsolute(-epochSeconds * usecPerSecond)
	case equalFold(word, "now"):
		return p.setAbsolute(TimestampFromTime(ec.TxnTime))
	case equalFold(word, "today"):
		return p.setRelativeDay(ec, 0)
	case equalFold(word, "tomorrow"):
		return p.setRelativeDay(ec, 1)
	case equalFold(word, "yesterday"):
		return p.setRelativeDay(ec, -1)
	case equalFold(word, "allballs"):
		return p.setTime(0, 0, 0, 0)
	case isWeekday(word):
	default:
		return p.setZone(word)
	}
	return dateOK
}

func (p *datetimeText) setSpecial(v int64) dateStatus {
	if p.hasDate || p.absolute || p.special != 0 {
		return dateBad
	}
	p.special = v
	return dateOK
}

func (p *datetimeText) setAbsolute(usec int64) dateStatus {
	if p.hasDate || p.absolute || p.special != 0 {
		return dateBad
	}
	p.absolute, p.usec = true, usec
	return dateOK
}

// setRelativeDay sets a date near that of the transaction, to which a time of day may be added.
func (p *datetimeText) setRelativeDay(ec *Context, days int64) dateStatus {
	if p.hasDate || p.absolute || p.special != 0 {
		return dateBad
	}
	local := TimestampTZToTimestamp(ec.location(), TimestampFromTime(ec.TxnTime))
	p.setDays(floorDiv(local, usecPerDay) + days)
	return dateOK
}

// setZone takes a zone's abbreviation.
func (p *datetimeText) setZone(word []byte) dateStatus {
	if p.hasZone {
		return dateBad
	}
	if _, ok := Zone(string(word)); !ok {
		return dateBad
	}
	p.hasZone, p.zone = true, string(word)
	return dateOK
}

// parseJulianDay reads what follows a J: days since 4714-11-24 BC.
func (p *datetimeText) parseJulianDay(s []byte) ([]byte, dateStatus) {
	n := 0
	for n < len(s) && isDigit(s[n]) {
		n++
	}
	if p.hasDate {
		return s, dateBad
	}
	p.setDays(int64(atoi(s[:n])) + minDate)
	return s[n:], dateOK
}

// setDays sets the date to one that needs no more checks.
func (p *datetimeText) setDays(days int64) {
	p.hasDate = true
	p.year, p.month, p.day = CivilFromDays(days)
	p.astronomical = true
}

// parseZoneName takes a name of the zone database or an offset in POSIX's form. Whether it is known is found out at the end,
// because then PostgreSQL's error names it.
func (p *datetimeText) parseZoneName(s []byte) ([]byte, dateStatus) {
	n := 0
	for n < len(s) && !isSpace(s[n]) {
		n++
	}
	if p.hasZone {
		return s, dateBad
	}
	p.hasZone, p.zoneByName, p.zone = true, true, string(bytes.ToLower(s[:n]))
	return s[n:], dateOK
}
