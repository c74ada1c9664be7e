package sstable

import (
	"bytes"
	"errors"
	"testing"

	"minidb/sstable/internal/block"
)

// parts takes a table apart into payloads.
func parts(t testing.TB, table []byte) (data, index, filter, props []byte, uniform bool) {
	r := openTable(t, table, ReaderOptions{})
	err := r.eachBlock(func(b blockAt) error {
		opened, err := r.readNew(b.handle, b.kind)
		if err != nil {
			return err
		}
		payload := block.Payload(opened)
		switch b.kind {
		case block.Data:
			if uniform = block.Kind(opened[len(opened)-1]).Uniform(); uniform {
				payload = payload[:len(payload)-SuffixLen]
			}
			data = payload
		case block.Index:
			index = payload
		case block.Filter:
			filter = payload
		case block.Properties:
			props = payload
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return data, index, filter, props, uniform
}

// FuzzReader puts arbitrary payloads into a file with good checksums, which no
// checksum can protect the reader from. Nothing may panic, and the only errors
// are *CorruptionError.
func FuzzReader(f *testing.F) {
	for _, o := range []WriterOptions{{}, {ForceMixed: true, Filter: BloomFilter}} {
		table, _ := writeTable(f, o, []entry{{key("aa", 1), []byte("v")}, {key("ab", 1), []byte("w")}, {key("b", 1), nil}})
		data, index, filter, props, uniform := parts(f, table)
		f.Add(data, index, filter, props, uniform, false)
		f.Add(data, index, filter, props, uniform, true)
	}
	f.Fuzz(func(t *testing.T, data, index, filter, props []byte, uniform, two bool) {
		var ft footer
		var table []byte
		put := func(payload, suffix []byte, kind block.Type) block.Handle {
			start := len(table)
			table = block.Seal(table, payload, suffix, kind, false)
			return block.Handle{Offset: uint64(start), Size: uint64(len(table) - start)}
		}
		var s []byte
		if uniform {
			s = suffix(1)
		}
		put(data, s, block.Data)
		ft.filter = put(filter, nil, block.Filter)
		ft.index, ft.levels = put(index, nil, block.Index), 1
		if two {
			var b block.IndexBuilder
			b.Add(nil, ft.index, nil)
			ft.index, ft.levels = put(b.Finish(nil), nil, block.Index), 2
		}
		ft.props = put(props, nil, block.Properties)
		table = ft.append(table)
		r, err := OpenReader(bytes.NewReader(table), int64(len(table)), ReaderOptions{})
		check := func(err error) {
			var c *CorruptionError
			if err != nil && !errors.As(err, &c) {
				t.Fatalf("error %v", err)
			}
		}
		if check(err); err != nil {
			return
		}
		_, err = r.MayContain([]byte("aa"))
		check(err)
		check(r.Check())
		check(r.WriteLayout(&bytes.Buffer{}, true))
		for _, o := range []IterOptions{{}, {noGallop: true, Lower: []byte("aa"), Upper: []byte("b"), MinSuffix: suffix(1), MaxSuffix: suffix(3)}} {
			it, _ := r.NewIter(o)
			for n := 0; n < 200 && it.Next(); n++ {
			}
			for n := 0; n < 200 && it.Prev(); n++ {
			}
			for _, k := range [][]byte{nil, []byte("a"), key("ab", 1), key("b", 0), []byte("c")} {
				it.SeekGE(k)
				it.NextPrefix()
				it.SeekLT(k)
			}
			check(it.Close())
		}
		p := r.Properties()
		_, _, _ = rewrite(table, suffix(1), suffix(2), WriterOptions{Filter: p.Filter, Compression: p.Compression}, 1)
	})
}
