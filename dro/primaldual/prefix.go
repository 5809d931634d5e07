package primaldual

import (
	"github.com/drotrain/drotrain/dro"
	"github.com/drotrain/drotrain/dro/internal/engine"
	"github.com/drotrain/drotrain/dro/internal/newton"
	"github.com/drotrain/drotrain/dro/saddle"
)

const (
	// prefixShare is the number of rows divided by the number of rows of a prefix, if there are too few rows for a
	// prefix of Newton's method.
	prefixShare = 8

	// prefixRows and prefixRowsPerColumn are the minimum numbers of rows for which a prefix is used.
	prefixRows          = 10_000
	prefixRowsPerColumn = 150

	// prefixGap is the relative gap that such a prefix is solved to.
	prefixGap = 0.05

	// fewRows is the effective proportion of rows below which blocks of rows are not representative, so that
	// Newton's method completes the solve.
	fewRows = 1.0 / 16
)

// AfterPrefix returns a method that first solves the problem on some of the first rows by Newton's method, if there are
// enough rows, and starts m at that solution. If the adversary puts its weight on few rows, Newton's method continues
// instead of m. It returns m itself if m has the theoretical schedule, or is not a method of this package.
func AfterPrefix(m dro.Method) dro.Method {
	switch of := m.(type) {
	case FullVector:
		return afterPrefix(of, of.Schedule)
	case Stochastic:
		return afterPrefix(of, of.Schedule)
	case SeparableBlock:
		return afterPrefix(of, of.Schedule)
	}
	return m
}

func afterPrefix(m saddle.Method, s Schedule) saddle.Method {
	if s == Practical {
		return prefixMethod{m}
	}
	return m
}

// A prefixMethod is a method that starts at the solution of the problem on a prefix of the rows.
type prefixMethod struct{ saddle.Method }

// Start implements Method.
func (m prefixMethod) Start(run saddle.Run) (saddle.Stepper, error) {
	r, err := engine.RunOf(run)
	if err != nil {
		return nil, err
	}
	if _, ok := r.Problem.Oracle.(engine.Model); !ok || r.Settings.X0 != nil ||
		!engine.Supports(newton.Newton{}, r.Problem) {
		return m.Method.Start(run)
	}
	return &prefixSolve{Run: r, method: m.Method}, nil
}

// A prefixSolve solves the problem on a prefix of the rows before a method continues.
type prefixSolve struct {
	*engine.Run
	method  saddle.Method
	current saddle.Stepper // stepper of the method; nil before the prefix has been solved
}

// Step implements Stepper.
func (g *prefixSolve) Step() error {
	if g.current != nil {
		return g.current.Step()
	}
	size, gap := newton.PrefixRows(g.Cert.N, g.Cert.D, g.Settings.PrefixRows), newton.PrefixGap
	if size == 0 {
		size, gap = g.Cert.N/prefixShare, prefixGap
	}
	if g.Cert.N < prefixRows || g.Cert.N < prefixRowsPerColumn*g.Cert.D {
		size = g.Cert.N / 2
		if g.Cert.EffectiveShare() >= fewRows {
			return g.startMethod()
		}
	}
	x, _, err := newton.SolvePrefix(g.Run, size, gap)
	if err != nil {
		return err
	}
	if x != nil {
		if g.Cert.Evaluate(x) > g.Cert.BestObjective {
			g.Cert.Evaluate(g.Cert.BestX)
		}
		copy(g.Start, g.Cert.X)
	}
	return g.startMethod()
}

// startMethod starts the method at the last point evaluated by the certifier.
func (g *prefixSolve) startMethod() (err error) {
	last := g.method
	if g.Cert.EffectiveShare() < fewRows {
		g.Logf("the adversary puts its weight on the proportion %.2g of the rows: switching to newton",
			g.Cert.EffectiveShare())
		last = newton.Newton{}
	}
	g.current, err = last.Start(g.View())
	return err
}

// IsCheckDue implements Stepper.
func (g *prefixSolve) IsCheckDue(byPasses bool) bool {
	if g.current != nil {
		return g.current.IsCheckDue(byPasses)
	}
	return byPasses
}

// Check implements Stepper.
func (g *prefixSolve) Check() {
	if g.current != nil {
		g.current.Check()
	}
}
