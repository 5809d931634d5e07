package level

import (
	"fmt"

	"github.com/drotrain/drotrain/dro"
)

// An Own is an adversary defined by the caller's program. Model files and reports contain only its name: a program
// that lacks it can read, score and report the model, but cannot train it again.
type Own struct {
	Name string `json:"name"`

	// Dual returns the adversary over training rows; it is nil in a model that was read from a file. Equal rows
	// must yield equal adversaries: before a solve, the best responses of two results are compared (dro.Problem).
	Dual func(rows Rows) (dro.Dual, error) `json:"-"`
}

// dual returns the adversary over the rows. It returns an error if Dual is nil, fails or returns nil, or if the rows are
// on several ranks.
func (o *Own) dual(r Rows) (dro.Dual, error) {
	switch {
	case o.Dual == nil:
		return nil, fmt.Errorf("the adversary %q is defined in the program that trained the model: set Config.Own.Dual "+
			"to its definition", o.Name)
	case r.Sharded != nil:
		return nil, fmt.Errorf("Config.Own: the adversary %q needs all rows in one process", o.Name)
	}
	d, err := o.Dual(r)
	if err != nil {
		return nil, fmt.Errorf("Config.Own: the function Dual of the adversary %q failed: %w", o.Name, err)
	} else if d == nil {
		return nil, fmt.Errorf("Config.Own: the function Dual of the adversary %q returned nil", o.Name)
	}
	return d, nil
}
