package main

import (
	"context"
	"encoding/csv"
	"flag"
	"fmt"
	"io"
	"math"
	"math/rand/v2"
	"strconv"

	"github.com/drotrain/drotrain/design"
	"github.com/drotrain/drotrain/dro"
	"github.com/drotrain/drotrain/internal/atomicfile"
	"github.com/drotrain/drotrain/losses"
	"github.com/drotrain/drotrain/train/level"
	"github.com/drotrain/drotrain/train/tune"
)

func init() {
	register("choice", "how often the choice replaces ERM, and what that does to the worst group on fresh rows",
		choiceSimulation)
}

// A choiceDesign draws rows: the group of a row, its features without the intercept, and its
// target.
type choiceDesign struct {
	name, about string
	helps       bool     // whether a robust linear model can help the worst group
	groups      []string // labels
	unnamed     bool     // the choice does not know the groups
	classes     bool
	rows        int // for training; 0: 2000
	draw        func(rng *rand.Rand, x []float64) (group int, y float64)
}

// pick returns a random index with the given probabilities; the last one takes the rest.
func pick(rng *rand.Rand, share ...float64) int {
	u := rng.Float64()
	for k, s := range share {
		if u -= s; u < 0 {
			return k
		}
	}
	return len(share)
}

// normals fills x with standard normal numbers.
func normals(rng *rand.Rand, x []float64) {
	for i := range x {
		x[i] = rng.NormFloat64()
	}
}

// student returns a number of Student's t with 3 degrees of freedom.
func student(rng *rand.Rand) float64 {
	chi := 0.0
	for range 3 {
		v := rng.NormFloat64()
		chi += v * v / 3
	}
	return rng.NormFloat64() / math.Sqrt(chi)
}

// class returns a class with the logistic probability of m.
func class(rng *rand.Rand, m float64) float64 {
	if rng.Float64() < 1/(1+math.Exp(-m)) {
		return 1
	}
	return -1
}

// spurious draws two classes whose second feature agrees with the class in nine of ten rows; a
// row's group says whether it agrees.
func spurious(rng *rand.Rand, x []float64) (int, float64) {
	normals(rng, x)
	y, group, sign := class(rng, 0), 0, 1.0
	if rng.Float64() < 0.1 {
		group, sign = 1, -1
	}
	x[0] += y
	x[1] = 0.5*x[1] + sign*y
	return group, y
}

