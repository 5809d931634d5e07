package main

import (
	"cmp"
	"encoding/csv"
	"encoding/json"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strconv"

	"github.com/drotrain/drotrain/design"
	"github.com/drotrain/drotrain/dro"
	"github.com/drotrain/drotrain/losses"
)

// A cell is a fixed problem.
type cell struct {
	name    string
	problem func() (*dro.Problem, error)
	optimum float64 // optimal value; 0 if unknown
}

// referenceCells returns the problems with real data whose optima are known.
func referenceCells(dir string) ([]cell, error) {
	raw, err := os.ReadFile(filepath.Join(dir, "reference.json"))
	if err != nil {
		return nil, err
	}
	var refs []struct {
		Dataset, Loss, Penalty string
		Nu, Mu, Objective      float64
	}
	if err := json.Unmarshal(raw, &refs); err != nil {
		return nil, err
	}
	designs := map[string]*numbers{}
	var cells []cell
	for _, r := range refs {
		if designs[r.Dataset] == nil {
			if designs[r.Dataset], err = readDesign(filepath.Join(dir, r.Dataset+"_design.csv")); err != nil {
				return nil, err
			}
		}
		v := designs[r.Dataset]
		cells = append(cells, cell{
			name: fmt.Sprintf("%s %s %s nu=%.3g mu=%.3g", r.Dataset, r.Loss, r.Penalty, r.Nu, r.Mu), optimum: r.Objective,
			problem: func() (*dro.Problem, error) {
				loss, err := losses.Parse(r.Loss, 1)
				if err != nil {
					return nil, err
				}
				var dual dro.Dual = dro.KL{Nu: r.Nu}
				if r.Penalty == "chi2" {
					dual = dro.ChiSquare{Nu: r.Nu}
				}
				return v.problem(loss, dual, dro.L2{Mu: r.Mu})
			}})
	}
	return cells, nil
}

// A numbers holds a table of n rows and d columns and a target.
type numbers struct {
	n, d      int
	x, target []float64
}

func (v *numbers) problem(loss losses.Loss, dual dro.Dual, primal dro.Primal) (*dro.Problem, error) {
	z, err := design.NewDense(v.n, v.d, v.x)
	if err != nil {
		return nil, err
	}
	o, err := losses.NewLinear(loss, z, v.target)
	if err != nil {
		return nil, err
	}
	return &dro.Problem{Oracle: o, Dual: dual, Primal: primal}, nil
}

// readDesign reads a design matrix; the last two columns of the file are the target and the group.
func readDesign(path string) (*numbers, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	rows, err := csv.NewReader(f).ReadAll()
	if err != nil {
		return nil, err
	}
	v := &numbers{n: len(rows) - 1, d: len(rows[0]) - 2}
	for _, row := range rows[1:] {
		for j, text := range row[:v.d+1] {
			a, err := strconv.ParseFloat(text, 64)
			if err != nil {
				return nil, err
			}
			if j == v.d {
				v.target = append(v.target, a)
			} else {
				v.x = append(v.x, a)
			}
		}
	}
	return v, nil
}

// A table describes how rows and targets are drawn.
type table struct {
	n, d int
	// "" for independent normal; ar for autoregressive; heavy for Student's t with 2 degrees of freedom; rare
	// for mostly zeros
	columns   string
	noise     string  // noise of the target: normal, student (5 degrees of freedom) or cauchy
	kappa     float64 // ratio of the scales of the columns; 0 means 1
	signal    float64 // log odds of a label, halved; 0 means 1
	intercept bool    // the last column is the constant 1
	share     float64 // factor of the ridge penalty 1/n; 0 means 1
}

// draw returns the rows.
func (t table) draw(rng *rand.Rand) []float64 {
	x := make([]float64, t.n*t.d)
	for j := range t.n {
		row := x[j*t.d : (j+1)*t.d]
		for i := range row {
			v := rng.NormFloat64()
			switch t.columns {
			case "ar":
				if i > 0 {
					v = 0.98*row[i-1] + math.Sqrt(1-0.98*0.98)*v
				}
			case "heavy":
				v /= math.Sqrt(rng.ExpFloat64())
			case "rare":
				if i >= 10 {
					if v = 0; rng.IntN(500) == 0 {
						v = 1
					}
				}
			}
			row[i] = v
		}
		if t.intercept {
			row[t.d-1] = 1
		}
	}
	return x
}

