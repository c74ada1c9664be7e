package catalog

import (
	"bytes"
	"context"
	"encoding/binary"
	"encoding/json"
	"fmt"

	"minidb/kv"
	"minidb/sql/types"
)

// Statistics are what ANALYZE found out of a table: estimates of the time it ran.
type Statistics struct {
	Rows    int64              `json:"rows"`
	Columns []ColumnStatistics `json:"columns,omitempty"`
}

// ColumnStatistics are those of a column.
type ColumnStatistics struct {
	Column       ColumnID   `json:"column"`
	Type         types.Type `json:"type"` // of the column at that time
	NullFraction float64    `json:"nullFraction"`
	Width        int        `json:"width"` // of a value, in bytes, on average
	// Distinct is the number of values, or, below 0, that number in rows, negated: -1 if all are different.
	Distinct float64 `json:"distinct"`
	// Common are the most common values, as texts, and what part of the rows has each.
	Common      []string  `json:"common,omitempty"`
	Frequencies []float64 `json:"frequencies,omitempty"`
	// Histogram are values, as texts, between each two of which there are about equally many rows, common values left out.
	Histogram   []string `json:"histogram,omitempty"`
	Correlation float64  `json:"correlation"` // of the order of the values with that of the rows

	// CommonValues and Bounds are Common and Histogram as values; nil if they are none of the type any more.
	CommonValues []types.Datum `json:"-"`
	Bounds       []types.Datum `json:"-"`
}

// Column gives the statistics of a column that has the type it had; nil if there are none.
func (s *Statistics) Column(c *Column) *ColumnStatistics {
	if s == nil {
		return nil
	}
	for i := range s.Columns {
		if k := &s.Columns[i]; k.Column == c.ID && k.Type == c.Type {
			return k
		}
	}
	return nil
}

// Values is about how many different values a column has in a number of rows.
func (c *ColumnStatistics) Values(rows float64) float64 {
	if c.Distinct < 0 {
		return -c.Distinct * rows
	}
	return c.Distinct
}

// cachedStatistics are statistics as of a generation of the catalog.
type cachedStatistics struct {
	generation uint64
	raw        []byte
	statistics *Statistics // nil: there are none
}

func statisticsKey(id ID) []byte {
	return binary.BigEndian.AppendUint32([]byte{keyStatistics}, uint32(id))
}

// Statistics gives what is known of a table; nil if it was never analyzed. They are shared and never change.
func (v *View) Statistics(ctx context.Context, id ID) (*Statistics, error) {
	s := v.store
	generation := s.Generation()
	s.mu.Lock()
	cached, ok := s.statistics[id]
	s.mu.Unlock()
	if ok && cached.generation == generation {
		return cached.statistics, nil
	}
	raw, found, err := v.txn.GetLatest(ctx, statisticsKey(id))
	if err != nil {
		return nil, fmt.Errorf("read statistics: %w", err)
	}
	now := cachedStatistics{generation: generation, raw: raw}
	switch {
	case !found:
	case ok && cached.statistics != nil && bytes.Equal(cached.raw, raw):
		now.statistics = cached.statistics
	default:
		if now.statistics, err = decodeStatistics(raw); err != nil {
			return nil, err
		}
	}
	if !v.changed { // else they may be the transaction's own
		s.mu.Lock()
		s.statistics[id] = now
		s.mu.Unlock()
	}
	return now.statistics, nil
}

func decodeStatistics(raw []byte) (*Statistics, error) {
	out := &Statistics{}
	if err := json.Unmarshal(raw, out); err != nil {
		return nil, corrupt("statistics: %v", err)
	}
	for i := range out.Columns {
		c := &out.Columns[i]
		c.CommonValues, c.Bounds = inputs(c.Type, c.Common), inputs(c.Type, c.Histogram)
	}
	return out, nil
}

// inputs are texts as values of a type; nil if one is not.
func inputs(t types.Type, texts []string) []types.Datum {
	out := make([]types.Datum, 0, len(texts))
	for _, s := range texts {
		d, err := types.Input(&types.Context{}, t.Base(), []byte(s))
		if err != nil {
			return nil
		}
		out = append(out, d)
	}
	return out
}

// SetStatistics stores what is known of a table. It is locked at least as its readers lock it.
func (v *View) SetStatistics(ctx context.Context, id ID, s *Statistics) error {
	raw, err := json.Marshal(s)
	if err != nil {
		return fmt.Errorf("store statistics: %w", err)
	}
	if err := v.txn.LockKey(ctx, statisticsKey(id), kv.Update, kv.Block); err != nil {
		return err
	}
	v.touch()
	return v.txn.Put(statisticsKey(id), raw)
}

// allStatistics gives those of all tables.
func (v *View) allStatistics(ctx context.Context) (map[ID]*Statistics, error) {
	it, err := v.txn.NewIter(ctx, kv.PrefixSpan([]byte{keyStatistics}), kv.IterOptions{Latest: true})
	if err != nil {
		return nil, fmt.Errorf("read statistics: %w", err)
	}
	defer it.Close()
	out := map[ID]*Statistics{}
	for it.Next() {
		if len(it.Key()) != 5 {
			return nil, corrupt("a key of statistics has %d bytes", len(it.Key()))
		}
		if out[ID(binary.BigEndian.Uint32(it.Key()[1:]))], err = decodeStatistics(it.Value()); err != nil {
			return nil, err
		}
	}
	return out, it.Err()
}
