package exec

import (
	"cmp"
	"context"
	"slices"

	"minidb/kv"
	"minidb/sql/catalog"
	"minidb/sql/internal/parse"
	"minidb/sql/internal/pgcatalog"
	"minidb/sql/sqlerr"
	"minidb/sql/types"
)

// likeSource is a table that a new one takes columns over from.
type likeSource struct {
	table *catalog.Table
	take  parse.LikeOptions
}

// takes reports whether LIKE has an option.
func (l likeSource) takes(o parse.LikeOptions) bool { return l.take&o != 0 }

// likeColumns adds the columns of LIKE. Expressions name columns, so that their texts are good for the new table too.
func (m *tableMaker) likeColumns(ctx context.Context, clause *parse.LikeClause) error {
	r, err := m.lookup(ctx, clause.Table, kv.TableAccessShare)
	if schema := cmp.Or(clause.Table.Schema, "pg_catalog"); err != nil && pgcatalog.Find(schema, clause.Table.Name) != nil {
		return m.unsupported("LIKE of a system table", clause.Table.Pos)
	}
	if err != nil {
		return m.at(err, clause.Table.Pos)
	}
	switch {
	case r.Index != nil:
		return m.notLike(r.Index.Name, "indexes", clause)
	case r.Table.Kind == catalog.KindSequence:
		return m.notLike(r.Table.Name, "sequences", clause)
	}
	if err := m.env.View.CheckTable(ctx, r.Table, catalog.Select); err != nil {
		return err
	}
	l := likeSource{r.Table, clause.Take}
	m.likes = append(m.likes, l)
	for i := range r.Table.Visible() {
		from := &r.Table.Columns[i]
		c := catalog.Column{Name: from.Name, Type: from.Type, NotNull: from.NotNull}
		switch {
		case from.Identity != catalog.NoIdentity:
			if l.takes(parse.LikeIdentity) {
				if err := m.likeIdentity(ctx, r.Table, from, &c); err != nil {
					return err
				}
			}
		case from.Generated != "":
			if l.takes(parse.LikeGenerated) {
				c.Generated = from.Generated
			}
		case l.takes(parse.LikeDefaults):
			c.Default = from.Default
		}
		if err := m.b.AddColumn(c); err != nil {
			return err
		}
	}
	return nil
}

func (m *tableMaker) notLike(name, kind string, clause *parse.LikeClause) error {
	return m.at(sqlerr.New(sqlerr.WrongObjectType, "relation \"%s\" is invalid in LIKE clause", name).
		WithDetail("This operation is not supported for %s.", kind), clause.Table.Pos)
}

// likeIdentity gives a column a sequence of its own, with the options of another identity column's.
func (m *tableMaker) likeIdentity(ctx context.Context, t *catalog.Table, from, c *catalog.Column) error {
	owned, err := m.env.View.OwnedSequences(ctx, t.ID)
	if err != nil {
		return err
	}
	i := slices.IndexFunc(owned, func(s *catalog.Table) bool { return s.Sequence.Identity && s.Sequence.Owner.Column == from.ID })
	if i < 0 {
		return sqlerr.Internal("identity column %s has no sequence", from.Name)
	}
	seq, text, err := m.sequenceForColumn(ctx, m.b.Table().Schema, m.b.Table().Name, c.Name, c.Type, nil)
	if err != nil {
		return err
	}
	was := owned[i].Sequence
	to := seq.Sequence
	to.Start, to.Increment, to.Min, to.Max, to.Cache, to.Cycle = was.Start, was.Increment, was.Min, was.Max, was.Cache, was.Cycle
	to.Last, to.Identity = was.Start, true
	c.Default, c.Identity = text, from.Identity
	m.sequences = append(m.sequences, columnSequence{seq, c.Name})
	return nil
}