// numbers draws rows and targets: those of a linear model with variance about 1 plus noise of half that size, or
// signs with logistic noise.
func (t table) numbers(labels bool) *numbers {
	rng := rand.New(rand.NewPCG(7, uint64(t.n)<<20^uint64(t.d)))
	v := &numbers{n: t.n, d: t.d, x: t.draw(rng), target: make([]float64, t.n)}
	coefficients := make([]float64, t.d)
	for i := range coefficients {
		coefficients[i] = rng.NormFloat64()
	}
	square := 0.0
	for j := range v.target {
		for i, a := range v.x[j*t.d : (j+1)*t.d] {
			v.target[j] += a * coefficients[i]
		}
		square += v.target[j] * v.target[j]
	}
	size := math.Sqrt(square / float64(t.n))
	for j := range v.target {
		m := v.target[j] / size
		noise := 0.5 * rng.NormFloat64()
		switch {
		case labels:
			if v.target[j] = -1; rng.Float64() < 1/(1+math.Exp(-2*cmp.Or(t.signal, 1)*m)) {
				v.target[j] = 1
			}
			continue
		case t.noise == "student":
			sum := 0.0
			for range 5 {
				a := rng.NormFloat64()
				sum += a * a
			}
			noise /= math.Sqrt(sum / 5)
		case t.noise == "cauchy":
			noise /= math.Abs(rng.NormFloat64())
		}
		v.target[j] = m + noise
	}
	if t.kappa > 1 {
		for i := range t.d {
			scale := math.Pow(t.kappa, -float64(i)/float64(max(1, t.d-1)))
			for j := range t.n {
				v.x[j*t.d+i] *= scale
			}
		}
	}
	return v
}

// oneHot returns a sparse problem whose columns are indicators in blocks, one of which is set in each block of a
// row, and a constant.
func oneHot(n, blocks, levels int) (*dro.Problem, error) {
	rng := rand.New(rand.NewPCG(8, uint64(n)))
	d := blocks*levels + 1
	coefficients := make([]float64, d)
	for i := range coefficients {
		coefficients[i] = rng.NormFloat64() / math.Sqrt(float64(blocks))
	}
	target, start, index := make([]float64, n), make([]int, n+1), []int32{}
	for j := range n {
		m := 0.0
		for b := range blocks {
			// a few levels are common, and many are rare
			i := b*levels + int(float64(levels)*math.Pow(rng.Float64(), 3))
			index = append(index, int32(i))
			m += coefficients[i]
		}
		index = append(index, int32(d-1))
		start[j+1] = len(index)
		if target[j] = -1; rng.Float64() < 1/(1+math.Exp(-2*m)) {
			target[j] = 1
		}
	}
	value := make([]float64, len(index))
	for i := range value {
		value[i] = 1
	}
	z, err := design.NewSparse(n, d, start, index, value)
	if err != nil {
		return nil, err
	}
	o, err := losses.NewLinear(losses.Logistic{}, z, target)
	if err != nil {
		return nil, err
	}
	return &dro.Problem{Oracle: o, Dual: dro.KL{Nu: 1}, Primal: dro.L2{Mu: 1 / float64(n), Intercept: true}}, nil
}

// tenGroups returns group DRO over ten groups, some of which are ten times as large as others.
func tenGroups(n int) dro.Dual {
	of := make([]int32, n)
	for j := range of {
		of[j] = int32(min(j%20, 9))
	}
	return dro.Groups{Of: [][]int32{of}, Near: dro.Ball{Radius: math.Inf(1)}}
}

// drawnCell returns the cell of a table that is drawn.
func drawnCell(name string, t table, loss losses.Loss, dual dro.Dual) cell {
	labels := loss.Name() == "logistic"
	return cell{name: fmt.Sprintf("%s %dx%d %s", name, t.n, t.d, loss.Name()),
		problem: func() (*dro.Problem, error) {
			return t.numbers(labels).problem(loss, dual, dro.L2{Mu: cmp.Or(t.share, 1) / float64(t.n), Intercept: t.intercept})
		}}
}

// largeCells returns problems with a million rows: penalties on 20 columns, and CVaR beside KL on 10 columns.
func largeCells() []cell {
	const n = 1_000_000
	var cells []cell
	for _, loss := range []losses.Loss{losses.Logistic{}, losses.Huber{Delta: 1}, losses.Squared{}} {
		for _, nu := range []float64{1, 0.1} {
			t := table{n: n, d: 20, noise: "student"}
			cells = append(cells, drawnCell(fmt.Sprintf("kl %g", nu), t, loss, dro.KL{Nu: nu}),
				drawnCell(fmt.Sprintf("chi2 %g", nu), t, loss, dro.ChiSquare{Nu: nu}))
		}
	}
	for _, signal := range []float64{1e-9, 0.3, 3} {
		t := table{n: n, d: 10, signal: signal, share: 1000}
		for name, dual := range map[string]dro.Dual{"kl": dro.KL{Nu: 1}, "cvar 0.1": dro.CVaR{Alpha: 0.1},
			"cvar 0.5": dro.CVaR{Alpha: 0.5}, "cvar 0.8": dro.CVaR{Alpha: 0.8}} {
			cells = append(cells, drawnCell(fmt.Sprintf("%s signal %g", name, signal), t, losses.Logistic{}, dual))
		}
	}
	slices.SortStableFunc(cells, func(a, b cell) int { return cmp.Compare(a.name, b.name) })
	return cells
}

