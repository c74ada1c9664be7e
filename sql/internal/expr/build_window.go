package expr

import (
	"minidb/sql/internal/parse"
	"minidb/sql/sqlerr"
	"minidb/sql/types"
)

// Windows are the windows of a query's WINDOW clause. Each is built when it is first asked for.
type Windows struct {
	specs []*parse.WindowSpec
	built []*Window
}

// NewWindows takes in a WINDOW clause.
func NewWindows(specs []*parse.WindowSpec) *Windows {
	return &Windows{specs: specs, built: make([]*Window, len(specs))}
}

// CheckWindows refuses the windows of the scope's WINDOW clause that have an error, used or not.
func (b *Builder) CheckWindows(s *Scope) error {
	if s.Windows == nil {
		return nil
	}
	for i, spec := range s.Windows.specs {
		for _, other := range s.Windows.specs[:i] {
			if other.Name == spec.Name {
				return b.at(sqlerr.New(sqlerr.WindowingError, "window \"%s\" is already defined", spec.Name), spec.Pos)
			}
		}
		if _, err := b.namedWindow(i, s); err != nil {
			return err
		}
	}
	return nil
}

// namedWindow is window i of the WINDOW clause.
func (b *Builder) namedWindow(i int, s *Scope) (*Window, error) {
	ws := s.Windows
	if ws.built[i] == nil {
		w, err := b.window(ws.specs[i], s, i)
		if err != nil {
			return nil, err
		}
		w.Name = ws.specs[i].Name
		ws.built[i] = w
	}
	return ws.built[i], nil
}

// Named are the windows of the WINDOW clause, which CheckWindows has built.
func (w *Windows) Named() []*Window { return w.built }

// findWindow finds a window by name among the first n of the WINDOW clause.
func (b *Builder) findWindow(spec *parse.WindowSpec, s *Scope, n int) (*Window, error) {
	for i := range n {
		if s.Windows.specs[i].Name == spec.Base {
			return b.namedWindow(i, s)
		}
	}
	return nil, b.at(sqlerr.New(sqlerr.UndefinedObject, "window \"%s\" does not exist", spec.Base), spec.Pos)
}

// window builds a window, which may refer to the first n of the WINDOW clause.
func (b *Builder) window(spec *parse.WindowSpec, s *Scope, n int) (*Window, error) {
	if spec.Reference {
		return b.findWindow(spec, s, n)
	}
	inner := *s
	inner.Clause, inner.topLevel = ClauseWindow, false
	w := &Window{written: spec.Frame != nil}
	var err error
	if spec.Base != "" {
		base, err := b.findWindow(spec, s, n)
		if err != nil {
			return nil, err
		}
		if err := b.checkCopy(spec, base); err != nil {
			return nil, err
		}
		w.Partition, w.Order = base.Partition, base.Order
		w.Base, w.copiedOrder = spec.Base, len(base.Order) > 0
	}
	if len(spec.OrderBy) > 0 {
		if w.Order, err = b.sortKeys(spec.OrderBy, &inner); err != nil {
			return nil, err
		}
	}
	for _, x := range spec.PartitionBy {
		e, err := b.BuildValue(x, &inner)
		if err != nil {
			return nil, err
		}
		w.Partition = append(w.Partition, e)
	}
	w.Frame = Frame{End: FrameBound{Kind: CurrentRow}}
	if spec.Frame != nil {
		err = b.frame(w, spec, &inner)
	}
	return w, err
}

// checkCopy refuses what a window that begins with another one's name may not have.
func (b *Builder) checkCopy(spec *parse.WindowSpec, base *Window) error {
	var err *sqlerr.Error
	switch {
	case len(spec.PartitionBy) > 0:
		err = sqlerr.New(sqlerr.WindowingError, "cannot override PARTITION BY clause of window \"%s\"", spec.Base)
	case len(spec.OrderBy) > 0 && len(base.Order) > 0:
		err = sqlerr.New(sqlerr.WindowingError, "cannot override ORDER BY clause of window \"%s\"", spec.Base)
	case base.written:
		err = sqlerr.New(sqlerr.WindowingError, "cannot copy window \"%s\" because it has a frame clause", spec.Base)
		if spec.Name == "" && len(spec.OrderBy) == 0 && spec.Frame == nil {
			err = err.WithHint("Omit the parentheses in this OVER clause.")
		}
	default:
		return nil
	}
	return b.at(err, spec.Pos)
}

