package pgwire

import (
	"strconv"
	"strings"

	"github.com/jackc/pgproto3/v2"

	"minidb/sql"
	"minidb/sql/sqlerr"
	"minidb/sql/types"
)

// boundPortal is a portal with the formats that its client wants.
type boundPortal struct {
	portal
	formats []int16
	done    bool // it has given all its rows
	again   bool // it was executed before
}

// parse handles Parse.
func (c *conn) parse(body []byte) error {
	var m pgproto3.Parse
	if err := decode(&m, body); err != nil {
		return err
	}
	if m.Name == "" {
		c.unnamed = nil // also if what follows fails
	} else if c.sess.Statement(m.Name) != nil {
		return sqlerr.New(sqlerr.DuplicatePreparedStatement, "prepared statement \"%s\" already exists", m.Name)
	}
	if err := types.CheckUTF8([]byte(m.Name + m.Query)); err != nil {
		return err
	}
	oids := make([]types.OID, len(m.ParameterOIDs))
	for i, oid := range m.ParameterOIDs {
		oids[i] = types.OID(oid)
	}
	c.beginCall()
	p, err := c.sess.Prepare(c.ctx, m.Query, oids)
	c.endCall()
	if err != nil {
		return err
	}
	if m.Name == "" {
		c.unnamed = p
	} else {
		c.sess.KeepStatement(m.Name, p)
	}
	c.w.sendEmpty('1') // ParseComplete
	return nil
}

// statement finds a prepared statement.
func (c *conn) statement(name string) (prepared, error) {
	if name == "" {
		if c.unnamed == nil {
			return nil, sqlerr.New(sqlerr.InvalidSQLStatementName, "unnamed prepared statement does not exist")
		}
		return c.unnamed, nil
	}
	if st := c.sess.Statement(name); st != nil {
		return st, nil
	}
	return nil, sqlerr.New(sqlerr.InvalidSQLStatementName, "prepared statement \"%s\" does not exist", name)
}

// portal finds a portal.
func (c *conn) portal(name string) (*boundPortal, error) {
	if p := c.portals[name]; p != nil {
		return p, nil
	}
	if p := c.sess.CursorPortal(name); p != nil {
		return &boundPortal{portal: p}, nil
	}
	return nil, sqlerr.New(sqlerr.InvalidCursorName, "portal \"%s\" does not exist", name)
}

// bind handles Bind.
func (c *conn) bind(body []byte) error {
	m := &c.bindMessage
	if err := m.decode(body); err != nil {
		return err
	}
	st, err := c.statement(m.PreparedStatement)
	if err != nil {
		return err
	}
	if name := m.DestinationPortal; name != "" && (c.portals[name] != nil || c.sess.CursorPortal(name) != nil) {
		return sqlerr.New(sqlerr.DuplicateCursor, "cursor \"%s\" already exists", m.DestinationPortal)
	}
	args, err := c.arguments(st, m)
	if err != nil {
		return err
	}
	formats, err := resultFormats(m, len(st.Columns()))
	if err != nil {
		return err
	}
	c.closePortal(m.DestinationPortal)
	c.beginCall()
	p, err := c.sess.Bind(c.ctx, st, args)
	c.endCall()
	if err != nil {
		return err
	}
	c.portals[m.DestinationPortal] = &boundPortal{portal: p, formats: formats}
	c.w.sendEmpty('2') // BindComplete
	return nil
}

// arguments reads the parameters of a Bind message.
func (c *conn) arguments(st prepared, m *bindMessage) ([]types.Datum, error) {
	want := st.ParamTypes()
	if n := len(m.ParameterFormatCodes); n > 1 && n != len(m.Parameters) {
		return nil, sqlerr.New(sqlerr.ProtocolViolation, "bind message has %d parameter formats but %d parameters",
			n, len(m.Parameters))
	}
	if len(m.Parameters) != len(want) {
		return nil, sqlerr.New(sqlerr.ProtocolViolation,
			"bind message supplies %d parameters, but prepared statement \"%s\" requires %d", len(m.Parameters), m.PreparedStatement, len(want))
	}
	if len(want) == 0 {
		return nil, nil
	}
	args := make([]types.Datum, len(want))
	for i, t := range want {
		raw := m.Parameters[i]
		if raw == nil {
			args[i] = types.NullDatum
			continue
		}
		var err error
		switch format := formatOf(m.ParameterFormatCodes, i); format {
		case textFormat:
			args[i], err = c.sess.Argument(c.ctx, t, raw, false)
		case binaryFormat:
			args[i], err = c.decodeParameter(t, raw, i+1)
		default:
			err = badFormat(format)
		}
		if err != nil {
			return nil, err
		}
	}
	return args, nil
}

// decodeParameter names the parameter in the error, as PostgreSQL does where a value is too long.
func (c *conn) decodeParameter(t types.Type, raw []byte, number int) (types.Datum, error) {
	d, err := c.sess.Argument(c.ctx, t, raw, true)
	if e, ok := sqlerr.As(err); ok && e.Message == "incorrect binary data format" {
		e.Message = sqlerr.New(e.Code, "incorrect binary data format in bind parameter %d", number).Message
	}
	return d, err
}

