package expr

import (
	"minidb/sql/sqlerr"
	"minidb/sql/types"
)

// Sequences is what the functions on sequences work on. Sequences are named by OID.
type Sequences interface {
	NextValue(ec *EvalContext, sequence types.OID) (int64, error)
	// CurrentValue is what NextValue gave last in this session.
	CurrentValue(ec *EvalContext, sequence types.OID) (int64, error)
	// LastValue is what NextValue gave last in this session, of whatever sequence.
	LastValue(ec *EvalContext) (int64, error)
	SetValue(ec *EvalContext, sequence types.OID, value int64, called bool) error
}

var sequenceFuncs = map[string]impl{
	"nextval_oid": {f1: func(ec *EvalContext, seq types.Datum) (types.Datum, error) {
		return onSequences(ec, func(s Sequences) (int64, error) { return s.NextValue(ec, types.OID(seq.I)) })
	}},
	"currval_oid": {f1: func(ec *EvalContext, seq types.Datum) (types.Datum, error) {
		return onSequences(ec, func(s Sequences) (int64, error) { return s.CurrentValue(ec, types.OID(seq.I)) })
	}},
	"lastval": {f0: func(ec *EvalContext) (types.Datum, error) {
		return onSequences(ec, func(s Sequences) (int64, error) { return s.LastValue(ec) })
	}},
	"setval_oid": {f2: func(ec *EvalContext, seq, v types.Datum) (types.Datum, error) {
		return onSequences(ec, func(s Sequences) (int64, error) { return v.I, s.SetValue(ec, types.OID(seq.I), v.I, true) })
	}},
	"setval3_oid": {f3: func(ec *EvalContext, seq, v, called types.Datum) (types.Datum, error) {
		return onSequences(ec, func(s Sequences) (int64, error) { return v.I, s.SetValue(ec, types.OID(seq.I), v.I, called.Bool()) })
	}},
}

// onSequences calls f with the session's sequences.
func onSequences(ec *EvalContext, f func(Sequences) (int64, error)) (types.Datum, error) {
	if ec.Sequences == nil {
		return types.Datum{}, sqlerr.Unsupported("a sequence here")
	}
	v, err := f(ec.Sequences)
	return types.NewInt(v), err
}
