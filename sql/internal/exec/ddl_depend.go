package exec

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"minidb/kv"
	"minidb/sql/catalog"
	"minidb/sql/rowenc"
	"minidb/sql/sqlerr"
	"minidb/sql/types"
)

// object is something that can be dropped and that others may depend on.
type object struct {
	kind objectKind
	// table is the relation, or the one that the rest is a part of.
	table      *catalog.Table
	column     catalog.ColumnID // of objectColumn and objectDefault
	constraint types.OID        // of objectConstraint
	enum       *catalog.Enum
	function   *catalog.Function
	schema     *catalog.Schema
}

type objectKind uint8

const (
	objectRelation objectKind = iota
	objectColumn
	objectDefault
	objectConstraint
	objectEnum
	objectEnumArray
	objectSchema
	objectFunction
)

// objectKey tells objects apart.
type objectKey struct {
	kind objectKind
	id   catalog.ID
	part uint32
}

func (o object) key() objectKey {
	switch o.kind {
	case objectEnum, objectEnumArray:
		return objectKey{o.kind, o.enum.ID, 0}
	case objectSchema:
		return objectKey{o.kind, o.schema.ID, 0}
	case objectFunction:
		return objectKey{o.kind, o.function.ID, 0}
	}
	return objectKey{o.kind, o.table.ID, uint32(o.column) + uint32(o.constraint)}
}

// oid is what dependents are listed by.
func (o object) oid() types.OID {
	switch o.kind {
	case objectEnum:
		return o.enum.OID
	case objectEnumArray:
		return o.enum.OID + 1
	case objectSchema:
		return o.schema.OID
	case objectFunction:
		return o.function.OID
	case objectConstraint:
		return o.constraint
	case objectDefault:
		return o.table.Column(o.column).DefaultOID
	}
	return o.table.OID
}

// dropSet is what one DROP takes along: the objects that it names, in order, each followed by what depends on it.
type dropSet struct {
	*ddl
	contents catalog.Contents
	found    []dropped
	keys     map[objectKey]bool
}

// dropped is an object of a dropSet.
type dropped struct {
	object
	on    object // what it depends on
	named bool   // the statement named it
	auto  bool   // it goes without asking: a part, or owned
}

// drop drops the objects and, if cascade, what depends on them; without it, that something does is an error. The objects are locked.
func (d *ddl) dropObjects(ctx context.Context, objects []object, cascade bool) error {
	s := dropSet{ddl: d, keys: map[objectKey]bool{}}
	var err error
	if s.contents, err = d.env.View.Contents(ctx); err != nil {
		return err
	}
	for _, o := range objects {
		if !s.keys[o.key()] {
			s.keys[o.key()] = true
			s.found = append(s.found, dropped{object: o, named: true})
		}
	}
	for i := 0; i < len(s.found); i++ {
		if s.found[i].named {
			s.collect(s.found[i].object, &i)
		}
	}
	if err := s.report(ctx, cascade); err != nil {
		return err
	}
	return s.apply(ctx)
}

// collect adds what depends on o right behind place at, depth first, and moves at to the last of it.
func (s *dropSet) collect(o object, at *int) {
	deps := s.dependents(o)
	slices.SortStableFunc(deps, func(a, b dropped) int {
		return cmp.Or(cmp.Compare(a.oid(), b.oid()), cmp.Compare(b.column, a.column))
	})
	for _, dep := range deps {
		if s.keys[dep.key()] || s.covered(dep.object) {
			continue
		}
		s.keys[dep.key()] = true
		*at++
		s.found = slices.Insert(s.found, *at, dep)
		s.collect(dep.object, at)
	}
}

// covered reports whether a part of a relation goes with the relation.
func (s *dropSet) covered(o object) bool {
	switch o.kind {
	case objectEnum, objectEnumArray, objectSchema, objectRelation, objectFunction:
		return false
	}
	return s.keys[objectKey{objectRelation, o.table.ID, 0}] || o.kind == objectDefault && s.keys[objectKey{objectColumn, o.table.ID, uint32(o.column)}]
}

