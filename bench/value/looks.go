package value

import (
	"context"
	"fmt"
	"maps"
	"math"
	"math/rand/v2"
	"slices"
	"strings"

	"gonum.org/v1/gonum/stat"

	"github.com/drotrain/drotrain/design"
	"github.com/drotrain/drotrain/dro"
	"github.com/drotrain/drotrain/losses"
	"github.com/drotrain/drotrain/train/latent"
	"github.com/drotrain/drotrain/train/level"
	"github.com/drotrain/drotrain/train/tune"
)

// A Look is a kind of table in which a hidden subgroup is looked for, drawn anew by every
// seed: of one law, where none is to be found, or of two or three.
type Look struct {
	Name    string
	Classes bool
	Laws    int
	Rows    int     // 0: drawn, 500 to 20 000
	Share   float64 // of the rows, of every other law
	Apart   float64 // norm of what sets the coefficients of another law apart, those of most having 1

	draw func(*rand.Rand, []float64, *lawOf) float64
}

// Looked is the model of the rows of looks.
const Looked = "look"

// Looks are all: of one law with every noise and curve, then of more laws by share, distance
// and rows.
func Looks() []Look {
	var out []Look
	one := func(name string, classes bool, draw func(*rand.Rand, []float64, *lawOf) float64) {
		what := "numbers"
		if classes {
			what = "two classes"
		}
		out = append(out, Look{Name: "one law, " + what + ": " + name, Classes: classes, Laws: 1, draw: draw})
	}
	noise := func(size func(z []float64) float64) func(*rand.Rand, []float64, *lawOf) float64 {
		return func(r *rand.Rand, z []float64, l *lawOf) float64 {
			return inner(z, l.common) + 2*l.noise*size(z)*r.NormFloat64()
		}
	}
	of := func(draw func(*rand.Rand, []float64, *lawOf) (float64, string)) func(*rand.Rand, []float64, *lawOf) float64 {
		return func(r *rand.Rand, z []float64, l *lawOf) float64 {
			y, _ := draw(r, z, l)
			return y
		}
	}
	one("normal noise", false, noise(func([]float64) float64 { return 1 }))
	one("skewed noise", false, of(oneLaw(skewed)))
	one("heavy tails", false, of(oneLaw(heavy)))
	one("noise |x₁|", false, noise(func(z []float64) float64 { return math.Abs(z[0]) }))
	one("noise .2 + x₁²", false, noise(func(z []float64) float64 { return 0.2 + z[0]*z[0] }))
	one("noise eˣ", false, noise(func(z []float64) float64 { return math.Exp(z[0]) }))
	one("noise |x₁| + |x₂|", false, noise(func(z []float64) float64 { return math.Abs(z[0]) + math.Abs(z[1]) }))
	one("noise |x₁ + x₂|", false, noise(func(z []float64) float64 { return math.Abs(z[0] + z[1]) }))
	one("noise |x₁ − x₂|", false, noise(func(z []float64) float64 { return math.Abs(z[0] - z[1]) }))
	one("noise of a step", false, noise(func(z []float64) float64 {
		if z[0] > 1 {
			return 3
		}
		return 0.6
	}))
	one("noise max(x₁, 0)", false, noise(func(z []float64) float64 { return max(z[0], 0.05) }))
	one("a noisy group", false, of(noisy))
	one("a curve", false, of(curved))
	one("a product", false, func(r *rand.Rand, z []float64, l *lawOf) float64 {
		return inner(z, l.common) + z[0]*z[1] + 2*l.noise*r.NormFloat64()
	})
	one("larger features in a group", false, of(elsewhere))
	one("another constant in a group", false, of(offset))
	answered := func(margin func(z []float64, l *lawOf) float64) func(*rand.Rand, []float64, *lawOf) float64 {
		return func(r *rand.Rand, z []float64, l *lawOf) float64 { return l.answer(r, margin(z, l), 0) }
	}
	linked := func(link func(m float64) float64) func(*rand.Rand, []float64, *lawOf) float64 {
		return func(r *rand.Rand, z []float64, l *lawOf) float64 {
			if r.Float64() < link(l.step*inner(z, l.common)/2) {
				return 1
			}
			return -1
		}
	}
	one("logistic", true, answered(func(z []float64, l *lawOf) float64 { return inner(z, l.common) }))
	one("weak", true, answered(func(z []float64, l *lawOf) float64 { return inner(z, l.common) / 4 }))
	one("a rare class", true, of(rare))
	one("wrong labels in a group", true, of(wrongLabels))
	one("another constant in a group", true, of(offset))
	one("heavy tails", true, linked(func(m float64) float64 { return 0.5 + math.Atan(m)/math.Pi }))
	one("skewed", true, linked(func(m float64) float64 { return 1 - math.Exp(-math.Exp(m)) }))
	one("a curve", true, answered(func(z []float64, l *lawOf) float64 { return inner(z, l.common) + 0.5*z[0]*z[0] + math.Sin(2*z[1]) }))
	one("a product", true, answered(func(z []float64, l *lawOf) float64 { return inner(z, l.common) + z[0]*z[1] }))
	for _, classes := range []bool{false, true} {
		what, rows := "numbers", []int{500, 2000, 8000}
		if classes {
			what, rows = "two classes", []int{1000, 4000, 16_000}
		}
		for _, c := range []struct {
			laws  int
			share float64
		}{{2, 0.05}, {2, 0.1}, {2, 0.2}, {3, 0.1}, {3, 0.2}} {
			for _, apart := range []float64{1, 2} {
				for _, n := range rows {
					out = append(out, Look{Name: fmt.Sprintf("%d laws, %s: %.0f %% at %.0f, %d rows", c.laws, what, 100*c.share, apart, n),
						Classes: classes, Laws: c.laws, Rows: n, Share: c.share, Apart: apart, draw: hidden(c.laws)})
				}
			}
		}
	}
	return out
}

