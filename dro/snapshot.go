package dro

import (
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"time"
)

// snapshotVersion changes whenever what a snapshot holds does.
const snapshotVersion = 2

// A state writes the fields of a solve in progress to bytes, or reads them back:
// each type lists its mutable fields once, in visit, for both directions.
type state struct {
	buf     []byte
	reading bool
	err     error
}

// resumable is a stepper that can be interrupted and continued bit for bit.
type resumable interface{ visit(*state) }

func (s *state) word(v *uint64) {
	switch {
	case !s.reading:
		s.buf = binary.LittleEndian.AppendUint64(s.buf, *v)
	case len(s.buf) < 8:
		s.err = errors.New("it is truncated")
	default:
		*v = binary.LittleEndian.Uint64(s.buf)
		s.buf = s.buf[8:]
	}
}

func (s *state) float(v *float64) {
	w := math.Float64bits(*v)
	s.word(&w)
	*v = math.Float64frombits(w)
}

func (s *state) integer(v *int) {
	w := uint64(*v)
	s.word(&w)
	*v = int(w)
}

func (s *state) boolean(v *bool) {
	w := uint64(0)
	if *v {
		w = 1
	}
	s.word(&w)
	*v = w == 1
}

// floats visits slices whose lengths the problem fixes.
func (s *state) floats(vs ...[]float64) {
	for _, v := range vs {
		for i := range v {
			if s.err != nil {
				return
			}
			s.float(&v[i])
		}
	}
}

func (s *state) generator(src *rand.PCG) {
	if !s.reading {
		b, _ := src.MarshalBinary() // never fails
		s.buf = append(s.buf, b...)
		return
	}
	const size = 20 // "pcg:" and two words
	if len(s.buf) < size {
		s.err = errors.New("it is truncated")
		return
	}
	if err := src.UnmarshalBinary(s.buf[:size]); err != nil {
		s.err = err
	}
	s.buf = s.buf[size:]
}

// head visits what a snapshot must agree with: the method and the problem. It
// fails on the first difference.
func (s *state) head(r *run, name string) {
	same := func(what string, v float64) {
		got := v
		s.float(&got)
		if s.err == nil && got != v {
			s.err = fmt.Errorf("its %s is %v, this run's %v", what, got, v)
		}
	}
	same("version", snapshotVersion)
	hash := 0.0
	for _, c := range name {
		hash = hash*31 + float64(c)
	}
	same("method", hash)
	same("number of samples", float64(r.cert.n))
	same("number of parameters", float64(r.cert.d))
	same("ν", r.problem.Dual.Modulus())
	same("μ", r.problem.Primal.Modulus())
	same("seed", float64(r.settings.Seed))
}

// visit lists what the loop itself, the certifier and the method hold.
func (l *loop) visit(s *state) {
	s.head(l.run, l.name)
	if s.err != nil {
		return
	}
	s.float(&l.next)
	s.result(l.result)
	l.cert.visit(s)
	l.method.(resumable).visit(s)
}

// snapshot hands the state of the solve to the settings' Snapshot, if the method
// can be resumed.
func (l *loop) snapshot() {
	if _, ok := l.method.(resumable); ok && l.settings.Snapshot != nil {
		s := &state{}
		l.visit(s)
		l.settings.Snapshot(s.buf)
	}
}

// resume continues from the settings' Resume.
func (l *loop) resume() error {
	if _, ok := l.method.(resumable); !ok {
		return fmt.Errorf("dro: %s cannot be resumed", l.name)
	}
	s := &state{buf: l.settings.Resume, reading: true}
	if l.visit(s); s.err == nil && len(s.buf) > 0 {
		s.err = errors.New("it is too long")
	}
	if s.err != nil {
		return fmt.Errorf("dro: the snapshot does not belong to this run: %w", s.err)
	}
	l.before = l.result.Trace[len(l.result.Trace)-1].Elapsed
	return nil
}

