package pgwire

import (
	"encoding/binary"
	"io"
	"strings"

	"github.com/jackc/pgproto3/v2"

	"minidb/sql"
	"minidb/sql/sqlerr"
	"minidb/sql/types"
)

const (
	// flushBytes is how much is gathered before it is written though nobody waits for it.
	flushBytes = 16 << 10
	// keptBufferBytes: a buffer that a large row made larger than this is not kept.
	keptBufferBytes = 256 << 10
)

// writer gathers messages and writes them together. After an error it writes nothing more; flush tells.
type writer struct {
	dst io.Writer
	buf []byte
	err error
}

// flush writes what was gathered.
func (w *writer) flush() error {
	if w.err == nil && len(w.buf) > 0 {
		_, w.err = w.dst.Write(w.buf)
	}
	if cap(w.buf) > keptBufferBytes {
		w.buf = nil
	}
	w.buf = w.buf[:0]
	return w.err
}

// send gathers a message.
func (w *writer) send(m pgproto3.BackendMessage) {
	buf, err := m.Encode(w.buf)
	if err != nil { // only a message beyond a gigabyte
		w.err = err
		return
	}
	w.buf = buf
	if len(w.buf) >= flushBytes {
		w.flush()
	}
}

// sendEmpty gathers a message that has no body.
func (w *writer) sendEmpty(typ byte) { w.buf = append(w.buf, typ, 0, 0, 0, 4) }

// ready gathers ReadyForQuery.
func (w *writer) ready(status byte) { w.buf = append(w.buf, 'Z', 0, 0, 0, 5, status) }

// complete gathers CommandComplete.
func (w *writer) complete(tag string) {
	w.buf = binary.BigEndian.AppendUint32(append(w.buf, 'C'), uint32(4+len(tag)+1))
	w.buf = append(append(w.buf, tag...), 0)
}

// describe gathers RowDescription, or NoData if there are no columns.
func (w *writer) describe(cols []sql.Column, formats []int16) {
	if cols == nil {
		w.sendEmpty('n')
		return
	}
	start := len(w.buf)
	buf := append(w.buf, 'T', 0, 0, 0, 0)
	buf = binary.BigEndian.AppendUint16(buf, uint16(len(cols)))
	for i, c := range cols {
		oid, mod := c.Type.OID, c.Type.Mod
		if c.Type.IsRecord() {
			mod = -1 // which fields it has is nobody's business
			if r := c.Type.RowType(); r.OID != 0 {
				oid = r.OID
			}
		}
		buf = append(append(buf, c.Name...), 0)
		buf = binary.BigEndian.AppendUint32(buf, uint32(c.TableOID))
		buf = binary.BigEndian.AppendUint16(buf, uint16(c.Attr))
		buf = binary.BigEndian.AppendUint32(buf, uint32(oid))
		buf = binary.BigEndian.AppendUint16(buf, uint16(c.Type.Len()))
		buf = binary.BigEndian.AppendUint32(buf, uint32(mod))
		buf = binary.BigEndian.AppendUint16(buf, uint16(formatOf(formats, i)))
	}
	binary.BigEndian.PutUint32(buf[start+1:], uint32(len(buf)-start-1))
	w.buf = buf
}

// The format codes of the protocol.
const (
	textFormat   = 0
	binaryFormat = 1
)

// formatOf is the format of column or parameter i: none given means text, one given counts for all.
func formatOf(formats []int16, i int) int16 {
	switch len(formats) {
	case 0:
		return textFormat
	case 1:
		return formats[0]
	default:
		return formats[i]
	}
}

// rows gathers a DataRow for each row of a batch, unless they cannot be written.
func (w *writer) rows(ec *types.Context, formats []int16, b *types.Batch) {
	for r, n := 0, b.Rows(); r < n; r++ {
		row := b.Row(r)
		start := len(w.buf)
		buf := append(w.buf, 'D', 0, 0, 0, 0)
		buf = binary.BigEndian.AppendUint16(buf, uint16(len(b.Cols)))
		for i := range b.Cols {
			col := &b.Cols[i]
			at := len(buf)
			buf = append(buf, 0xff, 0xff, 0xff, 0xff)
			if col.IsNull(row) {
				continue
			}
			if formatOf(formats, i) == binaryFormat {
				buf = types.AppendBinary(ec, buf, col.Type, col.Datum(row))
			} else {
				buf = types.AppendText(ec, buf, col.Type, col.Datum(row))
			}
			binary.BigEndian.PutUint32(buf[at:], uint32(len(buf)-at-4))
		}
		binary.BigEndian.PutUint32(buf[start+1:], uint32(len(buf)-start-1))
		w.buf = buf
		if len(w.buf) >= flushBytes {
			if w.flush() != nil {
				return
			}
		}
	}
}

// sendError gathers an ErrorResponse; a NoticeResponse has the same fields.
func (w *writer) sendError(e *sqlerr.Error) {
	w.send(errorFields(e))
}

func (w *writer) sendNotice(e *sqlerr.Error) {
	w.send((*pgproto3.NoticeResponse)(errorFields(e)))
}

func errorFields(e *sqlerr.Error) *pgproto3.ErrorResponse {
	return &pgproto3.ErrorResponse{
		Severity: e.Severity, SeverityUnlocalized: e.Severity, Code: string(e.Code),
		Message: clean(e.Message), Detail: clean(e.Detail), Hint: clean(e.Hint), Position: int32(e.Position),
		Where: clean(e.Where), SchemaName: clean(e.Schema), TableName: clean(e.Table), ColumnName: clean(e.Column),
		DataTypeName: clean(e.DataType), ConstraintName: clean(e.Constraint),
	}
}

// clean makes a string fit for the wire: a NUL would end it there and shift what follows.
func clean(s string) string { return strings.ToValidUTF8(strings.ReplaceAll(s, "\x00", "?"), "?") }