var choiceDesigns = []choiceDesign{
	{name: "opposite slopes", about: "two groups of 10 % whose slopes differ from the others' by +2 and −2",
		groups: []string{"most", "up", "down"},
		draw: func(rng *rand.Rand, x []float64) (int, float64) {
			normals(rng, x)
			g := pick(rng, 0.8, 0.1)
			return g, x[0]*[]float64{1, 3, -1}[g] + x[1] + 0.5*rng.NormFloat64()
		}},
	{name: "opposite slopes, classes", about: "the same with two classes", helps: true,
		groups: []string{"most", "up", "down"}, classes: true,
		draw: func(rng *rand.Rand, x []float64) (int, float64) {
			normals(rng, x)
			g := pick(rng, 0.8, 0.1)
			return g, class(rng, x[0]*[]float64{1, 3, -1}[g]+x[1])
		}},
	{name: "equal groups", about: "four groups of one distribution", groups: []string{"a", "b", "c", "d"},
		draw: func(rng *rand.Rand, x []float64) (int, float64) {
			normals(rng, x)
			return rng.IntN(4), x[0] + x[1] + rng.NormFloat64()
		}},
	{name: "equal groups, classes", about: "four groups of one distribution, two classes",
		groups: []string{"a", "b", "c", "d"}, classes: true,
		draw: func(rng *rand.Rand, x []float64) (int, float64) {
			normals(rng, x)
			return rng.IntN(4), class(rng, x[0]+x[1])
		}},
	{name: "many small groups", about: "40 groups of one distribution, 1000 rows", rows: 1000,
		groups: func() (l []string) {
			for g := range 40 {
				l = append(l, strconv.Itoa(g))
			}
			return l
		}(),
		draw: func(rng *rand.Rand, x []float64) (int, float64) {
			normals(rng, x)
			return rng.IntN(40), x[0] + x[1] + rng.NormFloat64()
		}},
	{name: "heavy noise", about: "a fifth of the rows has three times the noise, Student's t with 3 degrees of freedom",
		groups: []string{"most", "noisy"},
		draw: func(rng *rand.Rand, x []float64) (int, float64) {
			normals(rng, x)
			g, noise := pick(rng, 0.8), rng.NormFloat64()
			if g == 1 {
				noise = 3 * student(rng)
			}
			return g, x[0] + x[1] + noise
		}},
	{name: "noisy labels", about: "a fifth of the rows has 30 % of the labels turned, two classes", helps: true,
		groups: []string{"most", "noisy"}, classes: true,
		draw: func(rng *rand.Rand, x []float64) (int, float64) {
			normals(rng, x)
			g, y := pick(rng, 0.8), class(rng, 2*x[0]+x[1])
			if g == 1 && rng.Float64() < 0.3 {
				y = -y
			}
			return g, y
		}},
	{name: "minority of 5 %", about: "a group of 5 % of one distribution with the others, 600 rows",
		groups: []string{"most", "few"}, rows: 600,
		draw: func(rng *rand.Rand, x []float64) (int, float64) {
			normals(rng, x)
			return pick(rng, 0.95), x[0] + x[1] + rng.NormFloat64()
		}},
	{name: "minority of 5 %, other features", about: "a group of 5 % with shifted features, one linear model, 600 rows",
		groups: []string{"most", "few"}, rows: 600,
		draw: func(rng *rand.Rand, x []float64) (int, float64) {
			normals(rng, x)
			g := pick(rng, 0.95)
			x[0] += 2 * float64(g)
			return g, x[0] + x[1] + rng.NormFloat64()
		}},
	{name: "two halves, opposite slopes", about: "two groups of half the rows with opposite slopes, 500 rows",
		groups: []string{"up", "down"}, rows: 500,
		draw: func(rng *rand.Rand, x []float64) (int, float64) {
			normals(rng, x)
			g := rng.IntN(2)
			return g, x[0]*[]float64{1, -1}[g] + x[1] + 0.5*rng.NormFloat64()
		}},
	{name: "heavy tails",
		about: "five groups of one distribution, noise of Student's t with 3 degrees of freedom, 400 rows", rows: 400,
		groups: []string{"a", "b", "c", "d", "e"},
		draw: func(rng *rand.Rand, x []float64) (int, float64) {
			normals(rng, x)
			return rng.IntN(5), x[0] + x[1] + student(rng)
		}},
	{name: "heavy tails, no groups", about: "one distribution, noise of Student's t with 3 degrees of freedom",
		groups: []string{"all"}, unnamed: true,
		draw: func(rng *rand.Rand, x []float64) (int, float64) {
			normals(rng, x)
			return 0, x[0] + x[1] + student(rng)
		}},
	{name: "rare class", about: "three groups of one distribution, a class of 5 %, 1000 rows", rows: 1000,
		groups: []string{"a", "b", "c"}, classes: true,
		draw: func(rng *rand.Rand, x []float64) (int, float64) {
			normals(rng, x)
			return pick(rng, 0.6, 0.3), class(rng, x[0]+x[1]-3.5)
		}},
	{name: "one distribution", about: "no groups", groups: []string{"all"}, unnamed: true,
		draw: func(rng *rand.Rand, x []float64) (int, float64) {
			normals(rng, x)
			return 0, x[0] + x[1] + rng.NormFloat64()
		}},
	{name: "one distribution, classes", about: "no groups, two classes", groups: []string{"all"}, unnamed: true,
		classes: true,
		draw: func(rng *rand.Rand, x []float64) (int, float64) {
			normals(rng, x)
			return 0, class(rng, x[0]+x[1])
		}},
	{name: "opposite slopes, not named", about: "as above, the groups not named", groups: []string{"most", "up", "down"},
		unnamed: true,
		draw: func(rng *rand.Rand, x []float64) (int, float64) {
			normals(rng, x)
			g := pick(rng, 0.8, 0.1)
			return g, x[0]*[]float64{1, 3, -1}[g] + x[1] + 0.5*rng.NormFloat64()
		}},
	{name: "few rows, another slope", about: "5 % of 600 rows have half the slope", helps: true,
		groups: []string{"most", "flat"}, rows: 600,
		draw: func(rng *rand.Rand, x []float64) (int, float64) {
			normals(rng, x)
			g := pick(rng, 0.95)
			return g, x[0]*(1-0.7*float64(g)) + x[1] + 0.7*rng.NormFloat64()
		}},
	{name: "nearly opposite slopes", about: "10 % of the rows with 2 more of the slope and 12 % with 2 less",
		groups: []string{"most", "up", "down"},
		draw: func(rng *rand.Rand, x []float64) (int, float64) {
			normals(rng, x)
			g := pick(rng, 0.78, 0.1)
			return g, x[0]*[]float64{1, 3, -1}[g] + x[1] + 0.5*rng.NormFloat64()
		}},
	{name: "opposite slopes, few rows", about: "opposite slopes with 500 rows", groups: []string{"most", "up", "down"},
		rows: 500,
		draw: func(rng *rand.Rand, x []float64) (int, float64) {
			normals(rng, x)
			g := pick(rng, 0.8, 0.1)
			return g, x[0]*[]float64{1, 3, -1}[g] + x[1] + 0.5*rng.NormFloat64()
		}},
	{name: "spurious feature", about: "a feature agrees with the class in nine of ten rows, two classes", helps: true,
		groups: []string{"agrees", "disagrees"}, classes: true, draw: spurious},
	{name: "another intercept", about: "a fifth of the rows has another intercept", helps: true,
		groups: []string{"most", "shifted"},
		draw: func(rng *rand.Rand, x []float64) (int, float64) {
			normals(rng, x)
			g := pick(rng, 0.8)
			return g, x[0] + x[1] + 1.5*float64(g) + 0.5*rng.NormFloat64()
		}},
	{name: "another slope", about: "15 % of the rows have another slope", helps: true, groups: []string{"most", "flat"},
		draw: func(rng *rand.Rand, x []float64) (int, float64) {
			normals(rng, x)
			g := pick(rng, 0.85)
			return g, x[0]*(1-2*float64(g)) + x[1] + 0.5*rng.NormFloat64()
		}},
	{name: "another slope, classes", about: "the same with two classes", helps: true, groups: []string{"most", "turned"},
		classes: true,
		draw: func(rng *rand.Rand, x []float64) (int, float64) {
			normals(rng, x)
			g := pick(rng, 0.85)
			return g, class(rng, 2*x[0]*(1-2*float64(g))+x[1])
		}},
	{name: "three groups", about: "10 % and 10 % of the rows with slopes on the same side", helps: true,
		groups: []string{"most", "low", "lower"},
		draw: func(rng *rand.Rand, x []float64) (int, float64) {
			normals(rng, x)
			g := pick(rng, 0.8, 0.1)
			return g, x[0]*[]float64{1, 0, -0.5}[g] + x[1] + 0.5*rng.NormFloat64()
		}},
}

