package storage

import (
	"fmt"
	"path"
	"strconv"
	"strings"
)

// The files of a store, all in its directory:
//
//	CURRENT            names the manifest in use
//	MANIFEST-000003    which sstables there are
//	000007.log         write-ahead log
//	000012.sst         sstable
//	LOCK               locked while a DB is open
//	staging/           files under construction
const (
	lockName    = "LOCK"
	stagingName = "staging"
)

func (db *DB) tableName(num uint64) string { return path.Join(db.dir, fmt.Sprintf("%06d.sst", num)) }

func (db *DB) logName(num uint64) string { return path.Join(db.dir, fmt.Sprintf("%06d.log", num)) }

type fileKind uint8

const (
	otherFile fileKind = iota
	tableFile
	logFile
	manifestFile
	tempFile
)

// parseName tells what a name in the store's directory is.
func parseName(name string) (kind fileKind, num uint64) {
	digits, kind := "", otherFile
	if d, ok := strings.CutSuffix(name, ".sst"); ok {
		digits, kind = d, tableFile
	} else if d, ok := strings.CutSuffix(name, ".log"); ok {
		digits, kind = d, logFile
	} else if d, ok := strings.CutPrefix(name, "MANIFEST-"); ok {
		digits, kind = d, manifestFile
	} else if strings.HasSuffix(name, ".tmp") {
		return tempFile, 0
	}
	num, err := strconv.ParseUint(digits, 10, 64)
	if err != nil {
		return otherFile, 0
	}
	return kind, num
}