// withColumn reports whether a constraint goes with a column that it is on.
func (s *dropSet) withColumn(o object) bool {
	if o.kind != objectConstraint {
		return false
	}
	gone := func(id catalog.ColumnID) bool { return s.keys[objectKey{objectColumn, o.table.ID, uint32(id)}] }
	if fk := o.table.ForeignKey(o.constraint); fk != nil {
		return slices.ContainsFunc(fk.Columns, gone)
	}
	return slices.ContainsFunc(o.table.Checks, func(k catalog.Check) bool { return k.OID == o.constraint && slices.ContainsFunc(k.Columns, gone) })
}

// dependents are the objects that depend on o directly.
func (s *dropSet) dependents(o object) []dropped {
	var out []dropped
	add := func(auto bool, dep object) { out = append(out, dropped{object: dep, on: o, auto: auto}) }
	switch o.kind {
	case objectRelation:
		for _, k := range o.table.Inbound {
			if k.Table != o.table.ID {
				s.addConstraint(k, add)
			}
		}
		s.addViews(o.table.OID, 0, add)
		s.addFunctions(o.table.OID, add)
		s.addOwned(o.table.ID, 0, add)
		if o.table.Kind == catalog.KindSequence {
			s.addDefaults(o.table.OID, add)
		}
	case objectColumn:
		for _, k := range o.table.Inbound {
			if fk := s.foreignKey(k); fk != nil && slices.Contains(fk.RefColumns, o.column) && !(k.Table == o.table.ID && slices.Contains(fk.Columns, o.column)) {
				s.addConstraint(k, add)
			}
		}
		s.addGenerated(o.table, o.column, add)
		s.addViews(o.table.OID, o.column, add)
		s.addOwned(o.table.ID, o.column, add)
	case objectConstraint:
		x := indexOfConstraint(o.table, o.constraint)
		for _, k := range o.table.Inbound {
			if fk := s.foreignKey(k); fk != nil && x != nil && fk.RefIndex == x.ID {
				s.addConstraint(k, add)
			}
		}
	case objectEnum:
		add(true, object{kind: objectEnumArray, enum: o.enum})
		s.addTyped(o.enum.OID, add)
		s.addViews(o.enum.OID, 0, add)
		s.addFunctions(o.enum.OID, add)
		s.addMentions(o.enum.OID, add)
	case objectEnumArray:
		s.addTyped(o.enum.OID+1, add)
		s.addFunctions(o.enum.OID+1, add)
	case objectFunction:
		s.addViews(o.function.OID, 0, add)
		s.addFunctions(o.function.OID, add)
	case objectSchema:
		s.addContained(o.schema.ID, add)
	}
	return out
}

func (s *dropSet) table(id catalog.ID) *catalog.Table {
	for _, t := range s.contents.Tables {
		if t.ID == id {
			return t
		}
	}
	return nil
}

func (s *dropSet) foreignKey(k catalog.InboundKey) *catalog.ForeignKey {
	if t := s.table(k.Table); t != nil {
		return t.ForeignKey(k.OID)
	}
	return nil
}

func (s *dropSet) addConstraint(k catalog.InboundKey, add func(bool, object)) {
	if t := s.table(k.Table); t != nil {
		add(false, object{kind: objectConstraint, table: t, constraint: k.OID})
	}
}

// addViews adds the views that use a relation or type, or a column of it.
func (s *dropSet) addViews(oid types.OID, column catalog.ColumnID, add func(bool, object)) {
	for _, t := range s.contents.Tables {
		if t.Kind != catalog.KindView {
			continue
		}
		for _, u := range t.View.Uses {
			if u.OID == oid && (column == 0 || slices.Contains(u.Columns, column)) {
				add(false, object{kind: objectRelation, table: t})
				break
			}
		}
	}
}

// addOwned adds the sequences that a table's columns own, or one column.
func (s *dropSet) addOwned(table catalog.ID, column catalog.ColumnID, add func(bool, object)) {
	for _, t := range s.contents.Tables {
		if t.Kind == catalog.KindSequence && t.Sequence.Owner.Table == table && (column == 0 || t.Sequence.Owner.Column == column) {
			add(true, object{kind: objectRelation, table: t})
		}
	}
}

