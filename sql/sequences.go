package sql

import (
	"errors"

	"minidb/sql/catalog"
	"minidb/sql/internal/expr"
	"minidb/sql/sqlerr"
	"minidb/sql/types"
)

// sequenceValues are what a session got from sequences: for currval and lastval.
type sequenceValues struct {
	current map[types.OID]int64
	last    types.OID // of the last nextval; 0: none yet
}

// forget is DISCARD SEQUENCES.
func (v *sequenceValues) forget() { *v = sequenceValues{} }

// sequence finds a sequence and locks it as its users do.
func (e sessionEnv) sequence(ec *expr.EvalContext, oid types.OID) (*catalog.Table, error) {
	view, err := e.s.needView()
	if err != nil {
		return nil, err
	}
	t, err := view.SequenceForUse(ec.Ctx, oid)
	if errors.Is(err, catalog.ErrNotFound) {
		err = sqlerr.New(sqlerr.UndefinedTable, "could not open relation with OID %d", oid)
	}
	return t, err
}

func (e sessionEnv) NextValue(ec *expr.EvalContext, oid types.OID) (int64, error) {
	if e.s.tx.modes.readOnly {
		return 0, sqlerr.New(sqlerr.ReadOnlySQLTransaction, "cannot execute nextval() in a read-only transaction")
	}
	t, err := e.sequence(ec, oid)
	if err != nil {
		return 0, err
	}
	v, err := e.s.engine.catalog.NextValue(ec.Ctx, t)
	if err == nil {
		e.s.noteSequence(oid, v)
		e.s.sequences.last = oid
	}
	return v, err
}

func (s *Session) noteSequence(oid types.OID, v int64) {
	if s.sequences.current == nil {
		s.sequences.current = map[types.OID]int64{}
	}
	s.sequences.current[oid] = v
}

func (e sessionEnv) CurrentValue(ec *expr.EvalContext, oid types.OID) (int64, error) {
	t, err := e.sequence(ec, oid)
	if err != nil {
		return 0, err
	}
	v, ok := e.s.sequences.current[oid]
	if !ok {
		return 0, sqlerr.New(sqlerr.ObjectNotInPrerequisite, "currval of sequence \"%s\" is not yet defined in this session", t.Name)
	}
	return v, nil
}

func (e sessionEnv) LastValue(ec *expr.EvalContext) (int64, error) {
	if e.s.sequences.last != 0 {
		if _, err := e.sequence(ec, e.s.sequences.last); err == nil {
			return e.s.sequences.current[e.s.sequences.last], nil
		} else if sqlerr.CodeOf(err) != sqlerr.UndefinedTable {
			return 0, err
		}
	}
	return 0, sqlerr.New(sqlerr.ObjectNotInPrerequisite, "lastval is not yet defined in this session")
}

func (e sessionEnv) SetValue(ec *expr.EvalContext, oid types.OID, value int64, called bool) error {
	if e.s.tx.modes.readOnly {
		return sqlerr.New(sqlerr.ReadOnlySQLTransaction, "cannot execute setval() in a read-only transaction")
	}
	t, err := e.sequence(ec, oid)
	if err != nil {
		return err
	}
	if err := e.s.engine.catalog.SetValue(ec.Ctx, t, catalog.Standing{Last: value, Called: called}); err != nil {
		return err
	}
	if called {
		e.s.noteSequence(oid, value)
	}
	return nil
}
