package expr

import (
	"slices"

	"minidb/sql/internal/parse"
	"minidb/sql/sqlerr"
	"minidb/sql/types"
)

// Params are the types of a statement's parameters: those the client gave, and those that the places they stand in decide.
type Params struct {
	types []types.Type // Unknown: not decided yet
	fixed bool
}

// NewParams starts with the types the client gave; Unknown or OID 0 ones are inferred.
func NewParams(given []types.Type) *Params {
	p := &Params{}
	for i, t := range given {
		p.grow(i + 1)
		if t.OID != types.InvalidOID {
			p.types[i] = t.Base()
		}
	}
	return p
}

// NoParams refuses every parameter.
func NoParams() *Params { return &Params{fixed: true} }

// maxParams is what the protocol's 16-bit count can carry.
const maxParams = 65535

func (p *Params) grow(n int) {
	for len(p.types) < n {
		p.types = append(p.types, types.Unknown)
	}
}

// Types are the parameters' types, in order. Those not decided are Unknown; see Check.
func (p *Params) Types() []types.Type { return slices.Clone(p.types) }

// ref makes the expression of a parameter.
func (p *Params) ref(b *Builder, x *parse.ParamRef) (Expr, error) {
	if p == nil || p.fixed && x.Number > len(p.types) || x.Number < 1 || x.Number > maxParams {
		return nil, b.at(sqlerr.New(sqlerr.UndefinedParameter, "there is no parameter $%d", x.Number), x.Pos)
	}
	p.grow(x.Number)
	return &Param{Number: x.Number, typ: p.types[x.Number-1], pos: x.Pos}, nil
}

// decide gives a parameter of unknown type the type of the place it stands in. Another place may have decided already.
func (p *Params) decide(b *Builder, x *Param, to types.Type) (Expr, error) {
	have := p.types[x.Number-1]
	switch have.OID {
	case types.UnknownOID:
		p.types[x.Number-1] = to.Base()
	case to.OID:
	default:
		return nil, b.at(sqlerr.New(sqlerr.AmbiguousParameter, "inconsistent types deduced for parameter $%d", x.Number).
			WithDetail("%s versus %s", have.Format(), to.Base().Format()), x.pos)
	}
	return &Param{Number: x.Number, typ: to.Base(), pos: x.pos}, nil
}

// Check is called when the whole statement is built: a parameter whose type nothing has decided is 42P18.
func (p *Params) Check() error {
	for i, t := range p.types {
		if t.IsUnknown() {
			return sqlerr.New(sqlerr.IndeterminateDatatype, "could not determine data type of parameter $%d", i+1)
		}
	}
	return nil
}
