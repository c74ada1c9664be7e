// Package sqlerr is the error of SQL: a SQLSTATE with the fields that PostgreSQL's ErrorResponse and NoticeResponse carry.
// It knows nothing of what went wrong below SQL; the one function that turns the errors of transactions and storage into
// these lives in package sql. SQLSTATEs are written here and nowhere else.
//
// Reading order: [Error], [New], [Unsupported], then the table of [Code]s.
package sqlerr

import (
	"errors"
	"fmt"
)

// Severities that a message can have. An ERROR ends the statement, a FATAL the session, a PANIC the server; the rest are
// notices.
const (
	SeverityError   = "ERROR"
	SeverityFatal   = "FATAL"
	SeverityPanic   = "PANIC"
	SeverityWarning = "WARNING"
	SeverityNotice  = "NOTICE"
	SeverityInfo    = "INFO"
	SeverityLog     = "LOG"
	SeverityDebug   = "DEBUG"
)

// Error is one error or notice as a client sees it. Empty fields are not sent.
//
// The At and With methods change the error they are called on and return it, so that one expression can build it; they are
// for the code that makes the error and for callers that own it, never for a shared value.
type Error struct {
	Severity string // one of the Severity constants
	Code     Code
	Message  string // primary, no period, no capital, as PostgreSQL words it
	Detail   string
	Hint     string
	// Position is where in the whole Query text the error is: 1-based, counted in characters, not bytes; 0 = nowhere.
	Position int
	// Where tells the context, such as the file and line of an import.
	Where string
	// Names of what the error is about.
	Schema, Table, Column, DataType, Constraint string
	// Cause is the error that led here, for logs and errors.Is; clients do not see it. May be nil.
	Cause error
}

// New makes an ERROR. The message is formatted as by fmt.Sprintf.
func New(code Code, format string, args ...any) *Error {
	return &Error{Severity: SeverityError, Code: code, Message: sprintf(format, args)}
}

// Notice makes a NOTICE.
func Notice(code Code, format string, args ...any) *Error {
	return &Error{Severity: SeverityNotice, Code: code, Message: sprintf(format, args)}
}

// Warn makes a WARNING.
func Warn(code Code, format string, args ...any) *Error {
	return &Error{Severity: SeverityWarning, Code: code, Message: sprintf(format, args)}
}

// Fatal makes a FATAL error, which ends the session after it was sent.
func Fatal(code Code, format string, args ...any) *Error {
	return &Error{Severity: SeverityFatal, Code: code, Message: sprintf(format, args)}
}

// Unsupported says that minidb does not have a feature (yet): 0A000 with the feature's name.
func Unsupported(feature string) *Error {
	return New(FeatureNotSupported, "feature not supported: %s", feature)
}

// Internal says that minidb has a bug: XX000.
func Internal(format string, args ...any) *Error {
	return New(InternalError, format, args...)
}

// sprintf leaves a message without arguments as it is, so that a percent sign in it needs no doubling.
func sprintf(format string, args []any) string {
	if len(args) == 0 {
		return format
	}
	return fmt.Sprintf(format, args...)
}

// Error gives severity, message and code in one line.
func (e *Error) Error() string {
	return e.Severity + ": " + e.Message + " (SQLSTATE " + string(e.Code) + ")"
}

// Unwrap gives the cause to errors.Is and errors.As.
func (e *Error) Unwrap() error { return e.Cause }

// At sets the position if the error has none yet: who made the error knows best where it is.
func (e *Error) At(position int) *Error {
	if e.Position == 0 {
		e.Position = position
	}
	return e
}

// WithDetail sets the detail.
func (e *Error) WithDetail(format string, args ...any) *Error {
	e.Detail = sprintf(format, args)
	return e
}

// WithHint sets the hint.
func (e *Error) WithHint(format string, args ...any) *Error {
	e.Hint = sprintf(format, args)
	return e
}

// WithWhere sets the context line.
func (e *Error) WithWhere(format string, args ...any) *Error {
	e.Where = sprintf(format, args)
	return e
}

// WithTable names the schema and table the error is about.
func (e *Error) WithTable(schema, table string) *Error {
	e.Schema, e.Table = schema, table
	return e
}

// WithColumn names the column the error is about.
func (e *Error) WithColumn(column string) *Error {
	e.Column = column
	return e
}

// WithDataType names the data type the error is about.
func (e *Error) WithDataType(name string) *Error {
	e.DataType = name
	return e
}

// WithConstraint names the constraint the error is about.
func (e *Error) WithConstraint(constraint string) *Error {
	e.Constraint = constraint
	return e
}

// WithCause keeps the error that led to this one.
func (e *Error) WithCause(err error) *Error {
	e.Cause = err
	return e
}

// WithSeverity sets the severity.
func (e *Error) WithSeverity(severity string) *Error {
	e.Severity = severity
	return e
}

// As finds an *Error in err's chain.
func As(err error) (*Error, bool) {
	if err == nil {
		return nil, false // spares the memory of what follows: most calls are of this kind
	}
	return find(err)
}

func find(err error) (*Error, bool) {
	var e *Error
	ok := errors.As(err, &e)
	return e, ok
}

// CodeOf gives the code of the first *Error in err's chain, XX000 for any other error, 00000 for nil.
func CodeOf(err error) Code {
	if err == nil {
		return SuccessfulCompletion
	}
	if e, ok := As(err); ok {
		return e.Code
	}
	return InternalError
}
