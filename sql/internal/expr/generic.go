package expr

import (
	"minidb/sql/sqlerr"
	"minidb/sql/types"
)

func isPolymorphic(t types.OID) bool { return isAnyElement(t) || isAnyCompatible(t) }

// isAnyElement: all arguments declared so have one type, or arrays or ranges of it.
func isAnyElement(t types.OID) bool {
	switch t {
	case anyElementOID, anyArrayOID, anyNonArrayOID, anyEnumOID, anyRangeOID, anyMultirangeOID:
		return true
	}
	return false
}

// isAnyCompatible: all arguments declared so are coerced to one type.
func isAnyCompatible(t types.OID) bool {
	switch t {
	case anyCompatibleOID, anyCompatibleArrayOID, anyCompatibleNonArrayOID, anyCompatibleRangeOID, anyCompatibleMultiOID:
		return true
	}
	return false
}

// fitsGeneric reports whether the inputs agree with the polymorphic ones among targets.
func (f *factTables) fitsGeneric(inputs, targets []types.OID) bool {
	_, _, ok := f.bindGeneric(inputs, targets)
	return ok
}

// bindGeneric finds what the polymorphic types of targets stand for: elem for the anyelement family, compatible for the
// anycompatible family; unknown if only unknown inputs would tell.
func (f *factTables) bindGeneric(inputs, targets []types.OID) (elem, compatible types.OID, ok bool) {
	elem = types.UnknownOID
	var compat []types.OID
	nonArray := false
	for i, target := range targets {
		input := inputs[i]
		if !isPolymorphic(target) {
			continue
		}
		if target == anyNonArrayOID || target == anyCompatibleNonArrayOID {
			nonArray = true
		}
		if input == types.UnknownOID {
			continue
		}
		switch target {
		case anyArrayOID, anyCompatibleArrayOID:
			if input = f.element(input); input == 0 {
				return 0, 0, false
			}
		case anyEnumOID:
			if !types.EnumType(input).IsEnum() {
				return 0, 0, false
			}
		case anyRangeOID, anyMultirangeOID, anyCompatibleRangeOID, anyCompatibleMultiOID:
			// No value here is of such a type.
			return 0, 0, false
		}
		switch {
		case isAnyCompatible(target):
			compat = append(compat, input)
		case elem == types.UnknownOID:
			elem = input
		case elem != input:
			return 0, 0, false
		}
	}
	compatible = types.UnknownOID
	if len(compat) > 0 {
		var bad int
		if compatible, bad = f.commonType(compat); bad >= 0 {
			return 0, 0, false
		}
		for _, t := range compat {
			if f.path(compatible, t, types.CastImplicit) == noCast {
				return 0, 0, false
			}
		}
	}
	if nonArray && (f.element(elem) != 0 || f.element(compatible) != 0) {
		return 0, 0, false
	}
	return elem, compatible, true
}

// concrete replaces the polymorphic types among args and in result by what the inputs bind them to. Its errors have no
// position in PostgreSQL.
func (f *factTables) concrete(inputs, args []types.OID, result types.OID) ([]types.OID, types.OID, error) {
	generic := isPolymorphic(result)
	for _, t := range args {
		generic = generic || isPolymorphic(t)
	}
	if !generic {
		return args, result, nil
	}
	elem, compatible, ok := f.bindGeneric(inputs, args)
	if !ok {
		return nil, 0, sqlerr.New(sqlerr.DatatypeMismatch, "arguments declared \"anyelement\" are not all alike")
	}
	if compatible == types.UnknownOID {
		compatible = types.TextOID
	}
	bound := make([]types.OID, len(args))
	array := types.InvalidOID // what stands for anyarray, which may also be int2vector
	for i, t := range args {
		if t == anyArrayOID && inputs[i] != types.UnknownOID && array == types.InvalidOID {
			array = inputs[i]
		}
	}
	for i, t := range append(args[:len(args):len(args)], result) {
		switch t {
		case anyElementOID, anyNonArrayOID, anyArrayOID, anyEnumOID:
			if elem == types.UnknownOID {
				return nil, 0, sqlerr.New(sqlerr.DatatypeMismatch,
					"could not determine polymorphic type because input has type %s", "unknown")
			}
			if t != anyArrayOID {
				t = elem
			} else if t = array; array == types.InvalidOID {
				var err error
				if t, err = f.arrayOf(elem); err != nil {
					return nil, 0, err
				}
			}
		case anyCompatibleOID, anyCompatibleNonArrayOID:
			t = compatible
		case anyCompatibleArrayOID:
			var err error
			if t, err = f.arrayOf(compatible); err != nil {
				return nil, 0, err
			}
		default:
			if isPolymorphic(t) {
				return nil, 0, sqlerr.Unsupported("type " + f.format(t))
			}
		}
		if i == len(args) {
			return bound, t, nil
		}
		bound[i] = t
	}
	return bound, result, nil
}

// arrayOf is the type of arrays of elem.
func (f *factTables) arrayOf(elem types.OID) (types.OID, error) {
	if array := f.arrays[elem]; array != 0 {
		return array, nil
	}
	if array, ok := types.EnumType(elem).Array(); ok && array.IsUser() {
		return array.OID, nil
	}
	return 0, sqlerr.New(sqlerr.UndefinedObject, "could not find array type for data type %s", f.format(elem))
}
