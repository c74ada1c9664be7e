package sql

import (
	"context"

	"minidb/sql/sqlerr"
	"minidb/sql/types"
)

// nameTypes puts the names of types that somebody made into a message, which comes from where they are numbers.
func (s *Session) nameTypes(e *sqlerr.Error) {
	for _, text := range []*string{&e.Message, &e.Detail, &e.Hint} {
		*text = s.named(*text)
	}
}

// named puts the names of types that somebody made into a text.
func (s *Session) named(text string) string {
	return types.NameTypes(s.reader.Enum, func(oid types.OID) (string, bool) { return s.reader.NameOf(types.RegType, oid) }, text)
}

// Argument makes a parameter's value of its text or binary form. Errors are *sqlerr.Error.
func (s *Session) Argument(ctx context.Context, t types.Type, raw []byte, binary bool) (types.Datum, error) {
	if !t.IsUser() && !t.IsReg() {
		return s.readArgument(t, raw, binary)
	}
	// The names are in the catalog, which is read in a transaction.
	var d types.Datum
	err := s.call(ctx, func(context.Context) (err error) {
		d, err = s.readArgument(t, raw, binary)
		return err
	})
	return d, err
}

func (s *Session) readArgument(t types.Type, raw []byte, binary bool) (types.Datum, error) {
	if binary {
		return types.DecodeBinary(s.Context(), t, raw)
	}
	return types.Input(s.Context(), t, raw)
}
