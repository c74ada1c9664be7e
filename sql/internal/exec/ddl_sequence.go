package exec

import (
	"context"
	"math"
	"strconv"
	"strings"

	"minidb/kv"
	"minidb/sql/catalog"
	"minidb/sql/internal/expr"
	"minidb/sql/internal/parse"
	"minidb/sql/sqlerr"
	"minidb/sql/types"
)

func (d *ddl) createSequence(ctx context.Context, st *parse.CreateSequenceStmt) error {
	schema, err := d.schemaFor(ctx, st.Name, st.Persistence)
	if err != nil {
		return err
	}
	if st.IfNotExists {
		if found, err := d.exists(ctx, schema.ID, st.Name.Name); found || err != nil {
			return err
		}
	}
	t, err := d.newSequence(ctx, schema, st.Name.Name, types.Int8, st.Options)
	if err != nil {
		return err
	}
	return d.env.View.CreateTable(ctx, t)
}

// newSequence makes a sequence's descriptor out of its options; CreateTable stores it.
func (d *ddl) newSequence(ctx context.Context, schema *catalog.Schema, name string, t types.Type, options []parse.SequenceOption) (*catalog.Table, error) {
	owner, err := d.owner(ctx)
	if err != nil {
		return nil, err
	}
	seq := &catalog.Table{Schema: schema.ID, Name: name, Owner: owner, Sequence: &catalog.Sequence{Type: t}}
	o := sequenceMaker{ddl: d, seq: seq.Sequence, isNew: true}
	if err := o.apply(options); err != nil {
		return nil, err
	}
	if o.owned != nil {
		if err := d.setSequenceOwner(ctx, seq, o.owned); err != nil {
			return nil, err
		}
	}
	return seq, d.env.View.NewSequence(ctx, seq)
}

func (d *ddl) alterSequence(ctx context.Context, st *parse.AlterSequenceStmt) error {
	seq, err := d.sequenceByName(ctx, st.Name, st.IfExists, kv.TableShareRowExclusive)
	if seq == nil || err != nil {
		return err
	}
	return d.changeSequence(ctx, seq, st.Options, false)
}

// sequenceByName finds and locks a sequence; nil if it may be missing and is.
func (d *ddl) sequenceByName(ctx context.Context, name parse.ObjectName, ifExists bool, mode kv.TableLock) (*catalog.Table, error) {
	r, err := d.lookup(ctx, name, mode)
	switch {
	case sqlerr.CodeOf(err) == sqlerr.UndefinedTable && ifExists:
		d.env.Notice(sqlerr.Notice(sqlerr.SuccessfulCompletion, "relation \"%s\" does not exist, skipping", name.Name))
		return nil, nil
	case err != nil:
		return nil, err
	case r.Index != nil || r.Table.Kind != catalog.KindSequence:
		return nil, sqlerr.New(sqlerr.WrongObjectType, "\"%s\" is not a sequence", name.Name)
	}
	return r.Table, d.mustOwn(ctx, r)
}

// changeSequence gives a locked sequence new options. It goes on where it stands unless RESTART says otherwise.
func (d *ddl) changeSequence(ctx context.Context, seq *catalog.Table, options []parse.SequenceOption, identity bool) error {
	seq, err := d.env.View.TableForChange(ctx, seq.ID)
	if err != nil {
		return err
	}
	stands, err := d.env.View.Store().SequenceStanding(ctx, seq)
	if err != nil {
		return err
	}
	changed := seq.Clone()
	o := sequenceMaker{ddl: d, seq: changed.Sequence, stands: stands}
	if err := o.apply(options); err != nil {
		return err
	}
	if o.owned != nil {
		if seq.Sequence.Identity && !identity {
			return sqlerr.New(sqlerr.FeatureNotSupported, "cannot change ownership of identity sequence").
				WithDetail("Sequence \"%s\" is linked to table \"%s\".", seq.Name, d.tableName(ctx, seq.Sequence.Owner.Table))
		}
		if err := d.setSequenceOwner(ctx, changed, o.owned); err != nil {
			return err
		}
	}
	if err := d.env.View.RestartSequence(ctx, changed, o.stands); err != nil {
		return err
	}
	return d.env.View.UpdateTable(ctx, seq, changed)
}

// tableName is the name of a table for messages.
func (d *ddl) tableName(ctx context.Context, id catalog.ID) string {
	t, err := d.env.View.TableByID(ctx, id)
	if err != nil {
		return ""
	}
	return t.Name
}

