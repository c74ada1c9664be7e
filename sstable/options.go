package sstable

// Compression says how blocks are stored.
type Compression uint8

const (
	// Snappy compresses each block by which that saves at least an eighth.
	Snappy Compression = iota
	// NoCompression stores blocks as they are.
	NoCompression
)

func (c Compression) String() string {
	switch c {
	case Snappy:
		return "snappy"
	case NoCompression:
		return "none"
	}
	return "unknown"
}

// FilterPolicy says which filter over key prefixes a file carries.
type FilterPolicy uint8

const (
	// FuseFilter is a binary fuse filter with 8-bit fingerprints: about 9 bits
	// a prefix, 0.4 % false positives. Building one takes memory for all
	// prefixes at once, about 40 bytes each.
	FuseFilter FilterPolicy = iota
	// BloomFilter is a bloom filter of 10 bits a prefix in 64-byte lines:
	// about 1.2 % false positives, quicker to build.
	BloomFilter
	// NoFilter writes none.
	NoFilter
)

func (p FilterPolicy) String() string {
	switch p {
	case FuseFilter:
		return "fuse"
	case BloomFilter:
		return "bloom"
	case NoFilter:
		return "none"
	}
	return "unknown"
}

// defaultBlockBytes is what WriterOptions.BlockBytes = 0 means.
const defaultBlockBytes = 16 << 10

// WriterOptions configures a Writer. The zero value is usable.
type WriterOptions struct {
	// BlockBytes is the size before compression at which a data block ends.
	// 0 means 16 KiB.
	BlockBytes  int
	Compression Compression
	Filter      FilterPolicy
	// Collectors make one collector each for every file written, beside the
	// built-in one that keeps the range of suffixes.
	Collectors []func() BlockPropertyCollector
	// ForceMixed stores every block with one suffix a key, also where all keys
	// of the block have the same one.
	ForceMixed bool
	// Concurrency is the number of goroutines that compress blocks. Below 2
	// blocks are compressed by the caller of Set. The bytes written do not
	// depend on it.
	Concurrency int
}

// ReaderOptions configures a Reader. The zero value is usable.
type ReaderOptions struct {
	// Cache holds blocks after decompression. nil: every iterator reads into
	// buffers of its own.
	Cache BlockCache
	// FileNum is the file's name in Cache.
	FileNum uint64
	// FileName is what errors call the file.
	FileName string
}

// BlockCache holds blocks by file and offset. Blocks are immutable and owned by
// the garbage collector: a Get's result stays good after its eviction.
// Implementations are safe for concurrent use.
type BlockCache interface {
	Get(fileNum, offset uint64) ([]byte, bool)
	Set(fileNum, offset uint64, block []byte)
}

// IterOptions narrows what an Iter visits. The slices are not copied and must
// not change while the iterator lives.
type IterOptions struct {
	// Lower and Upper bound the keys: Lower <= key < Upper. nil: no bound.
	Lower, Upper []byte
	// MinSuffix and MaxSuffix, both inclusive, bound the suffixes of interest.
	// Blocks that hold none in the range are skipped; keys outside it that lie
	// in other blocks are returned. nil: no bound.
	MinSuffix, MaxSuffix []byte
	// Filters skip further blocks by their properties.
	Filters []BlockPropertyFilter
	// NoCacheFill reads through the cache without adding to it, for scans that
	// would push everything else out.
	NoCacheFill bool

	// noGallop makes every seek a search from scratch, for tests to compare with.
	noGallop bool
}