// generatedCells returns the problems with random data.
func generatedCells() []cell {
	var cells []cell
	add := func(name string, t table, loss losses.Loss, dual dro.Dual) {
		cells = append(cells, drawnCell(name, t, loss, dual))
	}
	logistic, squared, huber := losses.Logistic{}, losses.Squared{}, losses.Huber{Delta: 1}
	klBall, chiBall := dro.Ball{Divergence: dro.KullbackLeibler, Radius: 0.3}, dro.Ball{Divergence: dro.PearsonChi2,
		Radius: 1}
	student := func(n, d int) table { return table{n: n, d: d, noise: "student"} }
	scaled := func(n, d int) table { return table{n: n, d: d, noise: "student", kappa: 100} }
	with := func(n, d int, noise string) table { return table{n: n, d: d, noise: noise, intercept: true} }

	add("kl", student(100_000, 20), logistic, dro.KL{Nu: 1})
	add("kl", student(100_000, 20), squared, dro.KL{Nu: 1})
	add("kl scaled", scaled(30_000, 100), huber, dro.KL{Nu: 1})
	add("chi2 scaled", scaled(30_000, 100), squared, dro.ChiSquare{Nu: 0.1})
	add("kl 0.1", student(300_000, 20), logistic, dro.KL{Nu: 0.1})
	add("chi2", student(300_000, 20), squared, dro.ChiSquare{Nu: 0.1})
	add("chi2 scaled", scaled(300_000, 20), huber, dro.ChiSquare{Nu: 0.1})
	add("erm", with(300_000, 20, ""), logistic, dro.Uniform{})
	add("kl wide", student(20_000, 300), logistic, dro.KL{Nu: 1})
	add("chi2 wide", student(20_000, 300), squared, dro.ChiSquare{Nu: 0.1})
	add("kl wide", student(15_000, 600), logistic, dro.KL{Nu: 1})
	add("kl ar", table{n: 10_000, d: 200, columns: "ar"}, logistic, dro.KL{Nu: 1})
	add("chi2 ar", table{n: 10_000, d: 200, columns: "ar"}, squared, dro.ChiSquare{Nu: 1})
	add("kl scales 1000", table{n: 3000, d: 500, kappa: 1000}, logistic, dro.KL{Nu: 1})
	add("kl ar by products", table{n: 400, d: 2100, columns: "ar"}, logistic, dro.KL{Nu: 1})
	cells = append(cells, cell{name: "kl one-hot 20000x1201 logistic",
		problem: func() (*dro.Problem, error) { return oneHot(20_000, 4, 300) }})
	add("kl heavy", table{n: 20_000, d: 20, columns: "heavy"}, logistic, dro.KL{Nu: 1})
	add("kl heavy", table{n: 12_000, d: 80, columns: "heavy"}, squared, dro.KL{Nu: 1})
	add("kl rare", table{n: 12_000, d: 40, columns: "rare"}, logistic, dro.KL{Nu: 1})
	add("kl near ties", student(5000, 20), losses.Huber{Delta: 1e-3}, dro.KL{Nu: 1})
	add("kl cauchy 0.01", table{n: 600, d: 10, noise: "cauchy"}, squared, dro.KL{Nu: 1e-2})
	add("kl cauchy 0.001", table{n: 20_000, d: 10, noise: "cauchy"}, squared, dro.KL{Nu: 1e-3})
	add("chi2 cauchy 0.01", table{n: 5000, d: 10, noise: "cauchy"}, squared, dro.ChiSquare{Nu: 1e-2})
	add("kl separate", table{n: 5000, d: 20, signal: 30, share: 1e-4, intercept: true}, logistic, dro.KL{Nu: 1})
	add("chi2 cauchy", with(20_000, 20, "cauchy"), squared, dro.ChiSquare{Nu: 0.1})
	add("protected", with(20_000, 20, "student"), huber, dro.ChiSquare{Alpha: 0.5, Nu: 0.1})
	for _, b := range []struct {
		name string
		dual dro.Dual
	}{{"kl ball", klBall}, {"chi2 ball", chiBall}} {
		add(b.name, table{n: 20_000, d: 20}, squared, b.dual)
		add(b.name, table{n: 100_000, d: 20, intercept: true}, logistic, b.dual)
		add(b.name+" cauchy", table{n: 20_000, d: 20, noise: "cauchy"}, squared, b.dual)
		add(b.name+" weak", table{n: 2000, d: 10, signal: 0.05}, logistic, b.dual)
	}
	add("cvar", student(5000, 20), logistic, dro.CVaR{Alpha: 0.1})
	add("cvar", student(5000, 20), squared, dro.CVaR{Alpha: 0.1})
	add("cvar", with(100_000, 20, "student"), squared, dro.CVaR{Alpha: 0.1})
	add("cvar", with(100_000, 20, ""), logistic, dro.CVaR{Alpha: 0.2})
	add("largest", student(5000, 20), logistic, dro.KL{})
	add("largest", student(5000, 20), huber, dro.KL{})
	add("groups", student(40_000, 20), squared, tenGroups(40_000))
	add("groups", table{n: 40_000, d: 20}, logistic, tenGroups(40_000))
	return cells
}