// addDefaults adds the columns' defaults that mention a sequence.
func (s *dropSet) addDefaults(oid types.OID, add func(bool, object)) {
	mention := "'" + strconv.Itoa(int(oid)) + "'::regclass"
	for _, t := range s.contents.Tables {
		for i := range t.Columns {
			if c := &t.Columns[i]; strings.Contains(c.Default, mention) {
				add(false, object{kind: objectDefault, table: t, column: c.ID})
			}
		}
	}
}

// addContained adds what is in a schema.
func (s *dropSet) addContained(schema catalog.ID, add func(bool, object)) {
	for _, t := range s.contents.Tables {
		// A sequence that a column owns comes with its table.
		if t.Schema == schema && (t.Kind != catalog.KindSequence || t.Sequence.Owner.Table == 0) {
			add(false, object{kind: objectRelation, table: t})
		}
	}
	for _, e := range s.contents.Enums {
		if e.Schema == schema {
			add(false, object{kind: objectEnum, enum: e})
		}
	}
	for _, f := range s.contents.Functions {
		if f.Schema == schema {
			add(false, object{kind: objectFunction, function: f})
		}
	}
}

// maxReported is how many dependents a message lists.
const maxReported = 100

// report tells what goes along in notices, or that it must not.
func (s *dropSet) report(ctx context.Context, cascade bool) error {
	var lines []string
	var named []object
	for _, o := range s.found {
		switch {
		case o.named:
			named = append(named, o.object)
		case o.auto, s.withColumn(o.object):
		case cascade:
			lines = append(lines, "drop cascades to "+s.describe(ctx, o.object))
		default:
			lines = append(lines, s.describe(ctx, o.object)+" depends on "+s.describeTarget(ctx, o.on))
		}
	}
	if len(lines) == 0 {
		return nil
	}
	n := len(lines)
	if n > maxReported {
		lines = append(lines[:maxReported], fmt.Sprintf("and %d other objects (see server log for list)", n-maxReported))
	}
	detail := strings.Join(lines, "\n")
	if cascade {
		if n == 1 {
			s.env.Notice(sqlerr.Notice(sqlerr.SuccessfulCompletion, "%s", detail))
		} else {
			s.env.Notice(sqlerr.Notice(sqlerr.SuccessfulCompletion, "drop cascades to %d other objects", n).WithDetail("%s", detail))
		}
		return nil
	}
	what := "cannot drop desired object(s) because other objects depend on them"
	if len(named) == 1 {
		what = "cannot drop " + s.describe(ctx, named[0]) + " because other objects depend on it"
	}
	return sqlerr.New(sqlerr.DependentObjectsStillExist, "%s", what).WithDetail("%s", detail).
		WithHint("Use DROP ... CASCADE to drop the dependent objects too.")
}

// describeTarget is what a dependent is said to depend on: the index of a constraint that has one.
func (s *dropSet) describeTarget(ctx context.Context, o object) string {
	if o.kind == objectConstraint {
		if x := indexOfConstraint(o.table, o.constraint); x != nil {
			return "index " + s.qualified(ctx, o.table.Schema, x.Name)
		}
	}
	return s.describe(ctx, o)
}

// describe is an object as messages name it.
func (s *dropSet) describe(ctx context.Context, o object) string {
	switch o.kind {
	case objectRelation:
		kind := "table"
		if o.table.Kind != catalog.KindTable {
			kind = string(o.table.Kind)
		}
		return kind + " " + s.relationName(ctx, o.table)
	case objectColumn:
		return "column " + o.table.Column(o.column).Name + " of table " + s.relationName(ctx, o.table)
	case objectDefault:
		return "default value for column " + o.table.Column(o.column).Name + " of table " + s.relationName(ctx, o.table)
	case objectConstraint:
		return "constraint " + constraintName(o.table, o.constraint) + " on table " + s.relationName(ctx, o.table)
	case objectEnum:
		return "type " + s.qualified(ctx, o.enum.Schema, o.enum.Name)
	case objectEnumArray:
		return "type " + s.qualified(ctx, o.enum.Schema, o.enum.Name) + "[]"
	}
	if o.kind == objectFunction {
		return "function " + s.functionName(ctx, o.function)
	}
	return "schema " + o.schema.Name
}

