package losses_test

import (
	"encoding/csv"
	"encoding/json"
	"errors"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"testing"

	"github.com/drotrain/drotrain/design"
	"github.com/drotrain/drotrain/dro"
	"github.com/drotrain/drotrain/losses"
)

// solve returns the certified solution of a robust problem over rows of d numbers.
func solve(
	t *testing.T, loss losses.Loss, rows, target []float64, d int, dual dro.Dual, primal dro.Primal,
) *dro.Result {
	t.Helper()
	z, err := design.NewDense(len(target), d, rows)
	if err != nil {
		t.Fatal(err)
	}
	oracle, err := losses.NewLinear(loss, z, target)
	if err != nil {
		t.Fatal(err)
	}
	res, err := dro.Solve(t.Context(), &dro.Problem{Oracle: oracle, Dual: dual, Primal: primal},
		&dro.Options{RelativeGap: 1e-9, MaxPasses: 1e4})
	if err != nil {
		t.Fatal(err)
	}
	return res
}

// A givenOptimum is an entry of the list of optima that another program computed in 40 digits.
type givenOptimum struct {
	ID, Dataset, Loss, Set, Weights string
	Features                        []string
	LossParameters                  struct{ Tau, H, Delta float64 } `json:"loss_parameters"`
	SetParameters                   struct {
		Nu, Alpha, Rho, R, Eps float64
		Spectrum               string
	} `json:"set_parameters"`
	Mu, Objective float64
}

// loss returns the loss, and whether its constant is left out of the optimum.
func (p *givenOptimum) loss() (loss losses.Loss, shifted bool) {
	switch p.Loss {
	case "pinball":
		return losses.Quantile{Level: p.LossParameters.Tau, Width: p.LossParameters.H}, false
	case "poisson":
		return losses.Poisson{}, true
	case "poisson_deviance":
		return losses.Poisson{}, false
	}
	loss, _ = losses.Parse(p.Loss, p.LossParameters.Delta)
	return loss, false
}

// dual returns the ambiguity set around the weights w.
func (p *givenOptimum) dual(w []float64) dro.Dual {
	of := p.SetParameters
	switch p.Set {
	case "penalty":
		return dro.KL{Nu: of.Nu, Weights: w}
	case "cvar":
		return dro.CVaR{Alpha: of.Alpha, Weights: w}
	case "tv":
		return dro.Ball{Divergence: dro.TotalVariation, Radius: of.Rho, Weights: w}
	case "spectral":
		return dro.Spectral{Spectrum: dro.Spectrum{Kind: dro.SpectrumKind(of.Spectrum), Param: max(of.Alpha, of.R, of.Rho)},
			Weights: w}
	}
	return dro.Uniform{}
}

// The bounds contain the optima of losses and ambiguity sets that another program computed with 40 digits.
func TestOptima_OfAnotherProgram(t *testing.T) {
	const folder = "../../shared/reference/sets"
	raw, err := os.ReadFile(filepath.Join(folder, "sets.json"))
	if errors.Is(err, fs.ErrNotExist) {
		t.Skip("the reference optima are not here")
	} else if err != nil {
		t.Fatal(err)
	}
	var all struct{ Problems []givenOptimum }
	if err := json.Unmarshal(raw, &all); err != nil {
		t.Fatal(err)
	}
	solved := 0
	for _, p := range all.Problems {
		loss, shifted := p.loss()
		if shifted && p.Set != "erm" { // without the constants of the rows it is another problem
			continue
		}
		features := p.Features
		if p.Weights != "equal" {
			features = append(slices.Clone(features), "weight")
		}
		rows, target := columnsOf(t, filepath.Join(folder, p.Dataset), features)
		var w []float64
		if p.Weights != "equal" {
			d := len(features)
			plain := make([]float64, 0, len(rows))
			for j := range target {
				plain, w = append(plain, rows[j*d:(j+1)*d-1]...), append(w, rows[(j+1)*d-1])
			}
			rows = plain
		}
		want := p.Objective
		if shifted {
			for _, v := range target {
				if v > 0 {
					want += (v*math.Log(v) - v) / float64(len(target))
				}
			}
		}
		var primal dro.Primal = dro.L2{Mu: p.Mu}
		if p.Set == "wasserstein" {
			primal = dro.Wasserstein{Mu: p.Mu, Radius: p.SetParameters.Eps * loss.Lipschitz()}
		}
		res := solve(t, loss, rows, target, len(p.Features), p.dual(w), primal)
		t.Logf("%s %s %s %v: %v, %.4g passes, relative gap %.3g", p.ID, p.Loss, p.Set, p.SetParameters, res.Status,
			res.Passes, res.Certificate.Relative())
		slack := 1e-9 * math.Abs(want)
		if res.Status != dro.Certified || !(res.Certificate.Lower <= want+slack && want-slack <= res.Certificate.Upper) {
			t.Errorf("%s: %v, [%v, %v] for %v", p.ID, res.Status, res.Certificate.Lower, res.Certificate.Upper, want)
		}
		solved++
	}
	if solved < 50 {
		t.Errorf("%d problems were solved", solved)
	}
}

