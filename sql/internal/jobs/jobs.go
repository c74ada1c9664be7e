// Package jobs keeps the long work of a server: a row for each job that tells what it does, how far it is and how it ended,
// and the goroutine that does it. It knows nothing of what jobs do; an import is a function to it.
//
// Rows are KVs of their own transactions, so that progress shows while the job's transaction is open; the row of success is
// put into the job's transaction, so that a crash leaves neither work without its row nor a row without its work. A job
// that was running when the server stopped is marked failed at the next start.
//
// Reading order: [Row] is what a job shows, [Registry] all jobs of a server, [Job] one that runs.
package jobs

import (
	"encoding/binary"
	"encoding/json"
	"fmt"
	"time"

	"minidb/kv"
	"minidb/sql/catalog"
	"minidb/sql/sqlerr"
)

// Status is where a job is in its life.
type Status string

// The states of a job. A job begins running and ends in one of the others.
const (
	Running   Status = "running"
	Succeeded Status = "succeeded"
	Failed    Status = "failed"
	Canceled  Status = "canceled"
)

// Row is a job as SHOW JOBS shows it, and as JSON the value of its KV.
type Row struct {
	ID          int64  `json:"id"`
	Type        string `json:"type"` // such as IMPORT
	Description string `json:"description"`
	User        string `json:"user"`
	Status      Status `json:"status"`
	Progress
	Error    string      `json:"error,omitempty"` // message of a failed or canceled job
	Code     sqlerr.Code `json:"code,omitempty"`  // its SQLSTATE
	Created  time.Time   `json:"created"`
	Modified time.Time   `json:"modified"`
	Finished time.Time   `json:"finished,omitzero"` // zero while running
}

// Progress is how far a job is.
type Progress struct {
	Fraction float64 `json:"fraction"` // 0 to 1
	Rows     int64   `json:"rows"`
	Bytes    int64   `json:"bytes"`
	Stage    string  `json:"stage,omitempty"` // what it is doing now, such as "sort"
}

// counterID is the name of the counter of job ids.
var counterID = []byte("jobs/id")

// prefix begins the keys of all jobs.
var prefix = []byte{catalog.KeyJobs}

func rowKey(id int64) []byte {
	return binary.BigEndian.AppendUint64([]byte{catalog.KeyJobs}, uint64(id))
}

func (r *Row) put(txn *kv.Txn) error {
	v, err := json.Marshal(r)
	if err != nil {
		return fmt.Errorf("encode job %d: %w", r.ID, err)
	}
	return txn.Put(rowKey(r.ID), v)
}

func decodeRow(v []byte) (Row, error) {
	var r Row
	if err := json.Unmarshal(v, &r); err != nil {
		return r, sqlerr.New(sqlerr.DataCorrupted, "the row of a job is damaged: %v", err)
	}
	return r, nil
}
