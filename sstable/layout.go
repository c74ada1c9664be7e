package sstable

import (
	"bufio"
	"fmt"
	"io"
	"sort"

	"minidb/sstable/internal/block"
)

// WriteLayout writes, for people, what lies where in the file: one line a block
// and, with entries, one a key.
func (r *Reader) WriteLayout(w io.Writer, entries bool) error {
	bw := bufio.NewWriter(w)
	var buf buffers
	err := r.eachBlock(func(b blockAt) error {
		opened, err := r.read(b.handle, b.kind, &buf, false)
		if err != nil {
			return err
		}
		disk := buf.disk[len(buf.disk)-block.TrailerLen]
		fmt.Fprintf(bw, "%10d  %v, %d bytes (%d opened)", b.handle.Offset, block.Kind(disk), b.handle.Size, len(opened)-1)
		if b.separator != nil {
			fmt.Fprintf(bw, ", separator %x", b.separator)
		}
		if b.kind != block.Data {
			fmt.Fprintln(bw)
			return nil
		}
		var it block.Iter
		if err := it.Init(opened); err != nil {
			return r.corruption(int64(b.handle.Offset), err)
		}
		lo, hi := splitSuffixRange(property(b.props, 0))
		fmt.Fprintf(bw, ", %d keys, suffixes %x to %x\n", it.Len(), lo, hi)
		for ok := entries && it.First(); ok; ok = it.Next() {
			k := it.Key()
			at := max(Split(k), 0)
			fmt.Fprintf(bw, "%16d  %x@%x = %x\n", it.Ordinal(), k[:at], k[at:], it.Value())
		}
		if err := it.Err(); err != nil {
			return r.corruption(int64(b.handle.Offset), err)
		}
		return nil
	})
	if err != nil {
		return err
	}
	fmt.Fprintf(bw, "%10d  footer, %d bytes, version %d, index levels %d\n", r.size-footerLen, footerLen, formatVersion, r.footer.levels)
	return bw.Flush()
}

// WriteTo writes the properties, for people, one a line.
func (p *Properties) WriteTo(w io.Writer) (int64, error) {
	var n int64
	line := func(name string, v any) error {
		m, err := fmt.Fprintf(w, "%-18s %v\n", name, v)
		n += int64(m)
		return err
	}
	type row struct {
		name string
		v    any
	}
	rows := []row{
		{"entries", p.NumEntries},
		{"tombstones", p.NumTombstones},
		{"data blocks", p.NumBlocks},
		{"uniform blocks", p.NumUniform},
		{"key bytes", p.RawKeyBytes},
		{"value bytes", p.RawValueBytes},
		{"data bytes on disk", p.DataBytes},
		{"file bytes", p.FileBytes},
		{"smallest key", fmt.Sprintf("%x", p.Smallest)},
		{"largest key", fmt.Sprintf("%x", p.Largest)},
		{"smallest suffix", fmt.Sprintf("%x", p.MinSuffix)},
		{"largest suffix", fmt.Sprintf("%x", p.MaxSuffix)},
		{"nested prefixes", p.NestedPrefixes},
		{"block bytes", p.BlockBytes},
		{"compression", p.Compression},
		{"filter", p.Filter},
		{"mixed forced", p.ForceMixed},
	}
	names := make([]string, 0, len(p.UserProperties))
	for name := range p.UserProperties {
		names = append(names, name)
	}
	sort.Strings(names)
	for _, name := range names {
		rows = append(rows, row{name, fmt.Sprintf("%x", p.UserProperties[name])})
	}
	for _, r := range rows {
		if err := line(r.name, r.v); err != nil {
			return n, err
		}
	}
	return n, nil
}
