package data

import (
	"context"
)

// WithGroups returns a copy of the encoder with other groupings, of columns of f:
// each column on its own, then all of them crossed. No names leave the groupings
// as they are.
func (e *Encoder) WithGroups(ctx context.Context, f *Frame, names []string) (*Encoder, error) {
	if len(names) == 0 {
		return e, nil
	}
	out := *e
	out.Groups = nil
	var problems Problems
	for _, name := range names {
		c, err := f.Column(ctx, name)
		if err != nil {
			if err := problems.Add(err); err != nil {
				return nil, err
			}
			continue
		}
		named := c.Kind != Categorical || needColumnName(c.Level)
		out.Groups = append(out.Groups, Factor{Name: name, Sources: []string{name}, Kind: c.Kind, Named: named})
	}
	if err := problems.Err(); err != nil {
		return nil, err
	}
	if len(names) > 1 {
		out.Groups = append(out.Groups, Factor{Sources: names})
	}
	return &out, nil
}