// table draws n rows.
func (d *choiceDesign) table(rng *rand.Rand, n int) (*tune.Table, error) {
	const columns = 5 // and the intercept
	z, target := make([]float64, n*(columns+1)), make([]float64, n)
	r := level.Rows{N: n, Labels: d.groups, Group: make([]int32, n)}
	for j := range n {
		row := z[j*(columns+1) : (j+1)*(columns+1)]
		g, y := d.draw(rng, row[:columns])
		row[columns], target[j], r.Group[j] = 1, y, int32(g)
	}
	x, err := design.NewDense(n, columns+1, z)
	if err != nil {
		return nil, err
	}
	var loss losses.Loss = losses.Squared{}
	if d.classes {
		loss = losses.Logistic{}
	}
	return &tune.Table{Rows: r, X: x, Target: target, Loss: loss,
		Primal: dro.L2{Mu: 1 / float64(n), Intercept: true, FreeModulus: loss.Smoothness()}}, nil
}

// A choiceOutcome is one draw: whether ERM was replaced, and the worst group's and the average
// measure on fresh rows, before and after.
type choiceOutcome struct {
	replaced                                 bool
	worst, worstAfter, average, averageAfter float64
}

// measure chooses on one draw and measures ERM and the choice on fresh rows.
func (d *choiceDesign) measure(
	ctx context.Context, seed uint64, o tune.Options, fresh *tune.Table,
) (out choiceOutcome, err error) {
	n := d.rows
	if n == 0 {
		n = 2000
	}
	t, err := d.table(rand.New(rand.NewPCG(seed, 1)), n)
	if err != nil {
		return out, err
	}
	if d.unnamed {
		t.Group, t.Labels = nil, nil
	}
	o.Seed, o.Ridge = seed, true
	s, err := tune.Select(ctx, t, nil, o)
	if err != nil {
		return out, err
	}
	out.replaced = s.Chosen > 0
	for k, c := range []tune.Candidate{s.Candidates[0], *s.Best()} {
		t.Primal.Mu = c.Mu
		x, _, err := t.Solve(ctx, c.Level, nil)
		if err != nil {
			return out, err
		}
		margin := make([]float64, fresh.N)
		fresh.X.MarginsTo(margin, x, 0, fresh.N)
		value := make([]float64, fresh.N)
		if fresh.Loss.EvalTo(value, make([]float64, fresh.N), margin, fresh.Target); o.Criterion == "worst-group-accuracy" {
			for j, m := range margin {
				if value[j] = 0; (m >= 0) != (fresh.Target[j] > 0) {
					value[j] = 1
				}
			}
		}
		sum, count := make([]float64, len(d.groups)), make([]float64, len(d.groups))
		average := 0.0
		for j, g := range fresh.Group {
			sum[g] += value[j]
			count[g]++
			average += value[j] / float64(fresh.N)
		}
		worst := math.Inf(-1)
		for g := range sum {
			worst = max(worst, sum[g]/count[g])
		}
		if k == 0 {
			out.worst, out.average = worst, average
		} else {
			out.worstAfter, out.averageAfter = worst, average
		}
	}
	return out, nil
}