// columnsOf returns features, row by row, and the target of a table of numbers.
func columnsOf(t *testing.T, path string, features []string) (rows, target []float64) {
	t.Helper()
	f, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	lines, err := csv.NewReader(f).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	at := make([]int, 0, len(features)+1)
	for _, name := range append(slices.Clone(features), "target") {
		at = append(at, slices.Index(lines[0], name))
	}
	for _, line := range lines[1:] {
		for k, i := range at {
			v, err := strconv.ParseFloat(line[i], 64)
			if err != nil {
				t.Fatal(err)
			}
			if k < len(features) {
				rows = append(rows, v)
			} else {
				target = append(target, v)
			}
		}
	}
	return rows, target
}

// small returns a table of 40 rows of two features and a constant, and counts.
func small() (rows, counts []float64) {
	for i := range 40 {
		x1, x2 := float64((i*7)%11-5)/5, float64((i*3)%13-6)/6
		y := float64((i*i*5 + 3*i) % 9)
		if x1 > 0 {
			y *= 2
		}
		rows, counts = append(rows, x1, x2, 1), append(counts, y)
	}
	return rows, counts
}

// scikit-learn 1.9.1 fits the same models: PoissonRegressor(alpha=0.05) has the same coefficients, and
// QuantileRegressor(alpha=0), whose loss is not smoothed, the same risk up to the width.
func TestOptima_AgainstScikitLearn(t *testing.T) {
	rows, counts := small()
	res := solve(t, losses.Poisson{}, rows, counts, 3, dro.Uniform{}, dro.L2{Mu: 0.05, Intercept: true})
	for k, want := range []float64{0.350222176841412, 0.190578666107877, 1.5574137479640504} {
		if !(math.Abs(res.X[k]-want) <= 1e-5) {
			t.Errorf("Poisson: coefficient %d is %v, not %v", k, res.X[k], want)
		}
	}
	target := slices.Clone(counts)
	for i := range target {
		target[i] += 0.1 * rows[3*i] * float64(i)
	}
	for tau, want := range map[float64]float64{0.2: 1.1421307692307692, 0.5: 2.0659722222222223, 0.9: 0.8887617647058821} {
		const width = 1e-3
		res := solve(t, losses.Quantile{Level: tau, Width: width}, rows, target, 3, dro.Uniform{},
			dro.L2{Mu: 1e-9, Intercept: true})
		pinball := 0.0
		for i, v := range target {
			r := v - rows[3*i]*res.X[0] - rows[3*i+1]*res.X[1] - res.X[2]
			pinball += max(tau*r, (tau-1)*r) / float64(len(target))
		}
		// The smoothed loss is below the pinball loss by at most max(τ, 1−τ)²h/2.
		if most := want + width/2; res.Status != dro.Certified || !(pinball >= want-1e-9 && pinball <= most) {
			t.Errorf("quantile %v: %v, the pinball loss is %v, and %v at the optimum", tau, res.Status, pinball, want)
		}
	}
}