func badFormat(code int16) error {
	return sqlerr.New(sqlerr.InvalidParameterValue, "unsupported format code: %d", code)
}

// resultFormats checks the formats that a Bind message asks for.
func resultFormats(m *bindMessage, columns int) ([]int16, error) {
	formats := m.ResultFormatCodes
	if columns == 0 {
		return nil, nil
	}
	if len(formats) > 1 && len(formats) != columns {
		return nil, sqlerr.New(sqlerr.ProtocolViolation, "bind message has %d result formats but query has %d columns",
			len(formats), columns)
	}
	for _, f := range formats {
		if f != textFormat && f != binaryFormat {
			return nil, badFormat(f)
		}
	}
	return formats, nil
}

// describe handles Describe.
func (c *conn) describe(body []byte) error {
	var m pgproto3.Describe
	if err := decode(&m, body); err != nil {
		return err
	}
	switch m.ObjectType {
	case 'S':
		st, err := c.statement(m.Name)
		if err != nil {
			return err
		}
		var d pgproto3.ParameterDescription
		for _, t := range st.ParamTypes() {
			d.ParameterOIDs = append(d.ParameterOIDs, uint32(t.OID))
		}
		c.w.send(&d)
		c.w.describe(st.Columns(), nil)
	case 'P':
		p, err := c.portal(m.Name)
		if err != nil {
			return err
		}
		c.w.describe(p.Columns(), p.formats)
	default:
		return protocolError("invalid DESCRIBE message subtype %d", m.ObjectType).WithSeverity(sqlerr.SeverityError)
	}
	return nil
}

// execute handles Execute: rows up to the limit, then PortalSuspended or the end.
func (c *conn) execute(body []byte) error {
	r := bodyReader{rest: body}
	name, maxRows := r.name(""), r.uint32()
	if err := r.err(); err != nil {
		return err
	}
	p, err := c.portal(name)
	if err != nil {
		return err
	}
	if p.done && p.Columns() == nil && p.Tag() != "" {
		return sqlerr.New(sqlerr.ObjectNotInPrerequisite, "portal \"%s\" cannot be run", name)
	}
	limit := int(int32(maxRows)) // 0 and below: no limit
	sent := 0
	defer func() { p.again = true }()
	c.beginCall()
	defer c.endCall()
	for left := limit; ; {
		b, err := p.Next(c.ctx, max(left, 0))
		if err != nil {
			return err
		}
		if b == nil {
			p.done = true
			if p.again && p.Columns() != nil {
				c.w.complete(countedTag(p.Tag(), sent))
			} else {
				c.finish(p)
			}
			return nil
		}
		if err := c.sendRows(b, p.formats); err != nil {
			return err
		}
		sent += b.Rows()
		if limit > 0 {
			if left -= b.Rows(); left <= 0 {
				c.w.sendEmpty('s') // PortalSuspended
				return nil
			}
		}
	}
}

// countedTag is the tag of a portal that was executed again: it counts the rows of the last time only.
func countedTag(tag string, rows int) string {
	i := strings.LastIndexByte(tag, ' ') + 1
	if _, err := strconv.Atoi(tag[i:]); err != nil {
		return tag
	}
	return tag[:i] + strconv.Itoa(rows)
}

// closeObject handles Close. What is not there is closed already.
func (c *conn) closeObject(body []byte) error {
	var m pgproto3.Close
	if err := decode(&m, body); err != nil {
		return err
	}
	switch m.ObjectType {
	case 'S':
		if m.Name == "" {
			c.unnamed = nil
		} else {
			c.sess.DropStatement(m.Name)
		}
	case 'P':
		c.closePortal(m.Name)
		c.sess.DropCursor(m.Name)
	default:
		return protocolError("invalid CLOSE message subtype %d", m.ObjectType).WithSeverity(sqlerr.SeverityError)
	}
	c.w.sendEmpty('3') // CloseComplete
	return nil
}

// sync handles Sync: the implicit transaction ends, and so does the skipping after an error.
func (c *conn) sync() error {
	c.beginCall()
	err := c.sess.Sync(c.ctx)
	c.endCall()
	if err != nil {
		c.fail(err)
		c.sess.Fail()
	}
	c.readyForQuery()
	return nil
}

func (c *conn) closePortal(name string) {
	if p := c.portals[name]; p != nil {
		p.Close()
		delete(c.portals, name)
	}
}

// Portal is a portal by name, for FETCH.
func (c *conn) Portal(name string) *sql.Portal {
	if p := c.portals[name]; p != nil && name != "" {
		sp, _ := p.portal.(*sql.Portal)
		return sp
	}
	return nil
}

// ClosePortal is closePortal for CLOSE.
func (c *conn) ClosePortal(name string) { c.closePortal(name) }

// closePortals closes all portals: they do not outlive their transaction.
func (c *conn) closePortals() {
	for name := range c.portals {
		c.closePortal(name)
	}
}

// closeUnnamed does what a Query message does to the extended protocol.
func (c *conn) closeUnnamed() {
	c.unnamed = nil
	c.closePortal("")
}
