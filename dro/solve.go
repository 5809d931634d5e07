package dro

import (
	"context"
	"errors"
	"fmt"

	"github.com/drotrain/drotrain/dro/internal/engine"
	"github.com/drotrain/drotrain/dro/internal/newton"
	"github.com/drotrain/drotrain/internal/shard"
)

// Solve solves p by the method in o until the required relative gap is certified, a limit is reached, no progress
// is possible, or ctx has ended. A nil o selects the defaults. Reaching a limit is a status, not an error. If ctx
// is cancelled, Solve returns its error together with a valid Result, whose numbers are finite except for a bound
// that is unknown. For every other error, the Result is nil; such errors report invalid input or numbers beyond
// double precision (OverflowError).
func Solve(ctx context.Context, p *Problem, o *Options) (*Result, error) {
	if ctx == nil {
		return nil, errors.New("dro: the context is nil")
	}
	of, err := toInternalParts(p)
	if err != nil {
		return nil, err
	}
	var s engine.Settings
	if o != nil {
		s.Options = *o
	}
	if s.Threads < 0 {
		return nil, fmt.Errorf(
			"dro: the number of threads is %d; it must be at least 1, or 0 for as many as the process may use", s.Threads)
	}
	defer shard.LimitThreads(s.Threads)()
	if s.Method == nil {
		if err := engine.Validate(of); err != nil {
			return nil, err
		}
		var why string
		if s.Method, why = choose(of); s.Method == nil {
			return nil, errors.New("dro: " + why)
		}
	}
	s.CertifyConstant = newton.CertifyConstant
	return engine.Solve(ctx, of, s.Method, s)
}