// hidden draws targets of so many laws.
func hidden(laws int) func(*rand.Rand, []float64, *lawOf) float64 {
	return func(r *rand.Rand, z []float64, l *lawOf) float64 {
		x := l.common
		switch u := r.Float64(); {
		case u < l.share:
			x = l.other
		case laws > 2 && u < 2*l.share:
			x = l.third
		}
		return l.answer(r, inner(z, x), l.noise)
	}
}

// Measure draws the table of a seed, and looks in it.
func (k *Look) Measure(ctx context.Context, seed uint64, o tune.Options) (Row, error) {
	t, of := k.table(seed)
	s, err := t.Look(ctx, o.Folds, seed)
	r := Row{Table: k.Name, Model: Looked, Seed: seed, Subgroup: s, By: self()}
	if err == nil && k.Classes && k.Laws > 1 {
		r.Told, err = k.told(t, of, o.Folds, seed)
	}
	return r, err
}

// told is the evidence for the laws that the rows were drawn by, held on every fold against
// the best of fewer laws that the other folds have: what nobody who has to find the laws can
// hope to reach by much.
func (k *Look) told(t *tune.Table, of *lawOf, folds int, seed uint64) (float64, error) {
	folds = t.FoldCount(folds)
	fold, err := t.Folds(folds, seed)
	if err != nil {
		return 0, err
	}
	truth := &latent.Laws{Classes: true}
	add := func(x []float64, share float64) {
		law := latent.Law{Coefficients: make([]float64, len(x)+1), Share: share}
		for i, v := range x {
			law.Coefficients[i] = of.step * v
		}
		truth.Law = append(truth.Law, law)
	}
	add(of.common, 1-float64(k.Laws-1)*of.share)
	for _, x := range [][]float64{of.other, of.third}[:k.Laws-1] {
		add(x, of.share)
	}
	var gain [][]float64
	for f := range folds {
		var inside, outside []int
		for j, v := range fold {
			if v == f {
				outside = append(outside, j)
			} else {
				inside = append(inside, j)
			}
		}
		in, held := t.Select(inside), t.Select(outside)
		rows := &latent.Rows{X: in.X, Target: in.Target, Binary: true, Free: true}
		one := latent.Single(rows)
		if one == nil {
			return 0, fmt.Errorf("%s: no single law", k.Name)
		}
		_, own := truth.Posterior(held.X, held.Target)
		for i, fewer := range []*latent.Laws{one, latent.Nearer(rows, latent.Null(rows, one), truth)} {
			if fewer == nil {
				return 0, fmt.Errorf("%s: no fit of fewer laws", k.Name)
			}
			_, density := fewer.Posterior(held.X, held.Target)
			if len(gain) == i {
				gain = append(gain, nil)
			}
			for j, v := range density {
				gain[i] = append(gain[i], own[j]-v)
			}
		}
	}
	least := math.Inf(1)
	for _, g := range gain {
		m, s := stat.MeanStdDev(g, nil)
		least = min(least, m/s*math.Sqrt(float64(len(g))))
	}
	return least, nil
}

// table draws that of a seed, and says by what.
func (k *Look) table(seed uint64) (*tune.Table, *lawOf) {
	name := uint64(0)
	for _, c := range k.Name {
		name = name*31 + uint64(c)
	}
	r := rand.New(rand.NewPCG(seed, name))
	n, d := k.Rows, 8
	if n == 0 {
		n, d = int(500*math.Pow(40, r.Float64())), int(3*math.Pow(20./3, r.Float64()))
	}
	l := &lawOf{share: 0.1 + 0.2*r.Float64(), noise: 0.15 + 0.2*r.Float64(), shift: 0.7 + 0.6*r.Float64(), step: 3 + 2*r.Float64(), wrong: 0.1 + 0.3*r.Float64(), classes: k.Classes}
	l.common = direction(r, d, 1, d)
	if k.Share > 0 {
		l.share = k.Share
		apart := func() []float64 {
			x := direction(r, d, k.Apart, d)
			for i, v := range l.common {
				x[i] += v
			}
			return x
		}
		l.other, l.third = apart(), apart()
	}
	z, target := make([]float64, n*(d+1)), make([]float64, n)
	for j := range target {
		row := z[j*(d+1) : (j+1)*(d+1)]
		features(r, row[:d])
		row[d] = 1
		target[j] = k.draw(r, row[:d], l)
	}
	var loss losses.Loss = losses.Logistic{}
	if !k.Classes {
		loss = losses.Squared{}
		standard(target)
	}
	x, err := design.NewDense(n, d+1, z)
	if err != nil {
		panic(err) // of numbers just drawn
	}
	return &tune.Table{Rows: level.Rows{N: n}, X: x, Target: target, Loss: loss, Primal: dro.L2{Mu: 1 / float64(n), Intercept: true, FreeModulus: loss.Smoothness()}}, l
}