// setSequenceOwner makes a sequence belong to a column; names is what OWNED BY says.
func (d *ddl) setSequenceOwner(ctx context.Context, seq *catalog.Table, names []string) error {
	n := len(names)
	if n == 1 {
		if names[0] != "none" {
			return sqlerr.New(sqlerr.SyntaxError, "invalid OWNED BY option").WithHint("Specify OWNED BY table.column or OWNED BY NONE.")
		}
		seq.Sequence.Owner = catalog.Owner{}
		return nil
	}
	name := parse.ObjectName{Name: names[n-2]}
	if n > 2 {
		name.Schema = names[n-3]
	}
	r, err := d.lookup(ctx, name, kv.TableAccessShare)
	if err != nil {
		return err
	}
	t := r.Table
	switch {
	case r.Index != nil || t.Kind == catalog.KindSequence:
		return sqlerr.New(sqlerr.WrongObjectType, "sequence cannot be owned by relation \"%s\"", name.Name)
	case t.Owner != seq.Owner:
		return sqlerr.New(sqlerr.ObjectNotInPrerequisite, "sequence must have same owner as table it is linked to")
	case t.Schema != seq.Schema:
		return sqlerr.New(sqlerr.ObjectNotInPrerequisite, "sequence must be in same schema as table it is linked to")
	}
	c := t.ColumnByName(names[n-1])
	if c == nil {
		return sqlerr.New(sqlerr.UndefinedColumn, "column \"%s\" of relation \"%s\" does not exist", names[n-1], t.Name)
	}
	seq.Sequence.Owner = catalog.Owner{Table: t.ID, Column: c.ID}
	return nil
}

// sequenceMaker applies options to a sequence.
type sequenceMaker struct {
	*ddl
	seq    *catalog.Sequence
	isNew  bool
	owned  []string // OWNED BY; nil: not said
	stands catalog.Standing
	given  map[string]*parse.SequenceOption
}

// apply takes the options in the order in which they depend on each other, as PostgreSQL does.
func (m *sequenceMaker) apply(options []parse.SequenceOption) error {
	m.given = map[string]*parse.SequenceOption{}
	for i := range options {
		o := &options[i]
		name := strings.TrimPrefix(o.Name, "no ")
		if m.given[name] != nil {
			return m.at(sqlerr.New(sqlerr.SyntaxError, "conflicting or redundant options"), o.Pos)
		}
		m.given[name] = o
	}
	if o := m.given["owned by"]; o != nil {
		m.owned = o.Owner
	}
	for _, step := range []func() error{m.setType, m.setIncrement, m.setBounds, m.setStart, m.setRestart, m.setCache} {
		if err := step(); err != nil {
			return err
		}
	}
	return nil
}

// number reads the value of an option; ok is false if it was not given.
func (m *sequenceMaker) number(name string) (v int64, ok bool, err error) {
	o := m.given[name]
	if o == nil || o.Value == "" {
		return 0, false, nil
	}
	v, err = strconv.ParseInt(o.Value, 10, 64)
	if err != nil {
		if strings.ContainsAny(o.Value, ".eE") {
			return 0, false, sqlerr.New(sqlerr.InvalidTextRepresentation, "invalid input syntax for type bigint: \"%s\"", o.Value)
		}
		return 0, false, sqlerr.New(sqlerr.NumericValueOutOfRange, "value \"%s\" is out of range for type bigint", o.Value)
	}
	return v, true, nil
}

// integerRange is the least and the greatest value of an integer type.
func integerRange(t types.Type) (least, most int64) {
	switch t.OID {
	case types.Int2OID:
		return math.MinInt16, math.MaxInt16
	case types.Int4OID:
		return math.MinInt32, math.MaxInt32
	}
	return math.MinInt64, math.MaxInt64
}

// setType sets the type, and moves bounds that were the old type's own.
func (m *sequenceMaker) setType() error {
	o := m.given["as"]
	if o == nil {
		return nil
	}
	t, err := m.builder().ResolveType(o.Type)
	if err != nil {
		return err
	}
	if t != types.Int2 && t != types.Int4 && t != types.Int8 {
		return sqlerr.New(sqlerr.InvalidParameterValue, "sequence type must be smallint, integer, or bigint")
	}
	if !m.isNew {
		least, most := integerRange(m.seq.Type)
		newLeast, newMost := integerRange(t)
		if m.seq.Max == most {
			m.seq.Max = newMost
		}
		if m.seq.Min == least {
			m.seq.Min = newLeast
		}
	}
	m.seq.Type = t
	return nil
}

func (m *sequenceMaker) setIncrement() error {
	v, ok, err := m.number("increment")
	switch {
	case err != nil:
		return err
	case ok && v == 0:
		return sqlerr.New(sqlerr.InvalidParameterValue, "INCREMENT must not be zero")
	case ok:
		m.seq.Increment = v
	case m.isNew:
		m.seq.Increment = 1
	}
	if o := m.given["cycle"]; o != nil {
		m.seq.Cycle = o.Name == "cycle"
	}
	return nil
}

