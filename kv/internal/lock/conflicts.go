package lock

import (
	"bytes"
	"strings"
)

// modes is a set of modes of one kind, bit i for mode i.
type modes uint16

// kind says what a lock is on. Rows and spans share the Row modes and conflict
// with each other; tables stand apart.
type kind uint8

const (
	rowKind kind = iota
	tableKind
	spanKind
)

// rowConflicts[m] are the row modes m cannot be held beside.
var rowConflicts = [...]modes{
	KeyShare:    1 << Update,
	Share:       1<<NoKeyUpdate | 1<<Update,
	NoKeyUpdate: 1<<Share | 1<<NoKeyUpdate | 1<<Update,
	Update:      1<<KeyShare | 1<<Share | 1<<NoKeyUpdate | 1<<Update,
}

// tableConflicts[m] are the table modes m cannot be held beside.
var tableConflicts = [...]modes{
	AccessShare:          tables(AccessExclusive),
	RowShare:             tables(Exclusive, AccessExclusive),
	RowExclusive:         tables(ShareTable, ShareRowExclusive, Exclusive, AccessExclusive),
	ShareUpdateExclusive: tables(ShareUpdateExclusive, ShareTable, ShareRowExclusive, Exclusive, AccessExclusive),
	ShareTable:           tables(RowExclusive, ShareUpdateExclusive, ShareRowExclusive, Exclusive, AccessExclusive),
	ShareRowExclusive:    tables(RowExclusive, ShareUpdateExclusive, ShareTable, ShareRowExclusive, Exclusive, AccessExclusive),
	Exclusive: tables(RowShare, RowExclusive, ShareUpdateExclusive, ShareTable, ShareRowExclusive,
		Exclusive, AccessExclusive),
	AccessExclusive: tables(AccessShare, RowShare, RowExclusive, ShareUpdateExclusive, ShareTable,
		ShareRowExclusive, Exclusive, AccessExclusive),
}

func tables(ms ...Table) (s modes) {
	for _, m := range ms {
		s |= 1 << m
	}
	return s
}

// conflictsOf returns all modes that meet a conflict in held.
func conflictsOf(k kind, held modes) (s modes) {
	table := rowConflicts[:]
	if k == tableKind {
		table = tableConflicts[:]
	}
	for m := range table {
		if held&(1<<m) != 0 {
			s |= table[m]
		}
	}
	return s
}

// covers reports whether holding held makes adding mode pointless.
func covers(k kind, held, mode modes) bool {
	need := conflictsOf(k, mode)
	return held != 0 && conflictsOf(k, held)&need == need
}

// rowInSpan reports whether the keys that begin with row and those in
// [start, end) have one in common.
func rowInSpan(row string, start, end []byte) bool {
	return row < string(end) && (row >= string(start) || strings.HasPrefix(string(start), row))
}

func spansOverlap(aStart, aEnd, bStart, bEnd []byte) bool {
	return bytes.Compare(aStart, bEnd) < 0 && bytes.Compare(bStart, aEnd) < 0
}
