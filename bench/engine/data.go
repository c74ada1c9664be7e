package engine

import (
	"encoding/binary"
	"math/rand/v2"

	"minidb/kv/mvcc"
)

// PrefixBytes is the length of every key before its suffix.
const PrefixBytes = 20

// ValueBytes is the length of a value.
const ValueBytes = 100

// FactBytes is the length of a key and its value.
const FactBytes = PrefixBytes + mvcc.SuffixLen + ValueBytes

// AppendKey appends the key of number n at version: 20 decimal digits and the
// suffix.
func AppendKey(dst []byte, n uint64, version mvcc.Timestamp) []byte {
	var digits [PrefixBytes]byte
	for i := range digits {
		digits[len(digits)-1-i] = byte('0' + n%10)
		n /= 10
	}
	return mvcc.AppendSuffix(append(dst, digits[:]...), version)
}

// Values makes values of which about half compresses away.
type Values struct {
	rng *rand.PCG
	buf [ValueBytes]byte
}

// NewValues returns a source of values that is the same for the same seed.
func NewValues(seed uint64) *Values { return &Values{rng: rand.NewPCG(seed, 0)} }

// Next returns the next value, valid until the next call.
func (v *Values) Next() []byte {
	for i := 0; i < ValueBytes/2; i += 8 {
		binary.LittleEndian.PutUint64(v.buf[i:], v.rng.Uint64())
	}
	clear(v.buf[ValueBytes/2:])
	return v.buf[:]
}