func (m *sequenceMaker) setBounds() error {
	least, most := integerRange(m.seq.Type)
	bound := func(name string, place *int64, ascending, descending int64) error {
		v, ok, err := m.number(name)
		switch {
		case err != nil:
			return err
		case ok:
			*place = v
		case m.isNew || m.given[name] != nil:
			*place = ascending
			if m.seq.Increment < 0 {
				*place = descending
			}
		}
		if *place < least || *place > most {
			return sqlerr.New(sqlerr.InvalidParameterValue, "%s (%d) is out of range for sequence data type %s", strings.ToUpper(name), *place, m.seq.Type.Format())
		}
		return nil
	}
	if err := bound("maxvalue", &m.seq.Max, most, -1); err != nil {
		return err
	}
	if err := bound("minvalue", &m.seq.Min, 1, least); err != nil {
		return err
	}
	if m.seq.Min >= m.seq.Max {
		return sqlerr.New(sqlerr.InvalidParameterValue, "MINVALUE (%d) must be less than MAXVALUE (%d)", m.seq.Min, m.seq.Max)
	}
	return nil
}

// within checks a number against the bounds.
func (m *sequenceMaker) within(what string, v int64) error {
	if v < m.seq.Min {
		return sqlerr.New(sqlerr.InvalidParameterValue, "%s value (%d) cannot be less than MINVALUE (%d)", what, v, m.seq.Min)
	}
	if v > m.seq.Max {
		return sqlerr.New(sqlerr.InvalidParameterValue, "%s value (%d) cannot be greater than MAXVALUE (%d)", what, v, m.seq.Max)
	}
	return nil
}

func (m *sequenceMaker) setStart() error {
	v, ok, err := m.number("start")
	switch {
	case err != nil:
		return err
	case ok:
		m.seq.Start = v
	case m.isNew && m.seq.Increment > 0:
		m.seq.Start = m.seq.Min
	case m.isNew:
		m.seq.Start = m.seq.Max
	}
	return m.within("START", m.seq.Start)
}

func (m *sequenceMaker) setRestart() error {
	v, ok, err := m.number("restart")
	switch {
	case err != nil:
		return err
	case ok:
		m.stands = catalog.Standing{Last: v}
	case m.isNew || m.given["restart"] != nil:
		m.stands = catalog.Standing{Last: m.seq.Start}
	}
	m.seq.Last, m.seq.Called = m.stands.Last, m.stands.Called
	return m.within("RESTART", m.stands.Last)
}

func (m *sequenceMaker) setCache() error {
	v, ok, err := m.number("cache")
	switch {
	case err != nil:
		return err
	case ok && v < 1:
		return sqlerr.New(sqlerr.InvalidParameterValue, "CACHE (%d) must be greater than zero", v)
	case ok:
		m.seq.Cache = v
	case m.isNew:
		m.seq.Cache = 1
	}
	return nil
}

// serialTypes are the words that declare a column with a sequence, and the column's type.
var serialTypes = map[string]types.Type{
	"smallserial": types.Int2, "serial2": types.Int2, "serial": types.Int4, "serial4": types.Int4,
	"bigserial": types.Int8, "serial8": types.Int8,
}

// columnSequence is a sequence made for a column of a table that is being made or changed.
type columnSequence struct {
	table  *catalog.Table // the sequence
	column string
}

// sequenceForColumn makes the sequence of a SERIAL or identity column and the text of the column's default.
func (d *ddl) sequenceForColumn(ctx context.Context, schema catalog.ID, table, column string, t types.Type, options []parse.SequenceOption) (*catalog.Table, string, error) {
	name, in := "", &catalog.Schema{ID: schema}
	var rest []parse.SequenceOption
	for _, o := range options {
		if o.Name != "sequence name" {
			rest = append(rest, o)
			continue
		}
		name = o.Owner[len(o.Owner)-1]
	}
	if name == "" {
		var err error
		if name, err = d.env.View.SequenceName(ctx, schema, table, column); err != nil {
			return nil, "", err
		}
	}
	seq, err := d.newSequence(ctx, in, name, t, rest)
	if err != nil {
		return nil, "", err
	}
	return seq, "nextval('" + strconv.Itoa(int(seq.OID)) + "'::regclass)", nil
}

// storedDefault is the text to keep of a column's default: as it was written, but objects by number where it names some.
func storedDefault(e expr.Expr, text string) string {
	named := false
	expr.Walk(e, func(x expr.Expr) bool {
		if c, ok := x.(*expr.Const); ok && c.Type() == types.RegClass {
			named = true
		}
		return true
	})
	if named {
		return expr.Deparse(e, false)
	}
	return storedExpression(e, text)
}

// storedExpression is the text to keep of an expression: as it was written, but with the numbers of types that somebody made
// and of their labels, which renaming them does not change.
func storedExpression(e expr.Expr, text string) string {
	named := false
	expr.Walk(e, func(x expr.Expr) bool {
		switch x.(type) {
		case *expr.Const, *expr.Cast:
			named = named || x.Type().IsUser()
		}
		return true
	})
	if named {
		return expr.DeparseStored(e, false)
	}
	return text
}

// builder makes expressions of the statement.
func (d *ddl) builder() *expr.Builder {
	b := &expr.Builder{Text: d.env.Text, Types: d.env.Eval.Types}
	ctx := d.env.Eval.Ctx
	if ctx == nil {
		ctx = context.Background()
	}
	return d.planner(ctx).RefuseFunctions(b)
}
