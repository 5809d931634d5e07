package main

import (
	"cmp"
	"context"
	"errors"
	"flag"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"

	"gonum.org/v1/gonum/stat/distuv"

	"github.com/drotrain/drotrain/data"
	"github.com/drotrain/drotrain/eval"
	"github.com/drotrain/drotrain/train"
	"github.com/drotrain/drotrain/train/report"
	"github.com/drotrain/drotrain/train/tune"
)

func init() {
	register("regret", "how far the delivered model is from the best of the list, by design and criterion",
		regretSimulation)
	register("coverage", "how often intervals of cross-fitted evaluations cover, given that a robust model was chosen",
		coverageSimulation)
}

// An adviceDesign draws rows. A row consists of the group, the features and the target, which is ±1 for classes.
type adviceDesign struct {
	name    string
	rows    int
	groups  int
	share   []float64 // shares of the groups; nil if they are equal
	classes bool
	unnamed bool // the group is not a feature
	noGain  bool // no candidate is better than ERM for the worst group
	draw    func(rng *rand.Rand, g int, x []float64) float64
}

const adviceFeatures = 5

// tailBudget is the default maximum increase in the average, as a share of ERM's, for a model chosen by the tail.
const tailBudget = 0.01

// pick returns a random index with the given probabilities; the last index has the remaining probability.
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

// student returns a random number with Student's t distribution with 3 degrees of freedom.
func student(rng *rand.Rand) float64 {
	chi := 0.0
	for range 3 {
		v := rng.NormFloat64()
		chi += v * v / 3
	}
	return rng.NormFloat64() / math.Sqrt(chi)
}

// logit returns 1 with probability 1/(1 + exp(−m)), and −1 otherwise.
func logit(rng *rand.Rand, m float64) float64 {
	if rng.Float64() < 1/(1+math.Exp(-m)) {
		return 1
	}
	return -1
}

// spuriousFeature returns a function that draws a class, a weak feature and a strong feature; the sign of the
// strong feature is that of the class only in even groups.
func spuriousFeature(strength float64) func(rng *rand.Rand, g int, x []float64) float64 {
	return func(rng *rand.Rand, g int, x []float64) float64 {
		normals(rng, x)
		y := float64(2*(g/2) - 1)
		side := y
		if g%2 == 1 {
			side = -y
		}
		x[0] += strength * side
		for k := 1; k < len(x); k++ {
			x[k] += 0.5 * y
		}
		return y
	}
}

// random30 returns one number for each group; the numbers are the same in every draw.
func random30(seed uint64) []float64 {
	out, rng := make([]float64, 30), rand.New(rand.NewPCG(seed, 30))
	normals(rng, out)
	return out
}

