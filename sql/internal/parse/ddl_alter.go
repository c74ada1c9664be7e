package parse

import "strings"

// alterKinds are the objects that ALTER names and this package knows.
var alterKinds = map[string]ObjectKind{
	"table": TableObject, "index": IndexObject, "view": ViewObject, "sequence": SequenceObject,
	"schema": SchemaObject, "database": DatabaseObject, "type": TypeObject, "role": RoleObject,
	"user": RoleObject, "group": RoleObject, "materialized": MatViewObject,
}

// alter transcribes ALTER ….
func (p *parser) alter() Stmt {
	at := p.stmtHere()
	p.expect("alter")
	kw := p.tok.kw
	kind, ok := alterKinds[kw]
	switch {
	case kw == "system":
		return p.alterSystem(at)
	case kw == "function":
		return p.alterFunction(at)
	case p.ahead("default", "privileges"):
		return p.alterDefaultPrivileges(at)
	case p.ahead("user", "mapping"):
		p.unsupported(at.Pos, "ALTER USER MAPPING")
	case !ok:
		if what, known := refused[kw]; known || kw == "extension" || kw == "large" || kw == "routine" {
			if what == "" {
				what = kw
			}
			p.unsupported(at.Pos, "ALTER "+strings.ToUpper(what))
		}
		p.fail()
	}
	p.next()
	if kind == MatViewObject {
		p.expect("view")
	}
	switch kind {
	case RoleObject:
		return p.alterRole(at, kw)
	case DatabaseObject:
		return p.alterDatabase(at)
	case SchemaObject:
		return p.alterNamed(at, kind)
	case TypeObject:
		return p.alterType(at)
	}
	return p.alterRelation(at, kind)
}

// alterRelation transcribes ALTER TABLE, INDEX, VIEW, MATERIALIZED VIEW and SEQUENCE.
func (p *parser) alterRelation(at stmtAt, kind ObjectKind) Stmt {
	if p.ahead("all", "in") {
		p.unsupported(at.Pos, "ALTER ALL IN TABLESPACE")
	}
	ifExists := p.ifExists()
	ref := p.relation()
	switch {
	case p.accept("rename"):
		return p.rename(at, kind, ref, ifExists)
	case p.acceptSeq("set", "schema"):
		return &SetSchemaStmt{stmtAt: at, Kind: kind, Name: ref.Name, IfExists: ifExists, Schema: p.colID()}
	case p.is("attach"), p.is("detach"), p.is("depends"), p.ahead("no", "depends"):
		p.unsupported(p.pos(), "ALTER … "+strings.ToUpper(p.tok.kw))
	}
	if kind == SequenceObject {
		if opts := p.sequenceOptions(); opts != nil {
			return &AlterSequenceStmt{stmtAt: at, Name: ref.Name, IfExists: ifExists, Options: opts}
		}
	}
	s := &AlterTableStmt{stmtAt: at, Kind: kind, Table: ref, IfExists: ifExists}
	for more := true; more; more = p.acceptKind(',') {
		s.Cmds = append(s.Cmds, p.alterCmd())
	}
	return s
}

func (p *parser) rename(at stmtAt, kind ObjectKind, ref *TableRef, ifExists bool) Stmt {
	s := &RenameStmt{stmtAt: at, Kind: kind, Name: ref.Name, Only: ref.Only, IfExists: ifExists}
	switch {
	case p.accept("to"):
		s.NewName = p.colID()
		return s
	case kind == IndexObject, kind == SequenceObject:
		p.fail()
	case p.accept("constraint"):
		s.SubKind = ConstraintObject
	default:
		p.accept("column")
		s.SubKind = ColumnObject
	}
	s.Sub = p.colID()
	p.expect("to")
	s.NewName = p.colID()
	return s
}

