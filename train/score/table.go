package score

import (
	"context"
	"errors"
	"fmt"

	"github.com/drotrain/drotrain/data"
)

// ScoreTo scores all rows of a table into dst, of length f.Rows: a table of files, of
// slices (data.ColumnOf, data.NewFrame), of structs (data.FromStructs) or of Arrow
// records (package arrowdata). No matrix is made, and nothing is allocated a row. The
// scores are those of Values to the last bit. What Values refuses is an error here too,
// with the file, the column and the row; dst is then half done.
func (s *Scorer) ScoreTo(ctx context.Context, dst []float64, f *data.Frame) error {
	if len(dst) != f.Rows {
		return fmt.Errorf("score: room for %d scores of %d rows", len(dst), f.Rows)
	}
	for i := range dst {
		dst[i] = s.constant
	}
	read := make([]*batchColumn, len(s.terms))
	column := func(i int) (*batchColumn, error) {
		if read[i] != nil {
			return read[i], nil
		}
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		c, err := f.Column(ctx, s.terms[i].Column)
		if err != nil {
			return nil, err
		}
		b, err := newBatchColumn(f, &s.terms[i], c)
		if s.products != nil {
			read[i] = b
		}
		return b, err
	}
	for i := range s.terms {
		b, err := column(i)
		if err != nil {
			return err
		}
		for r := range dst {
			c, err := b.cell(r)
			if err != nil {
				return located(f, r, err)
			}
			part := b.t.part(c)
			if !finite(part) {
				return located(f, r, b.t.refuse("the value %v is too far from those of training", c.number))
			}
			dst[r] += part
		}
	}
	if s.products != nil {
		product := make([]float64, len(dst))
		for i := range s.products {
			p := &s.products[i]
			for r := range product {
				product[r] = 1
			}
			for k := range p.Factors {
				b, err := column(p.Factors[k].Term)
				if err != nil {
					return err
				}
				for r := range product {
					c, err := b.cell(r)
					if err != nil {
						return located(f, r, err)
					}
					v, err := s.factor(&p.Factors[k], c)
					if err != nil {
						return located(f, r, err)
					}
					product[r] *= v
				}
			}
			for r, v := range product {
				dst[r] += p.part(v)
			}
		}
	}
	for i, margin := range dst {
		v, err := s.score(margin)
		if err != nil {
			return located(f, i, err)
		}
		dst[i] = v
	}
	return nil
}

// A batchColumn reads the cells of a term off a column of a table.
type batchColumn struct {
	t      *scoredTerm
	c      *data.Column
	levels []int // of a column of text: the level of every text in it
}

func newBatchColumn(f *data.Frame, t *scoredTerm, c *data.Column) (*batchColumn, error) {
	b := &batchColumn{t: t, c: c}
	switch {
	case c.Kind == data.Other:
		return nil, located(f, -1, t.refuse("the type is %s here, but training had %s values", c.Type, t.Kind))
	case c.Kind != data.Categorical:
		return b, nil
	case t.Kind != data.Numeric:
		b.levels = make([]int, len(c.Level))
		for i, text := range c.Level {
			b.levels[i] = t.levelOfText(text)
		}
	}
	return b, nil
}

func (b *batchColumn) cell(row int) (cell, error) {
	c := b.c
	switch {
	case c.IsNull(row):
		return b.t.null()
	case b.levels != nil:
		return cell{level: b.levels[c.Code[row]]}, nil
	case c.Kind == data.Categorical:
		return b.t.text(c.Level[c.Code[row]])
	case c.Kind == data.Bool:
		return b.t.bool(c.Number[row] != 0)
	}
	return b.t.number(c.Number[row])
}

// located reports where in a table an error is that a cell gave; row −1 is none.
func located(f *data.Frame, row int, err error) error {
	var e *data.Error
	if errors.As(err, &e) {
		out := *e
		out.Path, out.Row = f.Where(max(row, 0))
		if row < 0 {
			out.Row = 0
		}
		return &out
	}
	return err
}