// adviceDesigns returns the designs of the study.
func adviceDesigns() []adviceDesign {
	slopes, offsets := random30(1), random30(2)
	minority := []float64{0.9, 0.1}
	return []adviceDesign{
		{name: "equal groups, classes", rows: 1000, groups: 4, classes: true, noGain: true,
			draw: func(rng *rand.Rand, g int, x []float64) float64 {
				normals(rng, x)
				return logit(rng, 1.5*x[0]+x[1])
			}},
		{name: "equal groups, numbers", rows: 1000, groups: 4, noGain: true,
			draw: func(rng *rand.Rand, g int, x []float64) float64 {
				normals(rng, x)
				return x[0] + x[1] + rng.NormFloat64()
			}},
		{name: "thirty equal groups, classes", rows: 3000, groups: 30, classes: true, noGain: true,
			draw: func(rng *rand.Rand, g int, x []float64) float64 {
				normals(rng, x)
				return logit(rng, 1.5*x[0]+x[1])
			}},
		{name: "groups of ten rows, numbers", rows: 500, groups: 5, share: []float64{0.92, 0.02, 0.02, 0.02, 0.02},
			noGain: true, draw: func(rng *rand.Rand, g int, x []float64) float64 {
				normals(rng, x)
				return x[0] + x[1] + rng.NormFloat64()
			}},
		{name: "a noisy minority, numbers", rows: 1000, groups: 2, share: minority, noGain: true,
			draw: func(rng *rand.Rand, g int, x []float64) float64 {
				normals(rng, x)
				return x[0] + x[1] + float64(1+2*g)*rng.NormFloat64()
			}},
		{name: "noise of t with 3 degrees, numbers", rows: 1000, groups: 3, noGain: true,
			draw: func(rng *rand.Rand, g int, x []float64) float64 {
				normals(rng, x)
				return x[0] + x[1] + student(rng)
			}},
		{name: "other slopes in a minority, classes", rows: 2000, groups: 2, share: minority, classes: true,
			draw: func(rng *rand.Rand, g int, x []float64) float64 {
				normals(rng, x)
				return logit(rng, 2*x[g])
			}},
		{name: "other slopes in a minority, numbers", rows: 2000, groups: 2, share: minority,
			draw: func(rng *rand.Rand, g int, x []float64) float64 {
				normals(rng, x)
				return 2*x[g] + rng.NormFloat64()
			}},
		{name: "the same, group not a feature, classes", rows: 2000, groups: 2, share: minority, classes: true, unnamed: true,
			draw: func(rng *rand.Rand, g int, x []float64) float64 {
				normals(rng, x)
				return logit(rng, 2*x[g])
			}},
		{name: "the same, group not a feature, numbers", rows: 1000, groups: 2, share: minority, unnamed: true,
			draw: func(rng *rand.Rand, g int, x []float64) float64 {
				normals(rng, x)
				return 2*x[g] + rng.NormFloat64()
			}},
		{name: "another intercept, group not a feature, classes", rows: 1000, groups: 2, share: minority, classes: true,
			unnamed: true, draw: func(rng *rand.Rand, g int, x []float64) float64 {
				normals(rng, x)
				return logit(rng, 1.5*x[0]-3*float64(g))
			}},
		{name: "another intercept, group not a feature, numbers", rows: 2000, groups: 2, share: minority, unnamed: true,
			draw: func(rng *rand.Rand, g int, x []float64) float64 {
				normals(rng, x)
				return x[0] + 2*float64(g) + rng.NormFloat64()
			}},
		{name: "spurious feature, 500 rows", rows: 500, groups: 4, share: []float64{0.475, 0.025, 0.475, 0.025},
			classes: true, unnamed: true, draw: spuriousFeature(1.5)},
		{name: "spurious feature, 2000 rows", rows: 2000, groups: 4, share: []float64{0.475, 0.025, 0.475, 0.025},
			classes: true, unnamed: true, draw: spuriousFeature(1.5)},
		{name: "weakly spurious feature, 2000 rows", rows: 2000, groups: 4, share: []float64{0.4, 0.1, 0.4, 0.1},
			classes: true, unnamed: true, draw: spuriousFeature(0.7)},
		{name: "curvature and covariate shift, numbers", rows: 1000, groups: 2, share: minority, unnamed: true,
			draw: func(rng *rand.Rand, g int, x []float64) float64 {
				normals(rng, x)
				x[0] += 2 * float64(g)
				return x[0] + 0.4*x[0]*x[0] + rng.NormFloat64()
			}},
		{name: "labels flipped in a minority, classes", rows: 2000, groups: 2, share: []float64{0.8, 0.2}, classes: true,
			unnamed: true, draw: func(rng *rand.Rand, g int, x []float64) float64 {
				normals(rng, x)
				y := logit(rng, 2*x[0]+x[1])
				if g == 1 && rng.Float64() < 0.3 {
					y = -y
				}
				return y
			}},
		{name: "thirty groups with slopes, numbers", rows: 3000, groups: 30,
			draw: func(rng *rand.Rand, g int, x []float64) float64 {
				normals(rng, x)
				return offsets[g] + (1+slopes[g])*x[0] + rng.NormFloat64()
			}},
		{name: "rare positives in a minority, classes", rows: 3000, groups: 2, share: minority, classes: true, unnamed: true,
			draw: func(rng *rand.Rand, g int, x []float64) float64 {
				normals(rng, x)
				return logit(rng, -3+x[0]+2*float64(g)*x[1])
			}},
		{name: "opposite slopes in halves, numbers", rows: 1000, groups: 2, unnamed: true, share: []float64{0.7, 0.3},
			draw: func(rng *rand.Rand, g int, x []float64) float64 {
				normals(rng, x)
				return float64(1-2*g)*x[0] + x[1] + rng.NormFloat64()
			}},
	}
}