// alterCmd transcribes one command of ALTER TABLE.
func (p *parser) alterCmd() *AlterCmd {
	c := &AlterCmd{Pos: p.pos()}
	switch kw := p.tok.kw; kw {
	case "add":
		p.next()
		p.alterAdd(c)
	case "drop":
		p.next()
		p.alterDrop(c)
	case "alter":
		p.next()
		p.alterColumn(c)
	case "validate":
		p.next()
		p.expect("constraint")
		c.Kind, c.Name = ValidateConstraint, p.colID()
	case "owner":
		p.next()
		p.expect("to")
		c.Kind, c.Name = ChangeOwner, p.roleName().String()
	case "set":
		p.next()
		p.alterSet(c)
	case "reset":
		p.next()
		c.Kind, c.Options = ResetOptions, p.definition()
	case "cluster":
		p.next()
		p.expect("on")
		c.Kind, c.Name = ClusterOn, p.colID()
	case "enable", "disable", "force", "no", "inherit", "of", "not", "replica", "options":
		p.unsupported(p.pos(), "ALTER TABLE … "+strings.ToUpper(kw)+" "+strings.ToUpper(p.look(1).str))
	default:
		p.fail()
	}
	return c
}

func (p *parser) alterAdd(c *AlterCmd) {
	if p.startsTableConstraint() {
		c.Kind, c.Constraint = AddConstraint, p.tableConstraint()
		return
	}
	c.Kind = AddColumn
	p.accept("column")
	c.IfNotExists = p.ifNotExists()
	c.Column = p.columnDef()
}

func (p *parser) alterDrop(c *AlterCmd) {
	c.Kind = DropColumn
	if p.accept("constraint") {
		c.Kind = DropConstraint
	} else {
		p.accept("column")
	}
	c.IfExists = p.ifExists()
	c.Name = p.colID()
	c.Cascade = p.cascade()
}

// cascade reads CASCADE or RESTRICT if it is there.
func (p *parser) cascade() bool {
	if p.accept("cascade") {
		return true
	}
	p.accept("restrict")
	return false
}

func (p *parser) alterSet(c *AlterCmd) {
	switch {
	case p.tok.kind == '(':
		c.Kind, c.Options = SetOptions, p.definition()
	case p.accept("tablespace"):
		c.Kind, c.Name = SetTablespace, p.colID()
	case p.accept("logged"):
		c.Kind = SetLogged
	case p.accept("unlogged"):
		c.Kind = SetUnlogged
	case p.acceptSeq("without", "cluster"):
		c.Kind = SetWithoutCluster
	case p.acceptSeq("without", "oids"), p.is("access"):
		p.unsupported(c.Pos, "ALTER TABLE … SET ACCESS METHOD or WITHOUT OIDS")
	default:
		p.fail()
	}
}

// alterColumn transcribes what follows ALTER [COLUMN].
func (p *parser) alterColumn(c *AlterCmd) {
	if p.accept("constraint") {
		c.Kind = AlterConstraint
		c.Constraint = &Constraint{Pos: p.pos(), Name: p.colID()}
		for p.constraintAttr(c.Constraint) {
		}
		return
	}
	p.accept("column")
	if p.tok.kind == tokInt {
		p.unsupported(p.pos(), "ALTER INDEX … ALTER COLUMN number")
	}
	c.Name = p.colID()
	switch {
	case p.acceptSeq("set", "default"):
		c.Kind = SetDefault
		start := p.i
		p.exprInto(&c.Expr, p.expr)
		c.ExprText = p.source(start)
	case p.acceptSeq("drop", "default"):
		c.Kind = DropDefault
	case p.acceptSeq("set", "not", "null"):
		c.Kind = SetNotNull
	case p.acceptSeq("drop", "not", "null"):
		c.Kind = DropNotNull
	case p.acceptSeq("drop", "expression"):
		c.Kind, c.IfExists = DropExpression, p.ifExists()
	case p.acceptSeq("drop", "identity"):
		c.Kind, c.IfExists = DropIdentity, p.ifExists()
	case p.acceptSeq("set", "statistics"):
		c.Kind, c.Value = SetStatistics, p.signedNumber()
	case p.acceptSeq("set", "storage"):
		c.Kind, c.Value = SetStorage, p.colID()
	case p.is("set") && p.look(1).kind == '(', p.is("reset"), p.acceptSeq("set", "compression"), p.is("options"):
		p.unsupported(c.Pos, "options of a column")
	case p.acceptSeq("add", "generated"):
		c.Kind = AddIdentity
		c.Constraint = &Constraint{Pos: p.pos()}
		p.generated(c.Constraint)
		if c.Constraint.Kind != IdentityConstraint {
			p.fail()
		}
	case p.acceptSeq("set", "data"), p.is("type"):
		p.columnType(c)
	case p.is("restart"), p.is("set"):
		p.setIdentity(c)
	default:
		p.fail()
	}
}