// looks says how often a hidden subgroup was found where there is none, and where there are one
// and two.
func (p *printer) looks(rows []Row) {
	of := map[string][]Row{}
	seeds := map[uint64]bool{}
	for _, r := range rows {
		if r.Model == Looked {
			of[r.Table] = append(of[r.Table], r)
			seeds[r.Seed] = true
		}
	}
	if len(seeds) == 0 {
		return
	}
	found := func(rows []Row, laws int) (count int) {
		for _, r := range rows {
			if s := r.Subgroup; s != nil && s.Found && len(s.Shares) >= laws-1 {
				count++
			}
		}
		return count
	}
	order := slices.Sorted(maps.Keys(seeds))
	p.line("")
	p.line("## How often a hidden subgroup is found")
	p.line("")
	p.line("Tables drawn by the seeds %d to %d (`bench/value/looks.go`; `-looks %d -first %d` adds them to `-rows`), no group named. Of one law, 500 to 20 000 rows and 3 to 20 columns, nothing is to be found:", order[0], order[len(order)-1], len(order), order[0])
	p.line("")
	p.line("| one law | found | of |")
	p.line("|---|---|---|")
	all, count := 0, 0
	for _, k := range Looks() {
		if r := of[k.Name]; k.Laws == 1 && r != nil {
			p.line("| %s | %d | %d |", strings.ReplaceAll(strings.TrimPrefix(k.Name, "one law, "), "|", `\|`), found(r, 2), len(r))
			all, count = all+len(r), count+found(r, 2)
		}
	}
	p.line("| all | %d | %d |", count, all)
	p.line("")
	p.line("Of two and three laws, 8 columns; the other laws have a share of the rows each, and coefficients apart from those of most by one or two times the length of these. Found: one hidden subgroup or two (of three laws, in brackets: both).")
	p.line("Of two classes the last number says of how many the laws that the rows were drawn by, told and not found, are as much likelier than fewer laws as found ones have to be, by two standard errors: what the rows can show at all.")
	for _, classes := range []bool{false, true} {
		p.power(of, classes, found)
	}
}

// power is the table of tables of several laws by share, distance and rows.
func (p *printer) power(of map[string][]Row, classes bool, found func([]Row, int) int) {
	var sizes []int
	measured := false
	cells, names := map[string][]string{}, []string(nil)
	for _, k := range Looks() {
		r := of[k.Name]
		if k.Laws == 1 || k.Classes != classes {
			continue
		}
		if !slices.Contains(sizes, k.Rows) {
			sizes = append(sizes, k.Rows)
		}
		name := fmt.Sprintf("%d laws, %.0f %% each, apart by %.0f", k.Laws, 100*k.Share, k.Apart)
		if k.Laws == 2 {
			name = fmt.Sprintf("2 laws, %.0f %%, apart by %.0f", 100*k.Share, k.Apart)
		}
		if cells[name] == nil {
			names = append(names, name)
		}
		cell := "–"
		if measured = measured || r != nil; r != nil {
			cell = fmt.Sprintf("%d of %d", found(r, 2), len(r))
		}
		if k.Laws > 2 && r != nil {
			cell = fmt.Sprintf("%d (%d) of %d", found(r, 2), found(r, 3), len(r))
		}
		if classes && r != nil {
			shown := 0
			for _, row := range r {
				if row.Told >= 2 {
					shown++
				}
			}
			cell += fmt.Sprintf(", told %d", shown)
		}
		cells[name] = append(cells[name], cell)
	}
	if !measured {
		return
	}
	head := "numbers"
	if classes {
		head = "two classes"
	}
	for _, n := range sizes {
		head += fmt.Sprintf(" | %d rows", n)
	}
	p.line("")
	p.line("| %s |", head)
	p.line("|---|%s", strings.Repeat("---|", len(sizes)))
	for _, name := range names {
		p.line("| %s | %s |", name, strings.Join(cells[name], " | "))
	}
}

// standard gives targets mean 0 and deviation 1.
func standard(target []float64) {
	mean, square, n := 0.0, 0.0, float64(len(target))
	for _, v := range target {
		mean += v / n
	}
	for _, v := range target {
		square += (v - mean) * (v - mean) / n
	}
	for j := range target {
		target[j] = (target[j] - mean) / math.Sqrt(square)
	}
}
