package exec

import (
	"cmp"
	"math"
	"slices"

	"minidb/sql/catalog"
	"minidb/sql/rowenc"
	"minidb/sql/types"
)

// statisticsTarget is how many common values and how many parts of a histogram a column's statistics have at most: PostgreSQL's default.
const statisticsTarget = 100

// placed is a value of the sample and its row's place.
type placed struct {
	value types.Datum
	at    int
}

// run is a value with the number of rows of the sample that have it, and where the first is in the order of values.
type run struct{ first, count int }

// column computes the statistics of a column.
func (s *sample) column(ordinal int, c *catalog.Column) catalog.ColumnStatistics {
	out := catalog.ColumnStatistics{Column: c.ID, Type: c.Type}
	var values []placed
	width := 0
	for _, r := range s.rows {
		if d := r.row[ordinal]; !d.Null {
			values = append(values, placed{d, len(values)})
			width += int(r.widths[ordinal])
		}
	}
	out.NullFraction = 1 - float64(len(values))/float64(len(s.rows))
	if len(values) == 0 {
		return out
	}
	if out.Width = int(c.Type.Len()); out.Width < 0 {
		out.Width = width/len(values) + 1
	}
	if !rowenc.Keyable(c.Type) {
		return out
	}
	slices.SortFunc(values, func(a, b placed) int {
		return cmp.Or(types.Compare(c.Type, a.value, b.value), a.at-b.at)
	})
	var runs []run
	for i := range values {
		if i == 0 || types.Compare(c.Type, values[i-1].value, values[i].value) != 0 {
			runs = append(runs, run{first: i})
		}
		runs[len(runs)-1].count++
	}
	out.Distinct = s.distinct(len(values), runs)
	out.Correlation = correlation(values)
	common := commonRuns(len(values), runs)
	for _, r := range common {
		out.Common = append(out.Common, valueText(c.Type, values[r.first].value))
		out.Frequencies = append(out.Frequencies, float64(r.count)/float64(len(s.rows)))
	}
	out.Histogram = histogram(c.Type, values, runs, common)
	return out
}

func valueText(t types.Type, d types.Datum) string { return types.FormatText(nil, t, d) }

// distinct estimates how many different values the column has, by the formula of Haas and Stokes that PostgreSQL uses, from the values
// that the sample has once and more often. It is negative if it seems to grow with the table.
func (s *sample) distinct(n int, runs []run) float64 {
	once := 0
	for _, r := range runs {
		if r.count == 1 {
			once++
		}
	}
	d, f1 := float64(len(runs)), float64(once)
	all := float64(s.total) * float64(n) / float64(len(s.rows)) // rows with a value
	switch {
	case once == n:
		return -all / float64(s.total)
	case once > 0:
		k := float64(n)
		d = math.Round(min(max(k*d/(k-f1+f1*k/all), d), all))
	}
	if d > 0.1*float64(s.total) {
		return -d / float64(s.total)
	}
	return d
}

// correlation is that of the order of the values with the order of the rows.
func correlation(values []placed) float64 {
	n := float64(len(values))
	if n < 2 {
		return 1
	}
	var sum, squares, products float64
	for i, v := range values {
		sum += float64(i)
		squares += float64(i) * float64(i)
		products += float64(i) * float64(v.at)
	}
	return (n*products - sum*sum) / (n*squares - sum*sum)
}

// commonRuns are the values that clearly more rows have than others, the most common first; all if they are few.
func commonRuns(n int, runs []run) []run {
	out := slices.Clone(runs)
	slices.SortStableFunc(out, func(a, b run) int { return b.count - a.count })
	limit := 1.25 * float64(n) / float64(len(runs))
	if len(runs) <= statisticsTarget {
		limit = 0
	}
	end := 0
	for end < min(len(out), statisticsTarget) && out[end].count > 1 && float64(out[end].count) > limit {
		end++
	}
	return out[:end]
}

// histogram are the ends of parts with about equally many values, those of common runs left out.
func histogram(t types.Type, values []placed, runs, common []run) []string {
	left := make([]types.Datum, 0, len(values))
	different := 0
	for _, r := range runs {
		if slices.Contains(common, r) {
			continue
		}
		different++
		for i := range r.count {
			left = append(left, values[r.first+i].value)
		}
	}
	parts := min(statisticsTarget, different-1)
	if parts < 1 {
		return nil
	}
	out := make([]string, 0, parts+1)
	for i := range parts + 1 {
		out = append(out, valueText(t, left[i*(len(left)-1)/parts]))
	}
	return out
}
