package dro

// Guarded runs a method for objectives with gradients, and Smoothing from the point
// where that stalls. The risk of a Ball without a penalty has a gradient but where the
// ball reaches a vertex of largest loss, and an optimum may lie there: at x = 0, say,
// where all losses are the same.
type Guarded struct {
	Method Method
}

var _ Method = Guarded{}

// Name implements Method: the name of the method guarded.
func (m Guarded) Name() string { return m.Method.Name() }

func (m Guarded) start(r *run) (stepper, error) {
	first, err := m.Method.start(r)
	return &guarded{run: r, method: first}, err
}

type guarded struct {
	*run
	method  stepper
	stalled bool
}

func (g *guarded) startsLate() bool {
	late, ok := g.method.(interface{ startsLate() bool })
	return ok && late.startsLate()
}

func (g *guarded) step() error {
	err := g.method.step()
	if err == errStalled && !g.stalled && !g.certified() {
		g.method.check()
		if g.certified() {
			return err
		}
		g.logf("guarded: no further progress at a relative gap of %.3g: penalties that fall", g.cert.best.Relative())
		return g.fall()
	}
	return err
}

// fall goes on by smoothing from the best point.
func (g *guarded) fall() (err error) {
	copy(g.x0, g.cert.bestX)
	g.stalled = true
	g.method, err = Smoothing{}.start(g.run)
	return err
}

func (g *guarded) check() { g.method.check() }

// current implements delegating.
func (g *guarded) current() stepper { return g.method }

func (g *guarded) visit(s *state) {
	was := g.stalled
	if s.boolean(&g.stalled); g.stalled && !was {
		if s.err = g.fall(); s.err != nil {
			return
		}
	}
	g.method.(resumable).visit(s)
}
