package expr

import (
	"minidb/sql/types"
)

// intFuncs are the arithmetic of int2, int4 and int8.
var intFuncs = makeIntFuncs()

// intTypes are the integer types by the digit that names them in functions: int48pl adds an int4 and an int8.
var intTypes = map[string]types.Type{"2": types.Int2, "4": types.Int4, "8": types.Int8}

func makeIntFuncs() map[string]impl {
	m := map[string]impl{}
	for l, lt := range intTypes {
		addIntUnary(m, "int"+l, lt)
		for r, rt := range intTypes {
			name, t := "int"+l+r, lt
			if l == r {
				name = "int" + l
			}
			if r > l {
				t = rt
			}
			addIntArithmetic(m, name, t)
		}
		addIntBits(m, "int"+l, lt)
	}
	addIntDivisors(m, "int4", types.Int4)
	addIntDivisors(m, "int8", types.Int8)
	return m
}

// intOp2 makes a function of two integers whose result is of type t.
func intOp2(t types.Type, op func(t types.Type, a, b int64) (int64, error)) impl {
	return impl{f2: func(_ *EvalContext, a, b types.Datum) (types.Datum, error) {
		c, err := op(t, a.I, b.I)
		return types.NewInt(c), err
	}}
}

// intOp1 makes a function of an integer whose result is of type t.
func intOp1(t types.Type, op func(t types.Type, a int64) (int64, error)) impl {
	return impl{f1: func(_ *EvalContext, a types.Datum) (types.Datum, error) {
		c, err := op(t, a.I)
		return types.NewInt(c), err
	}}
}

func addIntArithmetic(m map[string]impl, name string, t types.Type) {
	m[name+"pl"] = intOp2(t, types.IntAdd)
	m[name+"mi"] = intOp2(t, types.IntSub)
	m[name+"mul"] = intOp2(t, types.IntMul)
	m[name+"div"] = intOp2(t, types.IntDiv)
}

func addIntUnary(m map[string]impl, name string, t types.Type) {
	m[name+"mod"] = intOp2(t, types.IntMod)
	m[name+"up"] = intOp1(t, func(_ types.Type, a int64) (int64, error) { return a, nil })
	m[name+"um"] = intOp1(t, types.IntNeg)
	m[name+"not"] = intOp1(t, func(_ types.Type, a int64) (int64, error) { return ^a, nil })
	m[name+"abs"] = intOp1(t, func(t types.Type, a int64) (int64, error) {
		if a < 0 {
			return types.IntNeg(t, a)
		}
		return a, nil
	})
}

func addIntBits(m map[string]impl, name string, t types.Type) {
	m[name+"and"] = intOp2(t, func(_ types.Type, a, b int64) (int64, error) { return a & b, nil })
	m[name+"or"] = intOp2(t, func(_ types.Type, a, b int64) (int64, error) { return a | b, nil })
	m[name+"xor"] = intOp2(t, func(_ types.Type, a, b int64) (int64, error) { return a ^ b, nil })
	// Shifts count modulo the width of the machine's operation: 32 for int2 and int4, 64 for int8.
	mask, width := int64(31), uint(32)
	switch t.OID {
	case types.Int2OID:
		width = 16
	case types.Int8OID:
		mask, width = 63, 64
	}
	m[name+"shl"] = intOp2(t, func(_ types.Type, a, b int64) (int64, error) {
		c := a << uint(b&mask)
		return c << (64 - width) >> (64 - width), nil
	})
	m[name+"shr"] = intOp2(t, func(_ types.Type, a, b int64) (int64, error) { return a >> uint(b&mask), nil })
}

// addIntDivisors adds gcd and lcm.
func addIntDivisors(m map[string]impl, name string, t types.Type) {
	gcd := func(t types.Type, a, b int64) (int64, error) {
		for b != 0 {
			r, err := types.IntMod(t, a, b)
			if err != nil {
				return 0, err
			}
			a, b = b, r
		}
		if a < 0 {
			return types.IntNeg(t, a)
		}
		return a, nil
	}
	m[name+"gcd"] = intOp2(t, gcd)
	m[name+"lcm"] = intOp2(t, func(t types.Type, a, b int64) (int64, error) {
		if a == 0 || b == 0 {
			return 0, nil
		}
		g, err := gcd(t, a, b)
		if err != nil {
			return 0, err
		}
		c, err := types.IntMul(t, a/g, b)
		if err != nil || c >= 0 {
			return c, err
		}
		return types.IntNeg(t, c)
	})
}