// relationName is a relation's name, with its schema unless the search path has that.
func (d *ddl) relationName(ctx context.Context, t *catalog.Table) string {
	return d.qualified(ctx, t.Schema, t.Name)
}

func (d *ddl) qualified(ctx context.Context, schema catalog.ID, name string) string {
	s, err := d.env.View.SchemaByID(ctx, schema)
	if err != nil || slices.Contains(d.env.SearchPath, s.Name) {
		return name
	}
	return s.Name + "." + name
}

// indexOfConstraint is the index that a PRIMARY KEY or UNIQUE constraint made; nil for other constraints.
func indexOfConstraint(t *catalog.Table, oid types.OID) *catalog.Index {
	for _, x := range t.AllIndexes() {
		if x.ConstraintOID == oid && oid != 0 {
			return x
		}
	}
	return nil
}

func constraintName(t *catalog.Table, oid types.OID) string {
	if x := indexOfConstraint(t, oid); x != nil {
		return x.Name
	}
	if fk := t.ForeignKey(oid); fk != nil {
		return fk.Name
	}
	for i := range t.Checks {
		if t.Checks[i].OID == oid {
			return t.Checks[i].Name
		}
	}
	return ""
}

// apply drops everything, dependents first.
func (s *dropSet) apply(ctx context.Context) error {
	for i := len(s.found) - 1; i >= 0; i-- {
		o := s.found[i].object
		if err := s.applyOne(ctx, o); err != nil {
			return err
		}
	}
	return nil
}

func (s *dropSet) applyOne(ctx context.Context, o object) error {
	switch o.kind {
	case objectEnum:
		return s.env.View.DropEnum(ctx, o.enum)
	case objectEnumArray:
		return nil
	case objectSchema:
		return s.env.View.DropSchema(ctx, o.schema)
	case objectFunction:
		return s.env.View.DropFunction(ctx, o.function)
	}
	if err := s.env.View.LockTable(ctx, o.table.ID, kv.TableAccessExclusive); err != nil {
		return err
	}
	t, err := s.env.View.TableForChange(ctx, o.table.ID)
	if catalog.IsNotFound(err) {
		return nil // it went with something else
	}
	if err != nil {
		return err
	}
	if o.kind == objectRelation {
		return s.dropRelation(ctx, t)
	}
	a := s.alteration(t)
	switch o.kind {
	case objectDefault:
		c := a.t.Column(o.column)
		c.Default, c.DefaultOID = "", 0
	case objectColumn:
		err = a.dropColumn(ctx, o.column)
	case objectConstraint:
		err = a.dropConstraint(ctx, o.constraint)
	}
	if err != nil {
		return err
	}
	return a.finish(ctx)
}

// dropRelation drops a table, view or sequence on which nothing depends any more.
func (d *ddl) dropRelation(ctx context.Context, t *catalog.Table) error {
	for i := range t.ForeignKeys {
		if err := d.removeInbound(ctx, t, &t.ForeignKeys[i]); err != nil {
			return err
		}
	}
	if t.Kind == catalog.KindTable {
		d.env.Txn.DropSpan(rowenc.TableSpan(t.ID))
	}
	if err := d.env.View.DropComments(ctx, t.OID); err != nil {
		return err
	}
	return d.env.View.DropTable(t)
}

// removeInbound tells the table that a foreign key references that it does not any more.
func (d *ddl) removeInbound(ctx context.Context, child *catalog.Table, fk *catalog.ForeignKey) error {
	if fk.References == child.ID {
		return nil
	}
	if err := d.env.View.LockTable(ctx, fk.References, kv.TableAccessExclusive); err != nil {
		return err
	}
	parent, err := d.env.View.TableForChange(ctx, fk.References)
	if errors.Is(err, catalog.ErrNotFound) {
		return nil // the statement has dropped it already
	}
	if err != nil {
		return err
	}
	changed := parent.Clone()
	changed.Inbound = slices.DeleteFunc(changed.Inbound, func(k catalog.InboundKey) bool { return k.Table == child.ID && k.OID == fk.OID })
	return d.env.View.UpdateTable(ctx, parent, changed)
}
