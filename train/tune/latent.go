package tune

import (
	"context"
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/stat"

	"github.com/drotrain/drotrain/design"
	"github.com/drotrain/drotrain/train/latent"
)

// A Subgroup says what was found of hidden subgroups: rows that follow other linear laws
// than most. They are taken for such only if rows that were not fitted say so (Evidence),
// if every fold finds the same laws (Agreement), if each is a minority, if the features tell
// little of who is in it (Explained), if no single curve predicts as well (OverCurve); and two
// that lie on opposite sides of the law of most, if noise along that line does not (OverFan).
// Else the law is one with heavy tails, or a curve, not several lines. Two are found where these
// say so of a third law beside two.
type Subgroup struct {
	Found     bool      `json:"found"`
	Share     float64   `json:"share"`                // of the rows that follow another law than most
	Shares    []float64 `json:"shares"`               // of those of every other law
	Evidence  float64   `json:"evidence"`             // rise of the log-likelihood out of fold over the best mixture with a law less, free noise for it, in its standard errors
	Agreement float64   `json:"agreement"`            // least correlation between two folds of what sets a law apart from that of most
	Explained float64   `json:"explained"`            // largest share of the variance of a law's membership that the features and their squares predict, out of fold
	OverCurve float64   `json:"over_curve,omitempty"` // as Evidence, over the best single curved law; 0 where it is not asked, or rows are too few for one
	Fan       float64   `json:"fan,omitempty"`        // of two: by how much they lie on opposite sides of the law of most, as noise along a direction makes them: less the correlation of what sets them apart from it
	OverFan   float64   `json:"over_fan,omitempty"`   // as Evidence, over one law whose noise grows along that direction; 0 where it does not matter
	Noise     float64   `json:"noise"`                // largest of another law, in standard deviations of the common one; 1 for two classes
	Rows      int       `json:"rows"`                 // that the laws were fitted to
}

// What makes a subgroup. No bar is enough by itself: a sine has evidence 19 and agreement
// .998, but its features explain .55 of the membership (TestNoSubgroupWhereThereIsOneLaw).
const (
	mostShare     = 0.4
	leastEvidence = 2   // and over a curve
	leastAlone    = 3   // where rows are too few for one, and over noise along a line
	sign          = 0.5 // of one, on the rows of the first third of the folds: else no others are looked at
	leastAgree    = 0.9
	mostExplained = 0.05 // else products are part of the curve; and where there is none
	mostFan       = 0.9
	mostShifted   = 1. / 3 // of it

	mostLatentRows = 10_000
	mostLatentWork = 2e7 // rows × columns², of a Gram matrix
	rowsAColumn    = 15  // that a law needs at least
)

// laws are those found without every fold.
type laws struct {
	membership [][][]float64 // by fold, law and row: the probability of the law
	held       [][]float64   // by law and row, by the laws found without the row's own fold
}

// pick returns the laws' word on some of the rows.
func (l *laws) pick(rows []int) *laws {
	if l == nil {
		return nil
	}
	some := func(p [][]float64) (out [][]float64) {
		for _, v := range p {
			out = append(out, pick(v, rows))
		}
		return out
	}
	out := &laws{held: some(l.held)}
	for _, p := range l.membership {
		out.membership = append(out.membership, some(p))
	}
	return out
}

// latentRows are the rows of a fit, few enough for repeated fits; nil where the table has
// too few for its columns.
func (t *Table) latentRows(rows []int) []int {
	_, d := t.X.Dims()
	return fewer(rows, d, mostLatentWork)
}

// fewer thins rows to those that work on so many columns is done on; nil where they are too few.
func fewer(rows []int, d int, work float64) []int {
	most := min(mostLatentRows, int(work/float64(d*d)))
	if most < rowsAColumn*d || len(rows) < rowsAColumn*d {
		return nil
	}
	if len(rows) <= most {
		return rows
	}
	some := make([]int, most)
	for k := range some { // the rows are shuffled, or dealt in order
		some[k] = rows[k*len(rows)/most]
	}
	return some
}

func (t *Table) mixtureOf(rows []int) *latent.Rows {
	s := t.Select(rows)
	return &latent.Rows{X: s.X, Target: s.Target, Weight: s.Weights, Binary: t.Loss.Name() == "logistic", Free: t.Primal.Intercept}
}

// Laws fits the laws of so many hidden subgroups to the table, whether or not there are any;
// nil where the rows are too few for the columns or the arithmetic fails.
func (t *Table) Laws(subgroups int) *latent.Laws {
	all := make([]int, t.N)
	for j := range all {
		all[j] = j
	}
	rows := t.latentRows(all)
	if rows == nil {
		return nil
	}
	of := t.mixtureOf(rows)
	l := latent.Single(of)
	for range subgroups {
		if l != nil {
			l = latent.More(of, l)
		}
	}
	return l
}