// heavyDesigns returns designs of numeric targets whose noise has Student's t distribution.
func heavyDesigns(freedom float64) []adviceDesign {
	noise := func(rng *rand.Rand) float64 {
		return distuv.StudentsT{Sigma: 1, Nu: freedom, Src: rng}.Rand()
	}
	minority := []float64{0.85, 0.15}
	return []adviceDesign{
		{name: "other slopes in a minority", groups: 2, share: minority, unnamed: true,
			draw: func(rng *rand.Rand, g int, x []float64) float64 {
				normals(rng, x)
				return 3*x[g] + noise(rng)
			}},
		{name: "another intercept", groups: 2, share: minority, unnamed: true,
			draw: func(rng *rand.Rand, g int, x []float64) float64 {
				normals(rng, x)
				return x[0] + 4*float64(g) + noise(rng)
			}},
		{name: "opposite slopes", groups: 2, share: []float64{0.7, 0.3}, unnamed: true,
			draw: func(rng *rand.Rand, g int, x []float64) float64 {
				normals(rng, x)
				return 2*float64(1-2*g)*x[0] + x[1] + noise(rng)
			}},
	}
}

// table draws n rows. If equal is set, all groups have the same number of rows.
func (d *adviceDesign) table(n int, rng *rand.Rand, equal bool) (*data.Frame, []int) {
	columns := make([]data.Column, adviceFeatures, adviceFeatures+2)
	for k := range columns {
		columns[k] = data.Column{Name: fmt.Sprintf("x%d", k), Kind: data.Numeric, Type: "double", Number: make([]float64, n)}
	}
	labels := make([]string, d.groups)
	for g := range labels {
		labels[g] = fmt.Sprintf("g%02d", g)
	}
	group := data.Column{Name: "group", Kind: data.Categorical, Type: "string", Level: labels, Code: make([]int32, n)}
	y := data.Column{Name: "y", Kind: data.Numeric, Type: "double", Number: make([]float64, n)}
	if d.classes {
		y = data.Column{Name: "y", Kind: data.Categorical, Type: "string", Level: []string{"no", "yes"},
			Code: make([]int32, n)}
	}
	of, x := make([]int, n), make([]float64, adviceFeatures)
	for i := range n {
		of[i] = i % d.groups
		if d.share != nil && !equal {
			of[i] = pick(rng, d.share[:d.groups-1]...)
		}
		target := d.draw(rng, of[i], x)
		for k := range x {
			columns[k].Number[i] = x[k]
		}
		group.Code[i] = int32(of[i])
		if d.classes {
			y.Code[i] = int32((target + 1) / 2)
		} else {
			y.Number[i] = target
		}
	}
	f, err := data.NewFrame(append(columns, group, y)...)
	if err != nil {
		panic(err) // the columns are made above
	}
	return f, of
}

// config returns the settings of a training.
func (d *adviceDesign) config(criterion string, n int, seed uint64) train.Config {
	c := train.DefaultConfig()
	c.Target, c.Groups, c.GroupFeatures, c.KeepRows, c.Select, c.Seed, c.ScaleTarget =
		"y", []string{"group"}, !d.unnamed, true, criterion, seed, false
	if n < train.CrossfitBelow {
		c.Holdout, c.Evaluate = 0, train.EvaluateCrossfit
	}
	return c
}

// A population holds new rows, equally many for every group, and the shares of the groups.
type population struct {
	frame  *data.Frame
	group  []int
	share  []float64
	groups int
}

// newPopulation draws the rows that represent the population of a design.
func (d *adviceDesign) newPopulation(rng *rand.Rand) *population {
	const rows = 40_000
	p := &population{groups: d.groups, share: d.share}
	p.frame, p.group = d.table(rows, rng, true)
	if p.share == nil {
		p.share = make([]float64, d.groups)
		for g := range p.share {
			p.share[g] = 1 / float64(d.groups)
		}
	}
	return p
}

