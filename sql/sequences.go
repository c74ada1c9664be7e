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
	if err := e.mayAdvance(ec, t); err != nil {
		return 0, err
	}
	v, err := e.s.engine.catalog.NextValue(ec.Ctx, t)
	if err == nil {
		e.s.noteSequence(oid, v)
		e.s.sequences.last = oid
	}
	return v, err
}

// mayAdvance refuses who lacks the privileges that nextval takes. The sequence of an identity column goes with its table.
func (e sessionEnv) mayAdvance(ec *expr.EvalContext, t *catalog.Table) error {
	err := e.mayTouch(ec, t, catalog.Usage|catalog.Update)
	if err == nil || !t.Sequence.Identity {
		return err
	}
	table, tableErr := e.s.tx.view.TableByID(ec.Ctx, t.Sequence.Owner.Table)
	if tableErr == nil && e.s.tx.view.CheckTable(ec.Ctx, table, catalog.Insert) == nil {
		return nil
	}
	return err
}

// mayTouch refuses who has none of the privileges.
func (e sessionEnv) mayTouch(ec *expr.EvalContext, t *catalog.Table, one catalog.Privileges) error {
	who, err := e.s.tx.view.Acting(ec.Ctx)
	if err == nil && who.May(t.Granted(), one) == 0 {
		err = t.Denied()
	}
	return err
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
	if err := e.mayTouch(ec, t, catalog.Usage|catalog.Select); err != nil {
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
		if t, err := e.sequence(ec, e.s.sequences.last); err == nil {
			if err := e.mayTouch(ec, t, catalog.Usage|catalog.Select); err != nil {
				return 0, err
			}
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
	if err := e.mayTouch(ec, t, catalog.Update); err != nil {
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