// columnType transcribes TYPE type [COLLATE c] [USING expression].
func (p *parser) columnType(c *AlterCmd) {
	p.expect("type")
	c.Kind = SetType
	c.Column = &ColumnDef{Name: c.Name, Pos: p.pos(), Type: p.typeName()}
	if p.accept("collate") {
		name := p.objectName()
		c.Column.Collation = &name
	}
	if p.accept("using") {
		p.exprInto(&c.Using, p.expr)
	}
}

// setIdentity reads RESTART [WITH n] and SET GENERATED …, SET option …; also SET DATA TYPE
// begins with SET.
func (p *parser) setIdentity(c *AlterCmd) {
	c.Kind = SetIdentity
	c.Constraint = &Constraint{Kind: IdentityConstraint}
	con := c.Constraint
	n := 0
	for {
		switch {
		case p.is("restart"):
			con.Sequence = append(con.Sequence, p.sequenceOptions()...)
		case p.acceptSeq("set", "generated"):
			con.Pos = p.pos()
			if p.accept("always") {
				con.Always = true
			} else {
				p.expectSeq("by", "default")
			}
		case p.is("set"):
			p.next()
			opts := p.sequenceOptions()
			if opts == nil {
				p.fail()
			}
			con.Sequence = append(con.Sequence, opts...)
		default:
			if n == 0 {
				p.fail()
			}
			return
		}
		n++
	}
}

// alterNamed transcribes ALTER SCHEMA.
func (p *parser) alterNamed(at stmtAt, kind ObjectKind) Stmt {
	name := p.objectName()
	if p.acceptSeq("rename", "to") {
		return &RenameStmt{stmtAt: at, Kind: kind, Name: name, NewName: p.colID()}
	}
	p.expectSeq("owner", "to")
	return &OwnerStmt{stmtAt: at, Kind: kind, Name: name, Owner: p.roleName().String()}
}

func (p *parser) alterDatabase(at stmtAt) Stmt {
	pos, name := p.pos(), p.colID()
	switch {
	case p.acceptSeq("rename", "to"):
		return &RenameStmt{
			stmtAt: at, Kind: DatabaseObject, Name: ObjectName{Name: name, Pos: pos}, NewName: p.colID(),
		}
	case p.acceptSeq("owner", "to"):
		return &OwnerStmt{
			stmtAt: at, Kind: DatabaseObject, Name: ObjectName{Name: name, Pos: pos}, Owner: p.roleName().String(),
		}
	case p.ahead("set", "tablespace"), p.is("refresh"):
		p.unsupported(p.pos(), "ALTER DATABASE … "+strings.ToUpper(p.tok.kw))
	case p.is("set"), p.is("reset"):
		return &AlterSettingStmt{stmtAt: at, Kind: DatabaseObject, Name: name, Set: p.setting()}
	}
	p.accept("with")
	return &AlterDatabaseStmt{stmtAt: at, Name: name, Options: p.databaseOptions()}
}

func (p *parser) alterType(at stmtAt) Stmt {
	name := p.objectName()
	switch {
	case p.acceptSeq("add", "value"):
		s := &AlterEnumStmt{stmtAt: at, Name: name, IfNotExists: p.ifNotExists(), Label: p.str()}
		if p.is("before") || p.is("after") {
			s.Before = p.is("before")
			p.next()
			s.Neighbour = p.str()
		}
		return s
	case p.acceptSeq("rename", "value"):
		s := &AlterEnumStmt{stmtAt: at, Name: name, Rename: p.str()}
		p.expect("to")
		s.Label = p.str()
		return s
	case p.acceptSeq("rename", "to"):
		return &RenameStmt{stmtAt: at, Kind: TypeObject, Name: name, NewName: p.colID()}
	case p.acceptSeq("owner", "to"):
		return &OwnerStmt{stmtAt: at, Kind: TypeObject, Name: name, Owner: p.roleName().String()}
	case p.acceptSeq("set", "schema"):
		return &SetSchemaStmt{stmtAt: at, Kind: TypeObject, Name: name, Schema: p.colID()}
	}
	switch p.tok.kw {
	case "add", "drop", "alter", "rename", "set":
		p.unsupported(p.pos(), "ALTER TYPE of a composite or base type")
	}
	p.fail()
	return nil
}