// Look looks for hidden subgroups by so many folds (FoldCount) drawn from the seed, as Select does
// where no group is named. What it found is nil where the rows are too few to look.
func (t *Table) Look(ctx context.Context, folds int, seed uint64) (*Subgroup, error) {
	folds = t.FoldCount(folds)
	fold, err := t.Folds(folds, seed)
	if err != nil {
		return nil, err
	}
	s, _, err := t.subgroup(ctx, fold, folds)
	return s, err
}

// subgroup looks for hidden subgroups by folds: for one, and for a second where the rows do not
// speak against one. What it found is nil where the rows are too few to look.
func (t *Table) subgroup(ctx context.Context, fold []int, count int) (*Subgroup, *laws, error) {
	parts := t.parts(fold, count)
	if parts == nil {
		return nil, nil, nil
	}
	best, of, err := t.hold(ctx, 2, parts, fold)
	if err != nil || best == nil || best.Evidence < 0 {
		return best, of, err
	}
	s, l, err := t.hold(ctx, 3, parts, fold)
	if err != nil {
		return nil, nil, err
	}
	if s != nil && s.Found {
		best, of = s, l
	}
	return best, of, nil
}

// A part is the rows without a fold, and the laws found of them.
type part struct {
	name    string
	rows    *latent.Rows
	inside  []int // they
	outside []int // rows of the fold
	held    design.Matrix

	one    *latent.Laws
	rivals []rival // by number of laws, from two on
}

// A rival is laws, and what they are held against: a mixture with a law less.
type rival struct{ Laws, Null *latent.Laws }

// fewer is what k laws are held against: fewer of them, alone and with a part more.
func (p *part) fewer(k int) []*latent.Laws {
	out := []*latent.Laws{p.one}
	for _, r := range p.rivals[:k-1] {
		out = append(out, r.Null)
		if len(r.Laws.Law) < k {
			out = append(out, r.Laws)
		}
	}
	return out
}

// parts are those of every fold; nil where rows are too few.
func (t *Table) parts(fold []int, count int) []*part {
	out := make([]*part, count)
	for k := range count {
		inside, outside := split(fold, k)
		if inside = t.latentRows(inside); inside == nil {
			return nil
		}
		out[k] = &part{name: fmt.Sprintf("laws, fold %d", k), rows: t.mixtureOf(inside), inside: inside, outside: outside}
	}
	return out
}

// hold holds k laws against fewer, on the rows that were not fitted. What it found is nil
// where the arithmetic fails.
func (t *Table) hold(ctx context.Context, k int, parts []*part, fold []int) (*Subgroup, *laws, error) {
	s := &Subgroup{Noise: 1, Agreement: 1, Shares: make([]float64, k-1)}
	l := &laws{held: make([][]float64, k)}
	for i := range l.held {
		l.held[i] = make([]float64, t.N)
	}
	var apart [][][]float64            // by fold and other law: difference of its margins from those of the law of most
	var gain [][]float64               // over fewer laws, and over every mixture of fewer and a part more
	by := make([]float64, t.N)         // log density of every row by the laws found without its fold
	seen, early := 0, (len(parts)+2)/3 // folds of a third of the rows
	for i, p := range parts {
		if err := ctx.Err(); err != nil {
			return nil, nil, err
		}
		ok, err := t.find(p, k, early == 1 && i == 0)
		if !ok || err != nil {
			return nil, nil, err
		}
		own := p.rivals[k-2].Laws
		density := t.density(own, p)
		for r, other := range p.fewer(k) {
			if i == 0 {
				gain = append(gain, nil)
			}
			for j, v := range t.density(other, p) {
				gain[r] = append(gain[r], density[j]-v)
			}
		}
		for r, law := range own.Law[1:] {
			s.Shares[r] += law.Share
			if !own.Classes {
				s.Noise = max(s.Noise, law.Noise/own.Law[0].Noise)
			}
		}
		rows, _ := p.rows.X.Dims()
		s.Rows, seen = max(s.Rows, rows), seen+1
		if i+1 == early && leastRise(gain) < sign {
			s.Agreement = 0
			break
		}
		margins := t.apart(own)
		member, _ := own.Posterior(t.X, t.Target)
		if i > 0 {
			match(apart[0], margins, own.Law[1:], member[1:])
		}
		for _, before := range apart {
			for r := range margins {
				s.Agreement = min(s.Agreement, stat.Correlation(before[r], margins[r], nil))
			}
		}
		apart, l.membership = append(apart, margins), append(l.membership, member)
		for i, j := range p.outside {
			by[j] = density[i]
			for r := range member {
				l.held[r][j] = member[r][j]
			}
		}
	}
	s.Evidence = leastRise(gain)
	for r := range s.Shares {
		s.Shares[r] /= float64(seen)
		s.Share += s.Shares[r]
	}
	if len(apart) == len(parts) {
		for _, p := range l.held[1:] {
			s.Explained = max(s.Explained, t.explained(p, fold, len(parts)))
		}
	}
	if math.IsNaN(s.Agreement) || math.IsNaN(s.Evidence) || math.IsNaN(s.Explained) {
		return nil, nil, nil
	}
	if len(s.Shares) > 1 && len(apart) == len(parts) {
		s.Fan = -stat.Correlation(apart[0][0], apart[0][1], nil)
	}
	if s.Found = s.enough(); s.Found && s.Fan > mostFan {
		s.OverFan = t.overFan(by, apart, parts)
		s.Found = s.OverFan >= leastAlone
	}
	if s.Found {
		var held bool
		along := make([][][]float64, len(parts))
		if s.Explained > mostExplained { // as a product of features is, too
			along = apart
		}
		if s.OverCurve, held = t.overCurve(by, along, fold, len(parts)); held {
			s.Found = s.OverCurve >= leastEvidence
		} else {
			s.Found = s.alone()
		}
	}
	return s, l, nil
}

