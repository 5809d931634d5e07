package train

import (
	"context"
	"fmt"
	"math/rand/v2"

	"github.com/drotrain/drotrain/data"
	"github.com/drotrain/drotrain/internal/paged"
)

// A RowSet names rows of a table, counted from 0: those of a fold, of a year, of an
// experiment. No row may be in it twice. The order of Train matters to the solvers as
// every prefix should be a sample of it: it is shuffled by the seed.
type RowSet struct {
	Train   []int
	Holdout []int // may be empty
}

func (s *RowSet) validate(n int) error {
	if len(s.Train) == 0 {
		return fmt.Errorf("no rows to train on")
	}
	seen := make([]bool, n)
	for _, rows := range [][]int{s.Train, s.Holdout} {
		for _, r := range rows {
			switch {
			case r < 0 || r >= n:
				return fmt.Errorf("row %d is not in the table, which has the rows 0 to %d", r, n-1)
			case seen[r]:
				return fmt.Errorf("row %d is named twice", r)
			}
			seen[r] = true
		}
	}
	return nil
}

// rows are the rows to train on, in their order, and those held out. What is as long as
// the table lies in the room.
func (c *Config) rows(ctx context.Context, f *data.Frame, room *paged.Room) (train, held []int, err error) {
	if room != nil && c.Rows == nil && c.Filter == "" {
		train, held, err = data.SplitInto(paged.Make[int](room, f.Rows), c.Holdout, c.Seed)
		if err != nil {
			return nil, nil, err
		}
	} else if c.Rows != nil {
		if err := c.Rows.validate(f.Rows); err != nil {
			return nil, nil, err
		}
		train, held = append(train, c.Rows.Train...), append(held, c.Rows.Holdout...)
	} else if train, held, err = f.SplitRows(ctx, c.Filter, c.Holdout, c.Seed); err != nil {
		return nil, nil, err
	}
	shuffle(train, c.Seed)
	return train, held, nil
}

// shuffle puts the rows in random order, so that every prefix of the training
// data is a sample of it.
func shuffle(rows []int, seed uint64) {
	const stream = 0x73687566
	rand.New(rand.NewPCG(seed, stream)).Shuffle(len(rows), func(i, j int) { rows[i], rows[j] = rows[j], rows[i] })
}
