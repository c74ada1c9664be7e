package bulk

import (
	"encoding/binary"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"minidb/kv"
	"minidb/storage/vfs"
)

// tradeLike makes three keys and values of a record of 15 fields, at about the
// cost and the size of the trade table's.
type tradeLike struct{ key, value []byte }

func (*tradeLike) NewWorker() RowWorker { return &tradeLike{} }

func (w *tradeLike) Encode(rec *Record, emit func(key, value []byte) error) error {
	id, err := strconv.ParseInt(string(rec.Fields[0]), 10, 64)
	if err != nil {
		return err
	}
	w.value = append(w.value[:0], 1)
	for _, f := range rec.Fields[1:] {
		w.value = append(w.value, f...)
	}
	for index := byte('a'); index < 'd'; index++ {
		w.key = append(w.key[:0], 'T', index)
		n := len(w.value)
		if index > 'a' {
			w.key = append(w.key, rec.Fields[int(index-'a')*4+1]...)
			w.key = append(append(w.key, 0), rec.Fields[1]...)
			n = 60
		}
		w.key = binary.BigEndian.AppendUint64(w.key, uint64(id))
		if err := emit(w.key, w.value[:n]); err != nil {
			return err
		}
	}
	return nil
}

// BenchmarkImport imports files of about 119 bytes a row on disk, commit included.
func BenchmarkImport(b *testing.B) {
	const n = 200_000
	var data strings.Builder
	for i := range n {
		fmt.Fprintf(&data, "%d|2026-03-%02d 05:06:%02d.123|CMPT|TMB|true|SYM%04d|%d|20.50|4300000%04d|John Smith %d|20.45|10.00|5.25|1.00|false\n",
			200000000000000+i*7919%n, i%28+1, i%60, i*31%5000, i%800+1, i*17%10000, i%1000)
	}
	b.SetBytes(int64(data.Len()))
	for b.Loop() {
		b.StopTimer()
		dir := b.TempDir()
		if err := os.WriteFile(filepath.Join(dir, "t.csv"), []byte(data.String()), 0o666); err != nil {
			b.Fatal(err)
		}
		db, err := kv.Open(bg, kv.Options{Dir: filepath.Join(dir, "data"), GCInterval: -1})
		if err != nil {
			b.Fatal(err)
		}
		b.StartTimer()
		txn, err := db.Begin(kv.TxnOptions{})
		if err != nil {
			b.Fatal(err)
		}
		_, err = Import(bg, Request{
			DB: db, Txn: txn, FS: vfs.Disk, Dir: dir, Files: []string{"t.csv"}, Format: Format{Delimiter: '|'}, Rows: &tradeLike{},
			Borders: [][]byte{[]byte("Tb"), []byte("Tc")},
		})
		if err == nil {
			err = txn.Commit(bg)
		}
		if err != nil {
			b.Fatal(err)
		}
		b.StopTimer()
		if err := db.Close(); err != nil {
			b.Fatal(err)
		}
		b.StartTimer()
	}
	b.ReportMetric(float64(n*b.N)/b.Elapsed().Seconds(), "rows/s")
}