// enough reports whether the laws may be several, whatever a curve says of the rows.
func (s *Subgroup) enough() bool {
	return slices.Max(s.Shares) <= mostShare && s.Evidence >= leastEvidence && s.Agreement >= leastAgree && s.Explained <= mostShifted
}

// alone reports whether the laws are several where rows are too few for a curve.
func (s *Subgroup) alone() bool { return s.Evidence >= leastAlone && s.Explained <= mostExplained }

// density is the logarithm of that of the targets of a part's fold under laws.
func (t *Table) density(l *latent.Laws, p *part) []float64 {
	if p.held == nil {
		p.held = t.X.Select(p.outside)
	}
	_, density := l.Posterior(p.held, pick(t.Target, p.outside))
	return density
}

// leastRise is the least of the mean rises of the log-likelihood, in their standard errors.
func leastRise(gain [][]float64) float64 {
	least := math.Inf(1)
	for _, g := range gain {
		least = min(least, inErrors(g))
	}
	return least
}

// apart is by how much the margins of every other law differ from those of the law of most.
func (t *Table) apart(l *latent.Laws) [][]float64 {
	var out [][]float64
	for _, law := range l.Law[1:] {
		x, margin := slices.Clone(law.Coefficients), make([]float64, t.N)
		floats.Sub(x, l.Law[0].Coefficients)
		t.X.MarginsTo(margin, x, 0, t.N)
		out = append(out, margin)
	}
	return out
}

// match puts the other laws of a fold in the order of those of the first that they are most
// like.
func match(first, own [][]float64, law []latent.Law, member [][]float64) {
	for r := range own {
		best, at := math.Inf(-1), r
		for i := r; i < len(own); i++ {
			if c := stat.Correlation(first[r], own[i], nil); c > best {
				best, at = c, i
			}
		}
		own[r], own[at] = own[at], own[r]
		law[r], law[at] = law[at], law[r]
		member[r], member[at] = member[at], member[r]
	}
}

// find fits laws up to k in number to the rows of a part, but for those that the memory has,
// and what they are held against, in the first part less of that where they do not show
// anyway. It reports whether the arithmetic held.
func (t *Table) find(p *part, k int, first bool) (bool, error) {
	if p.one == nil {
		if p.one = latent.Single(p.rows); p.one == nil {
			return false, nil
		}
	}
	last := p.one
	for of := 2; of <= k; of++ {
		if len(p.rivals) == of-1 {
			last = p.rivals[of-2].Laws
			continue
		}
		name, r := fmt.Sprintf("%s, %d of them", p.name, of), rival{}
		if t.Memory != nil {
			if ok, err := t.Memory.Done(name, &r); err != nil {
				return false, err
			} else if ok {
				p.rivals, last = append(p.rivals, r), r.Laws
				continue
			}
		}
		if r.Laws = latent.More(p.rows, last); r.Laws == nil {
			return false, nil
		}
		r.Null = last
		if !first || t.rises(p, r) {
			if r.Null = latent.Null(p.rows, last); r.Null == nil {
				return false, nil
			}
			if !first || t.rises(p, r) {
				r.Null = latent.Nearer(p.rows, r.Null, r.Laws)
			}
		}
		if t.Memory != nil {
			t.Memory.Finish(name, r)
		}
		p.rivals, last = append(p.rivals, r), r.Laws
	}
	return true, nil
}

// rises reports whether rows that were not fitted do not speak against the laws.
func (t *Table) rises(p *part, r rival) bool {
	gain := t.density(r.Laws, p)
	floats.Sub(gain, t.density(r.Null, p))
	return inErrors(gain) >= 0
}

// inErrors is a mean in its standard errors.
func inErrors(v []float64) float64 {
	m, s := stat.MeanStdDev(v, nil)
	if s == 0 {
		return 0
	}
	return m / s * math.Sqrt(float64(len(v)))
}

// shares are the weights tried on hidden subgroups of these shares of the rows: more in all than
// they have.
func shares(of []float64) (out [][]float64) {
	steps := []float64{0.1, 0.2, 0.3, 0.4, 0.5}
	for _, first := range steps {
		if len(of) == 1 {
			if first > of[0] {
				out = append(out, []float64{first})
			}
			continue
		}
		for _, second := range steps {
			if v := first + second; v > of[0]+of[1] && v < 0.85 {
				out = append(out, []float64{first, second})
			}
		}
	}
	return out
}
