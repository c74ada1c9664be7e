package main

import (
	"bufio"
	"context"
	_ "embed"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"time"

	"golang.org/x/sync/errgroup"
)

// tradeSchema creates the table that the files of tradeFiles are for, with
// its two covering indexes.
//
//go:embed trade.sql
var tradeSchema string

// tradeFiles describes a set of Trade.txt files. Row i depends on the seed and
// i alone; part k of K holds the k-th contiguous share of the rows, in order of
// their ids.
type tradeFiles struct {
	dir   string
	rows  int64
	seed  uint64
	parts int
}

// write makes the files, each in a goroutine of its own, and returns their
// size in bytes together.
func (g tradeFiles) write(ctx context.Context) (int64, error) {
	sizes := make([]int64, g.parts)
	eg, ctx := errgroup.WithContext(ctx)
	eg.SetLimit(4)
	for k := range g.parts {
		eg.Go(func() (err error) {
			sizes[k], err = g.writePart(ctx, k)
			return err
		})
	}
	err := eg.Wait()
	var total int64
	for _, n := range sizes {
		total += n
	}
	return total, err
}

func (g tradeFiles) writePart(ctx context.Context, k int) (n int64, err error) {
	dir := filepath.Join(g.dir, strconv.Itoa(k+1))
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return 0, err
	}
	f, err := os.Create(filepath.Join(dir, "Trade.txt"))
	if err != nil {
		return 0, err
	}
	defer func() {
		if cerr := f.Close(); err == nil {
			err = cerr
		}
	}()
	w := bufio.NewWriterSize(f, 1<<20)
	first := g.rows * int64(k) / int64(g.parts)
	end := g.rows * int64(k+1) / int64(g.parts)
	var row []byte
	for i := first; i < end; i++ {
		if i%4096 == 0 && ctx.Err() != nil {
			return n, ctx.Err()
		}
		row = appendTrade(row[:0], g.seed, i)
		n += int64(len(row))
		if _, err := w.Write(row); err != nil {
			return n, err
		}
	}
	return n, w.Flush()
}

// Ranges of the values, after TPC-E's: trade and account ids of its initial
// data, 300 business days of trading from its start date.
const (
	firstTradeID   = 200_000_000_000_001
	firstAccountID = 43_000_000_001
	accounts       = 50_000
	symbols        = 3_425
)

var (
	tradeStart = time.Date(2005, time.January, 3, 9, 0, 0, 0, time.UTC)
	tradeTypes = []string{"TMB", "TMS", "TLB", "TLS", "TSL"}
	givenNames = []string{"Ada", "Bruno", "Clara", "Dmitri", "Elena", "Farid", "Grace", "Hiro", "Ines", "Jonas", "Kavya", "Lucia", "Mateo", "Nadia", "Omar", "Priya"}
	surnames   = []string{"Abbott", "Becker", "Castillo", "Dubois", "Eriksen", "Fischer", "Gupta", "Haddad", "Ivanova", "Jensen", "Kowalski", "Lindqvist", "Moreau", "Novak", "Okafor", "Petrov"}
)

// appendTrade appends row i, newline included: the 15 columns of the trade
// table in order, '|' between them. One row in 32 has its executor's name in
// quotes, with a delimiter or a doubled quote in it; one in 32 has no trade
// price; half of the timestamps have a fraction; booleans come as 0/1 and as
// true/false.
func appendTrade(dst []byte, seed uint64, i int64) []byte {
	r := rowRand{seed*0x9e3779b97f4a7c15 ^ uint64(i)*0xd1342543de82ef95}
	pending := r.n(32) == 0
	status := "CMPT"
	if pending {
		status = []string{"PNDG", "SBMT", "CNCL"}[r.n(3)]
	}
	bid := 2000 + int64(r.n(1001)) // in cents

	dst = strconv.AppendInt(dst, firstTradeID+i, 10)
	dst = append(dst, '|')
	dst = appendTradeTime(dst, &r, i)
	dst = append(append(append(dst, '|'), status...), '|')
	dst = append(append(dst, tradeTypes[r.n(uint64(len(tradeTypes)))]...), '|')
	dst = append(appendTradeBool(dst, &r), '|')
	dst = append(appendSymbol(dst, r.n(symbols)), '|')
	dst = strconv.AppendInt(dst, 100<<r.n(4), 10)
	dst = append(appendCents(append(dst, '|'), bid), '|')
	dst = strconv.AppendInt(dst, firstAccountID+int64(r.n(accounts)), 10)
	dst = append(appendExecutor(append(dst, '|'), &r), '|')
	if !pending {
		dst = appendCents(dst, bid-25+int64(r.n(51)))
	}
	dst = appendCents(append(dst, '|'), 300+50*int64(r.n(11)))
	dst = appendCents(append(dst, '|'), int64(r.n(9000)))
	dst = appendCents(append(dst, '|'), int64(r.n(50000)))
	return append(appendTradeBool(append(dst, '|'), &r), '\n')
}

func appendTradeTime(dst []byte, r *rowRand, i int64) []byte {
	// Trades come about 40 ms apart, jittered, so that ids and times nearly agree.
	t := tradeStart.Add(time.Duration(i)*40*time.Millisecond + time.Duration(r.n(5_000_000))*time.Microsecond)
	dst = t.AppendFormat(dst, "2006-01-02 15:04:05")
	switch r.n(4) {
	case 0:
		return t.AppendFormat(dst, ".000")
	case 1:
		return t.AppendFormat(dst, ".000000")
	}
	return dst
}

func appendTradeBool(dst []byte, r *rowRand) []byte {
	switch r.n(8) {
	case 0:
		return append(dst, "true"...)
	case 1:
		return append(dst, "false"...)
	case 2, 3, 4:
		return append(dst, '0')
	}
	return append(dst, '1')
}

// appendSymbol appends a ticker symbol of 4 letters; every fifth symbol is a
// preferred share's, with a suffix.
func appendSymbol(dst []byte, n uint64) []byte {
	for shift := n*7 + 26*26*26; shift > 0; shift /= 26 {
		dst = append(dst, byte('A'+shift%26))
	}
	if n%5 == 0 {
		dst = append(append(dst, "PR"...), byte('A'+n%3))
	}
	return dst
}

func appendExecutor(dst []byte, r *rowRand) []byte {
	given, surname := givenNames[r.n(uint64(len(givenNames)))], surnames[r.n(uint64(len(surnames)))]
	switch r.n(64) {
	case 0:
		return fmt.Appendf(dst, `"%s | %s"`, surname, given)
	case 1:
		return fmt.Appendf(dst, `"%s ""%c"" %s"`, given, given[0], surname)
	}
	dst = append(append(dst, given...), ' ', byte('A'+r.n(26)), '.', ' ')
	return append(dst, surname...)
}

func appendCents(dst []byte, cents int64) []byte {
	dst = strconv.AppendInt(dst, cents/100, 10)
	return append(dst, '.', byte('0'+cents/10%10), byte('0'+cents%10))
}

// rowRand is the splitmix64 generator: small, seedable by any number, good
// enough for test data.
type rowRand struct{ state uint64 }

func (r *rowRand) next() uint64 {
	r.state += 0x9e3779b97f4a7c15
	z := r.state
	z = (z ^ z>>30) * 0xbf58476d1ce4e5b9
	z = (z ^ z>>27) * 0x94d049bb133111eb
	return z ^ z>>31
}

// n returns a number in [0, limit).
func (r *rowRand) n(limit uint64) uint64 { return r.next() % limit }