// criteria returns the values of the criteria for a model in the population: the worst group's risk and error rate,
// the average risk, the risk of the worst tenth, and the trade-off at rate 2.
func (p *population) criteria(ctx context.Context, m *train.Model, classes bool) (map[string]float64, error) {
	said, err := m.Predict(ctx, p.frame)
	if err != nil {
		return nil, err
	}
	risk, wrong, count := make([]float64, p.groups), make([]float64, p.groups), make([]float64, p.groups)
	for i, g := range p.group {
		risk[g] += said.Loss[i]
		count[g]++
		if classes && (said.Score[i] >= 0.5) != (said.Dataset.Target[i] > 0) {
			wrong[g]++
		}
	}
	out := map[string]float64{"worst-group": math.Inf(-1)}
	for g := range risk {
		out["worst-group"] = max(out["worst-group"], risk[g]/count[g])
		out["average"] += p.share[g] * risk[g] / count[g]
		if classes {
			out["worst-group-accuracy"] = max(out["worst-group-accuracy"], wrong[g]/count[g])
		}
	}
	out["trade-off"] = (out["worst-group"] + 2*out["average"]) / 3
	out["tail"] = p.tail(said.Loss, count)
	return out, nil
}

// tail returns the mean of the largest tenth of the losses in the population; count holds the number of rows of
// every group.
func (p *population) tail(loss, count []float64) (sum float64) {
	const share = 0.1
	order := make([]int, len(loss))
	for i := range order {
		order[i] = i
	}
	slices.SortFunc(order, func(a, b int) int { return cmp.Compare(loss[b], loss[a]) })
	left := share
	for _, i := range order {
		take := min(left, p.share[p.group[i]]/count[p.group[i]])
		sum += take * loss[i] / share
		if left -= take; left <= 0 {
			break
		}
	}
	return sum
}

// fit trains and evaluates by a criterion. It returns the trained model, the evaluation and the delivered model.
func (d *adviceDesign) fit(
	ctx context.Context, criterion string, n int, seed uint64,
) (m *train.Model, e *eval.Evaluation, delivered *train.Model, err error) {
	f, _ := d.table(n, rand.New(rand.NewPCG(seed, uint64(n))), false)
	if m, err = train.FitFrame(ctx, f, d.config(criterion, n, seed)); err != nil {
		return nil, nil, nil, fmt.Errorf("%s, %s: %w", d.name, criterion, err)
	}
	o := report.DefaultOptions()
	o.Quick, o.Resamples = true, 500
	x, err := report.Measure(ctx, m, o)
	if err != nil {
		return nil, nil, nil, fmt.Errorf("%s, %s: %w", d.name, criterion, err)
	}
	if delivered = m; x.Evaluation.Verdict.Recommended == report.Baseline {
		delivered, _, err = m.Variant(train.VariantERM)
	}
	return m, x.Evaluation, delivered, err
}

// candidates returns the values of the criteria in the population for all candidates of a selection, each trained
// on the rows of the chosen model.
func (d *adviceDesign) candidates(
	ctx context.Context, chosen *train.Model, seed uint64, p *population, known map[string]map[string]float64,
) ([]map[string]float64, error) {
	s, n := chosen.Result.Selection, d.rows
	shared := chosen.Result.Design.IsShared()
	out := make([]map[string]float64, 0, len(s.Candidates))
	for i := range s.Candidates {
		k := &s.Candidates[i]
		key := fmt.Sprint(k.Name, k.Mu)
		if known[key] == nil {
			c := d.config("", n, seed)
			c.Level, c.Mu, c.Gap, c.KeepRows = k.Level, &k.Mu, 1e-5, false
			if shared {
				c.GroupCoefficients = "no"
			}
			f, _ := d.table(n, rand.New(rand.NewPCG(seed, uint64(n))), false)
			m, err := train.FitFrame(ctx, f, c)
			if err != nil {
				return nil, fmt.Errorf("%s, %s: %w", d.name, k.Name, err)
			}
			if known[key], err = p.criteria(ctx, m, d.classes); err != nil {
				return nil, err
			}
		}
		out = append(out, known[key])
	}
	return out, nil
}