// likeConstraints adds the checks and keys of LIKE.
func (m *tableMaker) likeConstraints() error {
	for _, l := range m.likes {
		if l.takes(parse.LikeConstraints) {
			for _, k := range l.table.Checks {
				if err := m.b.AddCheck(k.Name, k.Expr, columnsLike(l.table, m.b.Table(), k.Columns)); err != nil {
					return err
				}
			}
		}
		if !l.takes(parse.LikeIndexes) || l.table.Kind != catalog.KindTable {
			continue
		}
		for _, x := range l.table.AllIndexes() {
			var err error
			var keys []catalog.ColumnID
			for _, k := range x.Keys {
				keys = append(keys, k.Column)
			}
			switch columns := namesOf(l.table, keys); {
			case x.ConstraintOID == 0:
			case x.Primary:
				err = m.b.AddPrimaryKey("", columns, namesOf(l.table, x.Stored))
			default:
				err = m.b.AddUnique("", columns, namesOf(l.table, x.Stored))
			}
			if err != nil {
				return err
			}
		}
	}
	return nil
}

// finishLikes adds to the new table the other indexes of LIKE, and comments.
func (m *tableMaker) finishLikes(ctx context.Context, t *catalog.Table) error {
	for _, l := range m.likes {
		if l.table.Kind != catalog.KindTable {
			continue
		}
		if err := m.likeComments(ctx, l, t); err != nil {
			return err
		}
		for i := range l.table.Indexes {
			x := &l.table.Indexes[i]
			if x.ConstraintOID != 0 || !l.takes(parse.LikeIndexes) {
				continue
			}
			var err error
			if t, err = m.likeIndex(ctx, l, x, t); err != nil {
				return err
			}
		}
	}
	return nil
}

// likeIndex adds an index like one of another table, and gives the table with it.
func (m *tableMaker) likeIndex(ctx context.Context, l likeSource, from *catalog.Index, t *catalog.Table) (*catalog.Table, error) {
	changed := t.Clone()
	same := func(id catalog.ColumnID) catalog.ColumnID {
		c := l.table.Column(id)
		if c.Virtual() {
			return changed.AddVirtual(c.Name, c.Generated, c.Type)
		}
		return changed.ColumnByName(c.Name).ID
	}
	x := catalog.Index{Unique: from.Unique, State: catalog.IndexPublic}
	for _, k := range from.Keys {
		k.Column = same(k.Column)
		x.Keys = append(x.Keys, k)
	}
	for _, id := range from.Stored {
		x.Stored = append(x.Stored, same(id))
	}
	if from.Where != 0 {
		x.Where = same(from.Where)
	}
	x, err := m.env.View.NewIndex(ctx, changed, x, x.Stored)
	if err != nil {
		return nil, err
	}
	changed.Indexes = append(changed.Indexes, x)
	if err := m.env.View.UpdateTable(ctx, t, changed); err != nil {
		return nil, err
	}
	if l.takes(parse.LikeComments) {
		return changed, m.likeComment(ctx, from.OID, 0, x.OID, 0)
	}
	return changed, nil
}

// likeComments copies the comments on columns and checks.
func (m *tableMaker) likeComments(ctx context.Context, l likeSource, t *catalog.Table) error {
	if !l.takes(parse.LikeComments) {
		return nil
	}
	for i := range l.table.Visible() {
		c := &l.table.Columns[i]
		if err := m.likeComment(ctx, l.table.OID, c.ID, t.OID, t.ColumnByName(c.Name).ID); err != nil {
			return err
		}
	}
	for _, k := range l.table.Checks {
		i := slices.IndexFunc(t.Checks, func(o catalog.Check) bool { return o.Name == k.Name })
		if i < 0 {
			continue
		}
		if err := m.likeComment(ctx, k.OID, 0, t.Checks[i].OID, 0); err != nil {
			return err
		}
	}
	return nil
}

func (m *tableMaker) likeComment(ctx context.Context, from types.OID, fromColumn catalog.ColumnID, to types.OID, toColumn catalog.ColumnID) error {
	text, ok, err := m.env.View.Comment(ctx, from, fromColumn)
	if !ok || err != nil {
		return err
	}
	return m.env.View.SetComment(to, toColumn, text)
}

// namesOf are the names of columns.
func namesOf(t *catalog.Table, ids []catalog.ColumnID) []string {
	names := make([]string, len(ids))
	for i, id := range ids {
		names[i] = t.Column(id).Name
	}
	return names
}

// columnsLike are the columns of another table with the same names.
func columnsLike(from, to *catalog.Table, ids []catalog.ColumnID) []catalog.ColumnID {
	out := make([]catalog.ColumnID, len(ids))
	for i, id := range ids {
		out[i] = to.ColumnByName(from.Column(id).Name).ID
	}
	return out
}