func (s *state) result(res *Result) {
	s.integer(&res.Iterations)
	count := len(res.Trace)
	s.integer(&count)
	for i := range count {
		if s.err != nil {
			return
		}
		if s.reading {
			res.Trace = append(res.Trace, Check{})
		}
		c := &res.Trace[i]
		elapsed := int(c.Elapsed)
		s.float(&c.Upper)
		s.float(&c.Lower)
		s.float(&c.Passes)
		s.integer(&elapsed)
		c.Elapsed = time.Duration(elapsed)
	}
}

// vectors is a list of vectors of length d.
func (s *state) vectors(v *[][]float64, d int) {
	count := len(*v)
	if s.integer(&count); s.reading {
		if count < 0 || count > len(s.buf) {
			count = 0 // the error shows in what follows
		}
		*v = make([][]float64, count)
		for k := range *v {
			(*v)[k] = make([]float64, d)
		}
	}
	s.floats(*v...)
}

func (c *certifier) visit(s *state) {
	for _, v := range []*float64{&c.passes, &c.objective, &c.risk, &c.tau, &c.best.Upper, &c.best.Lower,
		&c.bestObjective, &c.bestRisk, &c.bestTau, &c.level, &c.excess, &c.margin, &c.top,
		&c.weights.off, &c.weights.mean, &c.weights.slope,
		&c.own, &c.psi, &c.price, &c.second, &c.cancelled, &c.outside} {
		s.float(v)
	}
	s.floats(c.x, c.y, c.g, c.bestX, c.value, c.slope)
	s.boolean(&c.levelled)
}

func (t *template) visit(s *state) {
	s.integer(&t.k)
	for _, v := range []*float64{&t.alpha, &t.a, &t.aPrev, &t.A, &t.m.mu, &t.m.mu0, &t.m.nu, &t.m.nu0} {
		s.float(v)
	}
	s.floats(t.x, t.xPrev, t.u, t.averageX, t.drawn)
	s.generator(t.drawSeed)
	if t.theory != nil {
		s.float(&t.theory.slow0)
	}
	t.card.visit(s)
}

func (c *fullCard) visit(s *state) { s.floats(c.y, c.u, c.g, c.gPrev, c.averageY) }

func (c *comparison) visit(s *state) { s.floats(c.hat, c.mean) }

func (c *stochasticCard) visit(s *state) {
	c.points.visit(s)
	s.floats(c.y, c.u, c.hatY, c.hatU, c.value, c.slope, c.aggregate, c.oldSlope, c.oldY, c.averageY)
	s.integer(&c.lastR)
	s.integer(&c.lastS)
}

func (c *separableCard) visit(s *state) {
	c.points.visit(s)
	s.floats(c.y, c.u, c.slope, c.aggregate, c.change, c.oldY, c.oldSlope)
	s.float(&c.etaPrev)
	for _, v := range []*int{&c.lastQ, &c.lastR, &c.visited} {
		s.integer(v)
	}
	for i := range c.order {
		s.integer(&c.order[i])
	}
}

func (w *walk) visit(s *state) {
	s.boolean(&w.began)
	s.float(&w.known.g)
	s.float(&w.known.l)
	s.floats(w.known.gs, w.known.ls, w.known.lambdas)
	global := w.known.h == nil
	if s.boolean(&global); global {
		w.known.h = nil
	}
	s.floats(w.known.h)
	w.t.visit(s)
	s.generator(w.source)
	if s.reading && s.err == nil && w.t.theory != nil {
		slow0 := w.t.theory.slow0
		w.t.theory = w.conditions(w.t.m, w.known)
		w.t.theory.slow0 = slow0
	}
}

func (p *practical) visit(s *state) {
	p.walk.visit(s)
	for _, v := range []*int{&p.sweeps, &p.done, &p.calm} {
		s.integer(v)
	}
	s.float(&p.last)
	p.metric.visit(s)
}

func (m *metric) visit(s *state) {
	s.float(&m.lambda)
	s.integer(&m.sample)
	known := m.scale != nil
	if s.boolean(&known); known && m.scale == nil {
		m.scale = make([]float64, m.d)
	}
	s.floats(m.scale)
	s.floats(m.full, m.h.RawSymmetric().Data)
	if s.reading && s.err == nil {
		s.err = m.factorise() // of the same numbers, the same bits
	}
}