// regretSimulation prints the regret of the delivered model by design and criterion.
func regretSimulation(ctx context.Context, fs *flag.FlagSet, args []string) error {
	draws := fs.Int("draws", 3, "samples of every design")
	only := fs.String("design", "", "designs whose names contain this text")
	verbose := fs.Bool("v", false, "print every sample")
	first := fs.Int("first", 0, "number of the first sample of a design")
	criterion := fs.String("select", "", "one criterion; empty: all")
	if err := parse(fs, args); err != nil {
		return err
	}
	criteria := []string{"worst-group", "worst-group-accuracy", "average", "tail", "trade-off"}
	if *criterion != "" {
		criteria = []string{*criterion}
	}
	fmt.Println("Regret of the delivered model: its criterion in the population minus that of the best candidate of the " +
		"list on the same rows (by the tail: of those whose average is within the budget of 1 %), in % of ERM's; in " +
		"brackets the regret of ERM. Harm: where no candidate can gain, the delivered model's criterion minus ERM's.")
	fmt.Printf("\n| design | rows | %s |\n|---|--:|%s\n", strings.Join(criteria, " | "),
		strings.Repeat("--:|", len(criteria)))
	total, harm := map[string][]float64{}, map[string][]float64{}
	for index, d := range adviceDesigns() {
		if !strings.Contains(d.name, *only) {
			continue
		}
		p := d.newPopulation(rand.New(rand.NewPCG(uint64(index), 0x706f70)))
		line := fmt.Sprintf("| %s | %d |", d.name, d.rows)
		regret, ofERM := map[string]float64{}, map[string]float64{}
		for draw := range *draws {
			seed, known := uint64(1000*index+*first+draw), map[string]map[string]float64{}
			for _, criterion := range criteria {
				if criterion == "worst-group-accuracy" && !d.classes {
					continue
				}
				m, e, delivered, err := d.fit(ctx, criterion, d.rows, seed)
				if err != nil {
					return err
				}
				value, err := p.criteria(ctx, delivered, d.classes)
				if err != nil {
					return err
				}
				standard, _, err := m.Variant(train.VariantERM)
				if err != nil {
					return err
				}
				erm, err := p.criteria(ctx, standard, d.classes)
				if err != nil {
					return err
				}
				best := erm[criterion]
				all, err := d.candidates(ctx, m, seed, p, known)
				if err != nil {
					return err
				}
				for _, c := range all {
					if criterion != "tail" || c["average"] <= erm["average"]*(1+tailBudget) {
						best = min(best, c[criterion])
					}
				}
				r := 100 * (value[criterion] - best) / erm[criterion]
				if *verbose {
					s := m.Result.Selection
					chosen, err := p.criteria(ctx, m, d.classes)
					if err != nil {
						return err
					}
					fmt.Printf("%s, draw %d, %s: regret %.2f, of the chosen model %.2f, of ERM %.2f: %s: %s\n",
						d.name, draw, criterion, r, 100*(chosen[criterion]-best)/erm[criterion], 100*(erm[criterion]-best)/erm[criterion],
						s.Reason, e.Verdict.Recommendation)
					for i, c := range all {
						if k := &s.Candidates[i]; c[criterion] < best+0.02*erm[criterion] || i == s.Chosen {
							fmt.Printf("    %s, μ %.3g: %.4f; out of fold %.4f, better by %.4f (standard error %.4f), %d rows decide\n",
								k.Name, k.Mu, c[criterion], k.Value, k.Improvement, k.SE, k.Deciding)
						}
					}
				}
				regret[criterion] += r / float64(*draws)
				ofERM[criterion] += 100 * (erm[criterion] - best) / erm[criterion] / float64(*draws)
				total[criterion] = append(total[criterion], r)
				if d.noGain {
					harm[criterion] = append(harm[criterion], 100*(value[criterion]-erm[criterion])/erm[criterion])
				}
			}
		}
		for _, criterion := range criteria {
			if criterion == "worst-group-accuracy" && !d.classes {
				line += " – |"
				continue
			}
			line += fmt.Sprintf(" %.1f (%.1f) |", regret[criterion], ofERM[criterion])
		}
		fmt.Println(line)
	}
	for _, of := range []struct {
		name   string
		values map[string][]float64
	}{{"mean regret", total}, {"mean harm", harm}} {
		line := fmt.Sprintf("| %s | |", of.name)
		for _, criterion := range criteria {
			mean, se := meanAndError(of.values[criterion])
			line += fmt.Sprintf(" %.2f ± %.2f |", mean, se)
		}
		fmt.Println(line)
	}
	return nil
}

