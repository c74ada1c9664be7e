package exec

import (
	"context"

	"minidb/sql/internal/expr"
	"minidb/sql/types"
)

// joinPart are the rows of both sides of a join whose keys' hashes have the same bits. Rows without a key, which fit none, are in one of
// the parts.
type joinPart struct {
	built, other *spillFile
	depth        int
}

func (p joinPart) remove() {
	p.built.remove()
	p.other.remove()
}

// divideBuilt puts the built rows aside: those kept so far and those that follow.
func (j *join) divideBuilt(ctx context.Context, from rowSource, keys []expr.Expr, depth int) (*partitions, error) {
	p, rows := j.env.newPartitions(j.builtTypes, depth), j.rows
	var err error
	for i := 0; i < rows.len() && err == nil; {
		b, _ := rows.batch(i)
		i += b.N
		err = j.putAside(p, b, keys, j.wantsAllBuilt())
	}
	j.forget()
	if err == nil {
		err = j.divide(ctx, p, from, keys, j.wantsAllBuilt())
	}
	if err != nil {
		p.remove()
		return nil, err
	}
	return p, nil
}

// divide puts all rows of a source aside.
func (j *join) divide(ctx context.Context, p *partitions, from rowSource, keys []expr.Expr, all bool) error {
	for {
		b, err := from.Next(ctx)
		if err != nil {
			return err
		}
		if b == nil {
			return p.flush()
		}
		if err := j.putAside(p, b, keys, all); err != nil {
			return err
		}
	}
}

// putAside puts rows aside; with all, also those without a key.
func (j *join) putAside(p *partitions, b *types.Batch, keys []expr.Expr, all bool) error {
	for r := range b.Rows() {
		ok, err := j.makeKey(keys, b, r)
		if err != nil {
			return err
		}
		sum := uint64(0)
		if ok {
			sum = hashKey(j.key)
		} else if !all {
			continue
		}
		if err := p.add(b, r, sum); err != nil {
			return err
		}
	}
	return nil
}

// start begins to join the other side with the built one. If that was divided, the other is divided too, and nothing is at hand.
func (j *join) start(ctx context.Context, other rowSource, divided *partitions) error {
	j.from, j.in, j.inDone, j.rest = other, nil, divided != nil, 0
	if divided == nil {
		return nil
	}
	_, _, _, keys := j.sides()
	p := j.env.newPartitions(j.otherTypes, divided.depth)
	for i := range divided.files {
		j.parts = append(j.parts, joinPart{built: divided.files[i], other: p.files[i], depth: divided.depth + 1})
	}
	return j.divide(ctx, p, other, keys, j.wantsAllOther())
}

// nextPart goes on to another part.
func (j *join) nextPart(ctx context.Context) error {
	j.part.remove()
	last := len(j.parts) - 1
	j.part, j.parts = j.parts[last], j.parts[:last]
	divided, err := j.build(ctx, j.part.built.reader(), j.part.depth)
	if err != nil {
		return err
	}
	return j.start(ctx, j.part.other.reader(), divided)
}