func choiceSimulation(ctx context.Context, fs *flag.FlagSet, args []string) error {
	draws := fs.Int("draws", 200, "draws of every design")
	first := fs.Uint64("first", 1, "seed of the first draw")
	only := fs.String("design", "", "this design alone")
	criterion := fs.String("select", "", "criterion of the choice; empty: the default")
	write := fs.String("write", "", "CSV file of the results; empty: none")
	if err := parse(fs, args); err != nil {
		return err
	}
	o := tune.DefaultOptions()
	o.Criterion = *criterion
	rows := [][]string{{"design", "about", "robust_can_help", "criterion", "draws", "replaced",
		"worst_group_change_percent", "se", "t", "worse_if_replaced", "average_change_percent"}}
	fmt.Println("| design | can help | draws | ERM replaced | worse then | worst group, % | SE | t | average, % |")
	fmt.Println("|---|---|--:|--:|--:|--:|--:|--:|--:|")
	for _, d := range choiceDesigns {
		if *only != "" && d.name != *only || o.Criterion == "worst-group-accuracy" && (!d.classes || d.unnamed) {
			continue
		}
		fresh, err := d.table(rand.New(rand.NewPCG(77, 2)), 40_000)
		if err != nil {
			return err
		}
		replaced, worse, sum, squares, average := 0, 0, 0.0, 0.0, 0.0
		for k := range *draws {
			one, err := d.measure(ctx, *first+uint64(k), o, fresh)
			if err != nil {
				return fmt.Errorf("%s: %w", d.name, err)
			}
			change := 100 * (one.worstAfter/one.worst - 1)
			if one.replaced {
				if replaced++; change > 0 {
					worse++
				}
			}
			sum += change
			squares += change * change
			average += 100 * (one.averageAfter/one.average - 1) / float64(*draws)
		}
		n := float64(*draws)
		mean := sum / n
		se, t := math.Sqrt(max(0, squares/n-mean*mean)/max(1, n-1)), 0.0
		if se > 0 {
			t = mean / se
		}
		fmt.Printf("| %s | %t | %d | %d | %d | %+.3f | %.3f | %+.1f | %+.3f |\n", d.name, d.helps, *draws, replaced, worse,
			mean, se, t, average)
		number := func(v float64) string { return strconv.FormatFloat(v, 'f', 4, 64) }
		rows = append(rows, []string{d.name, d.about, strconv.FormatBool(d.helps), o.Criterion, strconv.Itoa(*draws),
			strconv.Itoa(replaced), number(mean), number(se), number(t), strconv.Itoa(worse), number(average)})
	}
	if *write == "" {
		return nil
	}
	return atomicfile.Write(*write, true, func(w io.Writer) error {
		out := csv.NewWriter(w)
		return out.WriteAll(rows)
	})
}