// meanAndError returns the mean of v and its standard error.
func meanAndError(v []float64) (mean, se float64) {
	for _, x := range v {
		mean += x / float64(len(v))
	}
	for _, x := range v {
		se += (x - mean) * (x - mean)
	}
	return mean, math.Sqrt(se / float64(len(v)) / max(1, float64(len(v)-1)))
}

// coverageSimulation prints how often intervals cover the true value if a model other than ERM was chosen.
func coverageSimulation(ctx context.Context, fs *flag.FlagSet, args []string) error {
	draws := fs.Int("draws", 20, "samples of every design and size")
	sizes := fs.String("rows", "500,1000,1999", "rows of a sample")
	tails := fs.Float64("tails", 0,
		"degrees of freedom of Student's noise, in designs of their own; 0: the designs of the study")
	verbose := fs.Bool("v", false, "print every miss")
	first := fs.Int("first", 0, "number of the first sample of a design")
	if err := fs.Parse(args); err != nil {
		return err
	}
	var rows []int
	for _, text := range strings.Split(*sizes, ",") {
		n, err := strconv.Atoi(text)
		if err != nil {
			return err
		}
		rows = append(rows, n)
	}
	designs := adviceDesigns()
	if *tails > 0 {
		designs = heavyDesigns(*tails)
	}
	fmt.Println("Of the samples in which a model other than ERM was chosen: percentage whose 95 % interval covers the " +
		"change in the population's risk from ERM to the chosen model. Without an interval: the worst group has fewer than " +
		"20 rows.")
	fmt.Printf("\n| rows | chosen of samples | without an interval | worst group's change | average | width of the " +
		"first " +
		"|\n|--:|--:|--:|--:|--:|--:|\n")
	for _, n := range rows {
		samples, chosen, silent, worst, average, width := 0, 0, 0, 0, 0, 0.0
		for index, d := range designs {
			if d.noGain || !d.unnamed {
				continue
			}
			p := d.newPopulation(rand.New(rand.NewPCG(uint64(index), 0x706f70)))
			for draw := range *draws {
				m, e, _, err := d.fit(ctx, "", n, uint64(100_000*index+*first+draw))
				var few *tune.FewRowsError
				if errors.As(err, &few) {
					continue
				} else if err != nil {
					return err
				}
				samples++
				if m.Config.Average == "plain" {
					continue
				}
				judged := e.Verdict.Judged
				if judged == nil || judged.Interval == nil {
					silent++
					continue
				}
				chosen++
				standard, _, err := m.Variant(train.VariantERM)
				if err != nil {
					return err
				}
				erm, err := p.criteria(ctx, standard, d.classes)
				if err != nil {
					return err
				}
				robust, err := p.criteria(ctx, m, d.classes)
				if err != nil {
					return err
				}
				if covers(judged.Interval, robust["worst-group"]-erm["worst-group"]) {
					worst++
				} else if *verbose {
					fmt.Printf("missed: %s, seed %d: %v, %s\n", d.name, draw, robust["worst-group"]-erm["worst-group"], judged.Text(1))
				}
				width += float64(judged.Interval.High - judged.Interval.Low)
				if iv := e.Compared[0].Measures["risk"].Interval; covers(iv, robust["average"]-erm["average"]) {
					average++
				} else if *verbose {
					fmt.Printf("missed by the average: %s, seed %d: %v, %+v\n", d.name, draw, robust["average"]-erm["average"], iv)
				}
			}
		}
		share := 100 / float64(chosen)
		fmt.Printf("| %d | %d of %d | %d | %.0f | %.0f | %.3f |\n", n, chosen+silent, samples, silent, share*float64(worst),
			share*float64(average), width/float64(chosen))
	}
	return nil
}

// covers reports whether an interval contains a value.
func covers(iv *eval.Interval, value float64) bool {
	return iv != nil && float64(iv.Low) <= value && value <= float64(iv.High)
}
