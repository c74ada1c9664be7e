// Package mvcc knows what the versions of a key mean: an engine key is a kv key
// followed by the 8-byte suffix of its timestamp, a version with an empty value
// is a delete, and a read at T sees of each key the newest version at or below T.
//
//	time
//	 9 |        x           a read at 7 sees a=a2, c=c4;
//	 6 |   a6?              (a6 would be seen too, had it been written)
//	 4 |             c4
//	 2 |   a2   b2
//	   +---------------> key     x = delete of b at 9
//
// It knows nothing of transactions, locks or SQL. In reading order: Timestamp
// and the key suffix, Clock (strictly increasing timestamps below a durable
// mark), Iter (the versions visible at a timestamp), Tandem and CheckConflicts
// (does a sorted file meet a live key), Filter (which versions are garbage).
//
// Keys must be prefix-free: no key is a proper prefix of another. Only then do
// all versions of a key lie side by side in the engine's byte order.
package mvcc
