package sstable

// Properties describe a finished file.
type Properties struct {
	NumEntries    uint64
	NumTombstones uint64
	NumBlocks     uint64 // data blocks
	NumUniform    uint64 // data blocks that store their one suffix once
	RawKeyBytes   uint64
	RawValueBytes uint64
	DataBytes     uint64 // data blocks as they lie on disk
	FileBytes     uint64

	// Smallest and Largest are the first and the last key, nil in an empty file.
	Smallest, Largest []byte
	// MinSuffix and MaxSuffix are the bytewise extremes of all suffixes, nil in
	// an empty file. Where suffixes are complemented timestamps, MaxSuffix
	// belongs to the oldest version.
	MinSuffix, MaxSuffix []byte

	// NestedPrefixes says that the prefix of some key is a proper beginning of
	// another's. Such files read well but cannot be given another suffix,
	// because that could change the order of their keys.
	NestedPrefixes bool

	// What the writer was told.
	BlockBytes  uint64
	Compression Compression
	Filter      FilterPolicy
	ForceMixed  bool

	// UserProperties holds each collector's property of the whole file, by name.
	UserProperties map[string][]byte
}