// The grammar's names of the parts of a frame in terms of this package.
var (
	frameModes  = [...]FrameMode{parse.FrameRange: FrameRange, parse.FrameRows: FrameRows, parse.FrameGroups: FrameGroups}
	frameBounds = [...]FrameBoundKind{
		parse.UnboundedPreceding: UnboundedPreceding, parse.OffsetPreceding: OffsetPreceding, parse.CurrentRow: CurrentRow,
		parse.OffsetFollowing: OffsetFollowing, parse.UnboundedFollowing: UnboundedFollowing,
	}
	frameExcludes = [...]FrameExclude{
		parse.ExcludeNoOthers: ExcludeNoOthers, parse.ExcludeCurrentRow: ExcludeCurrentRow,
		parse.ExcludeGroup: ExcludeGroup, parse.ExcludeTies: ExcludeTies,
	}
)

func (b *Builder) frame(w *Window, spec *parse.WindowSpec, s *Scope) error {
	x := spec.Frame
	w.between = x.Between
	w.Frame = Frame{Mode: frameModes[x.Mode], Exclude: frameExcludes[x.Exclude]}
	offsets := x.Start.Offset != nil || x.End.Offset != nil
	switch {
	case w.Frame.Mode == FrameGroups && len(w.Order) == 0:
		return b.at(sqlerr.New(sqlerr.WindowingError, "GROUPS mode requires an ORDER BY clause"), spec.Pos)
	case w.Frame.Mode == FrameRange && offsets && len(w.Order) != 1:
		return b.at(sqlerr.New(sqlerr.WindowingError, "RANGE with offset PRECEDING/FOLLOWING requires exactly one ORDER BY column"), spec.Pos)
	}
	inner := *s
	inner.SetFuncs = false
	inner.Clause = [...]Clause{FrameRange: ClauseWindowRange, FrameRows: ClauseWindowRows, FrameGroups: ClauseWindowGroups}[w.Frame.Mode]
	for _, end := range []struct {
		from *parse.FrameBound
		to   *FrameBound
	}{{&x.Start, &w.Frame.Start}, {&x.End, &w.Frame.End}} {
		end.to.Kind = frameBounds[end.from.Kind]
		if end.from.Offset == nil {
			continue
		}
		var err error
		if w.Frame.Mode == FrameRange {
			err = b.rangeOffset(w, end.to, end.from.Offset, &inner)
		} else {
			end.to.Offset, err = b.BuildInt8(end.from.Offset, &inner)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// rangeOffset builds an offset that is added to the value of ORDER BY's only key.
func (b *Builder) rangeOffset(w *Window, bound *FrameBound, x parse.Expr, s *Scope) error {
	e, err := b.Build(x, s)
	if err != nil {
		return err
	}
	if HasColumns(e) {
		return b.at(sqlerr.New(sqlerr.InvalidColumnReference, "argument of RANGE must not contain variables"), Leftmost(x))
	}
	key := w.Order[0]
	kt, given := key.Expr.Type(), e.Type()
	to, ok := offsetType(kt, given)
	if !ok {
		return b.at(sqlerr.New(sqlerr.FeatureNotSupported, "RANGE with offset PRECEDING/FOLLOWING is not supported for column type %s",
			kt.Base().Format()), Leftmost(x))
	}
	c, err := b.coerce(e, to, types.CastImplicit)
	if err != nil {
		return err
	}
	if c == nil {
		return b.at(sqlerr.New(sqlerr.FeatureNotSupported, "RANGE with offset PRECEDING/FOLLOWING is not supported for column type %s and offset type %s",
			kt.Base().Format(), given.Base().Format()).WithHint("Cast the offset value to an appropriate type."), Leftmost(x))
	}
	bound.Offset = c
	op := "+"
	if (bound.Kind == OffsetPreceding) != key.Desc {
		op = "-"
	}
	if bound.Limit, err = b.Operator(op, key.Expr, c, Leftmost(x)); err != nil {
		return err
	}
	w.Frame.Key, err = b.coerce(key.Expr, bound.Limit.Type(), types.CastImplicit)
	return err
}

// offsetType is the type of an offset to a value of type t.
func offsetType(t, given types.Type) (types.Type, bool) {
	switch t.OID {
	case types.Int2OID, types.Int4OID, types.Int8OID:
		switch given.OID {
		case types.Int2OID, types.Int4OID, types.Int8OID:
			return given, true
		case types.UnknownOID:
			return t, true
		}
		return types.Int8, true
	case types.Float4OID, types.Float8OID:
		return types.Float8, true
	case types.NumericOID:
		return types.Numeric, true
	case types.DateOID, types.TimestampOID, types.TimestampTZOID, types.IntervalOID:
		return types.Interval, true
	}
	return types.Type{}, false
}

// allowWindow refuses a call with OVER where the clause has none.
func (b *Builder) allowWindow(x *parse.FuncCall, s *Scope) error {
	fact := s.Clause.fact()
	where := fact.windows
	if where == "" {
		where = fact.aggregates
	}
	if where != "" {
		return b.at(sqlerr.New(sqlerr.WindowingError, "window functions are not allowed in %s", where), x.Pos)
	}
	return nil
}

// windowCall makes the call of a window function, or of an aggregate over a window.
func (b *Builder) windowCall(x *parse.FuncCall, c *candidate, args []Expr, s *Scope) (Expr, error) {
	if err := b.checkWindowCall(x, c.proc); err != nil {
		return nil, err
	}
	if err := b.allowWindow(x, s); err != nil {
		return nil, err
	}
	f := facts()
	declared, result, err := f.concrete(oidsOf(args), c.args, c.proc.result)
	if err != nil {
		return nil, b.at(err, x.Pos)
	}
	if err := b.coerceArgs(args, declared); err != nil {
		return nil, err
	}
	w := &WindowCall{Args: args, Star: x.Star, pos: x.Pos, proc: c.proc, typ: types.Type{OID: result, Mod: -1}}
	if x.Filter != nil {
		scope := *s
		scope.Clause, scope.SetFuncs = ClauseFilter, false
		if w.Filter, err = b.condition(x.Filter, &scope, "FILTER"); err != nil {
			return nil, err
		}
	}
	for _, a := range args {
		if inner := findWindowCall(a); inner != nil {
			return nil, b.at(sqlerr.New(sqlerr.WindowingError, "window function calls cannot be nested"), inner.pos)
		}
	}
	n := 0
	if s.Windows != nil {
		n = len(s.Windows.specs)
	}
	w.Window, err = b.window(x.Over, s, n)
	return w, err
}

func (b *Builder) checkWindowCall(x *parse.FuncCall, p *proc) error {
	var err *sqlerr.Error
	switch {
	case x.WithinGroup && p.kind == 'w':
		err = sqlerr.New(sqlerr.WrongObjectType, "window function %s cannot have WITHIN GROUP", p.name)
	case p.kind == 'a' && isOrderedSet(p):
		err = sqlerr.New(sqlerr.WrongObjectType, "WITHIN GROUP is required for ordered-set aggregate %s", p.name)
	case p.kind == 'f':
		err = sqlerr.New(sqlerr.WrongObjectType, "OVER specified, but %s is not a window function nor an aggregate function", p.name)
	case x.Distinct:
		err = sqlerr.New(sqlerr.FeatureNotSupported, "DISTINCT is not implemented for window functions")
	case p.kind == 'a' && len(x.Args) == 0 && !x.Star:
		err = sqlerr.New(sqlerr.WrongObjectType, "%s(*) must be used to call a parameterless aggregate function", p.name)
	case x.OrderBy != nil:
		err = sqlerr.New(sqlerr.FeatureNotSupported, "aggregate ORDER BY is not implemented for window functions")
	case p.kind == 'w' && x.Filter != nil:
		err = sqlerr.New(sqlerr.FeatureNotSupported, "FILTER is not implemented for non-aggregate window functions")
	case p.kind == 'a' && !hasAggregate(p):
		err = sqlerr.Unsupported("aggregate function " + facts().callSignature(p.name, p.args))
	default:
		return nil
	}
	return b.at(err, x.Pos)
}

// hasAggregate reports whether minidb has an aggregate that PostgreSQL has.
func hasAggregate(p *proc) bool {
	_, ok := aggregates[p.key]
	return ok
}
