package pgwire

import (
	"bytes"

	"minidb/sql/types"
)

// query handles a Query message: several statements, each answered by its rows and a tag, and one ReadyForQuery.
func (c *conn) query(body []byte) error {
	text, rest, ok := bytes.Cut(body, []byte{0})
	if !ok || len(rest) > 0 {
		return protocolError("invalid message format")
	}
	c.closeUnnamed()
	err := types.CheckUTF8(text)
	if err != nil {
		c.sess.Fail()
	} else {
		c.beginCall()
		err = c.sess.Query(c.ctx, string(text), c.runSimple)
		c.endCall()
	}
	if err != nil {
		c.fail(err)
	}
	c.readyForQuery()
	return nil
}

// runSimple answers one statement of a Query message.
func (c *conn) runSimple(p portal) error {
	cols := p.Columns()
	if cols != nil {
		c.w.describe(cols, nil)
	}
	for {
		b, err := p.Next(c.ctx, 0)
		if err != nil {
			return err
		}
		if b == nil {
			break
		}
		if err := c.sendRows(b, nil); err != nil {
			return err
		}
	}
	c.finish(p)
	return nil
}

// finish gathers the end of a statement's answer.
func (c *conn) finish(p portal) {
	if tag := p.Tag(); tag != "" || p.Columns() != nil {
		c.w.complete(tag)
		return
	}
	c.w.sendEmpty('I') // EmptyQueryResponse
}
