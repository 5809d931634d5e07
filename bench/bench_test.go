package main

import (
	"encoding/json"
	"maps"
	"math"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
)

// TestMain lets the tests start themselves as workers, as the command does.
func TestMain(m *testing.M) {
	if len(os.Args) > 1 && os.Args[1] == workerMode {
		workerMain(os.Args[2:])
		return
	}
	os.Exit(m.Run())
}

func generated(t *testing.T, n, d int, s source, seed uint64) (*table, []float64) {
	t.Helper()
	made, err := generate(filepath.Join(t.TempDir(), "data"), n, d, s, seed)
	if err != nil {
		t.Fatal(err)
	}
	x, err := readFile(made.path + ".x")
	if err != nil {
		t.Fatal(err)
	}
	return made, x
}

func TestGenerate_Deterministic(t *testing.T) {
	const n = generatedRows + 50
	a, x := generated(t, n, 4, source{Kappa: 100}, 3)
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1))
	b, y := generated(t, n, 4, source{Kappa: 100}, 3)
	if !slices.Equal(x, y) || !slices.Equal(a.signs, b.signs) || !slices.Equal(a.real, b.real) {
		t.Error("equal seeds, different tables on one thread")
	}
	if _, z := generated(t, n, 4, source{Kappa: 100}, 4); slices.Equal(x, z) {
		t.Error("different seeds, equal tables")
	}
	if slices.Equal(x[:4], x[4*generatedRows:4*generatedRows+4]) {
		t.Error("blocks repeat")
	}
	const first, last = -0.9333371403199586, 0.016342915059004696
	if x[0] != first || x[len(x)-1] != last { // frozen: results are compared across versions
		t.Errorf("entries %v and %v", x[0], x[len(x)-1])
	}
	read := 0
	if err := a.each(n, func(lo int, rows []float64) {
		read += len(rows)
		if !slices.Equal(rows, x[4*lo:4*lo+len(rows)]) {
			t.Errorf("rows from %d on are read wrongly", lo)
		}
	}); err != nil || read != len(x) {
		t.Errorf("%d of %d entries read, %v", read, len(x), err)
	}
}

// Any two columns have the correlation asked for: over 2·10⁴ rows its estimate is
// within 0.02 of it, more than ten standard deviations.
func TestCorrelated_ColumnsHaveTheCorrelationAsked(t *testing.T) {
	_, x := generated(t, 20_000, 2, source{Kappa: 10, Rho: 0.9}, 1)
	var aa, ab, bb float64
	for j := 0; j < len(x); j += 2 {
		aa, ab, bb = aa+x[j]*x[j], ab+x[j]*x[j+1], bb+x[j+1]*x[j+1]
	}
	if rho := ab / math.Sqrt(aa*bb); !(math.Abs(rho-0.9) <= 0.02) {
		t.Errorf("correlation %v", rho)
	}
	if kappa := math.Sqrt(aa / bb); !(math.Abs(kappa-10) <= 0.5) {
		t.Errorf("scales differ by %v", kappa)
	}
}

// One sample, d = 1, z = 2, squared loss, t = 2, μ = 1: P(x) = ½(2x−2)² + ½x²,
// ∇P = 5x − 4, least at x = 0.8 with P = 0.08 + 0.32 = 0.4. At x = 1, P = 0.5; with
// all the curvature, 5, the bound is exact: 0.5 − 1/10. With one sample every
// adversary is the same.
func TestChecker_OfOneSampleIsTheClosedForm(t *testing.T) {
	path := filepath.Join(t.TempDir(), "one")
	if err := os.WriteFile(path+".x", littleEndian([]float64{2}), 0o600); err != nil {
		t.Fatal(err)
	}
	table := &table{n: 1, d: 1, real: []float64{2}, path: path}
	for _, penalty := range []string{"kl", "chi2"} {
		c := &cell{Loss: "squared", Penalty: penalty, N: 1, D: 1, Nu: 0.7, Mu: 1}
		if b, err := check(c, table, []float64{1}, relativeGap); err != nil || !(math.Abs(b.Upper-0.5) <= 1e-15) ||
			!(math.Abs(b.Lower-0.4) <= 1e-15) {
			t.Errorf("%s: %+v at 1, %v", penalty, b, err)
		}
		if b, err := check(c, table, []float64{0.8}, relativeGap); err != nil || !(math.Abs(b.Upper-0.4) <= 1e-15) ||
			b.Gap() > 1e-15 {
			t.Errorf("%s: %+v at the optimum, %v", penalty, b, err)
		}
	}
}

// One sample, d = 1, z = 1, logistic loss, target 1, μ = ½, at x = 0: P = log 2, slope
// −½, ∇P = −½, curvature ¼·e⁻ʳ, H = ½ + e⁻ʳ/4, λ² = ¼/H, ρ² = 1/H, so that λρ =
// ½/H is more than any r tried: the bound is that of μ alone, log 2 − ¼.
func TestChecker_OutsideRadius(t *testing.T) {
	path := filepath.Join(t.TempDir(), "one")
	if err := os.WriteFile(path+".x", littleEndian([]float64{1}), 0o600); err != nil {
		t.Fatal(err)
	}
	c := &cell{Loss: "logistic", Penalty: "kl", N: 1, D: 1, Nu: 1, Mu: 0.5}
	b, err := check(c, &table{n: 1, d: 1, signs: []float64{1}, path: path}, []float64{0}, relativeGap)
	if err != nil || !(math.Abs(b.Upper-math.Ln2) <= 1e-15) || !(math.Abs(b.Lower-(math.Ln2-0.25)) <= 1e-15) {
		t.Errorf("%+v, %v", b, err)
	}
}

// The curvature proves no more than the truth, from any point, and near the optimum
// more than μ does.
func TestChecker_CurvatureIsTheSecondDifference(t *testing.T) {
	data, _ := generated(t, 500, 3, source{Kappa: 10}, 1)
	for _, c := range grid("quick", []source{{Rows: 500, Columns: 3, Kappa: 10}}, allLosses, []float64{1}) {
		x, truth := make([]float64, 3), math.Inf(-1)
		best := Bounds{Upper: math.Inf(1)}
		for k := range 400 { // coordinate search
			step := 4 * math.Pow(0.9, float64(k/3))
			for _, s := range []float64{-step, step} {
				y := slices.Clone(x)
				y[k%3] += s
				b, err := check(&c, data, y, relativeGap)
				if err != nil {
					t.Fatal(err)
				}
				if truth = max(truth, b.Lower); b.Upper < best.Upper {
					best, x = b, y
				}
			}
		}
		if truth > best.Upper+1e-12 || best.Gap() > 1e-3 {
			t.Errorf("%s: a lower bound %v above the objective %v, or a wide gap %v", c.Name(), truth, best.Upper, best.Gap())
		}
	}
}

// On losses 0 and 1 with ν = 1: KL has R = log((1+e)/2); χ² has both active,
// τ = ½, n·y = (½, 3/2), R = ¾ − ½·¼ = 0.625. With ν = ¼ the first is inactive:
// n·y = (0, 2), R = 1 − ⅛ = 0.875.
func TestChecker_ResponsesAreThoseByHand(t *testing.T) {
	f := []float64{0, 1}
	risk := func(y []float64, penalty float64) float64 { return y[0]*f[0] + y[1]*f[1] - penalty }
	for _, k := range []struct{ got, want float64 }{
		{risk(respondKL(f, 1)), math.Log((1 + math.E) / 2)},
		{risk(respondChi2(f, 1)), 0.625},
		{risk(respondChi2(f, 0.25)), 0.875},
	} {
		if !(math.Abs(k.got-k.want) <= 1e-15) {
			t.Errorf("risk %v, want %v", k.got, k.want)
		}
	}
}

// A wrong x shows in the checker's gap, whatever the solver said; the bounds of
// a right and a wrong one hold the same optimum. No peer is needed.
func TestCells_QuickAndWrongPoint(t *testing.T) {
	o := &options{repeats: 2, seconds: 10, threads: 2, seed: 1, quick: true,
		out: filepath.Join(t.TempDir(), "r"), python: "no such program"}
	if err := o.prepare("n2000-"); err != nil {
		t.Fatal(err)
	}
	if err := run(o, t.TempDir()); err != nil {
		t.Fatal(err)
	}
	var r report
	raw, err := os.ReadFile(o.out + ".json")
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(raw, &r); err != nil {
		t.Fatal(err)
	}
	if len(r.Results) != 6 || len(r.Skipped) != 0 {
		t.Fatalf("%d results, %d skipped", len(r.Results), len(r.Skipped))
	}
	for _, res := range r.Results {
		own := res.seriesOf("ours")
		if own.Gap > relativeGap || !res.Sound || len(own.Seconds) < 2 || own.Passes <= 0 {
			t.Errorf("%s: %+v, sound %v", res.Cell, own, res.Sound)
		}
		if !(res.Pass > 0) {
			t.Errorf("%s: pass %v", res.Cell, res.Pass)
		}
	}
	data, _ := generated(t, 2000, 10, source{Kappa: 1}, o.seed)
	for _, c := range quickCells()[:6] {
		b, err := check(&c, data, make([]float64, 10), relativeGap)
		if err != nil || b.Gap() < 100*relativeGap {
			t.Errorf("%s: a wrong point passes: %+v, %v", c.Name(), b, err)
		}
	}
	md := r.markdown()
	if strings.Count(md, "| huber-") != 2 || !strings.Contains(md, "### Summary") {
		t.Error(md)
	}
}

// Every cell has a name of its own, and a table in which it appears.
func TestCells_HaveNamesOfTheirOwn(t *testing.T) {
	o := &options{repeats: 1, reference: t.TempDir()}
	if err := o.prepare(""); err != nil {
		t.Fatal(err)
	}
	cells, err := o.plan()
	if err != nil {
		t.Fatal(err)
	}
	seen := map[string]bool{}
	for _, c := range cells {
		if seen[c.Name()] {
			t.Errorf("%s occurs twice", c.Name())
		}
		seen[c.Name()] = true
		if !slices.Contains(groups, c.Group) {
			t.Errorf("%s is in no table", c.Name())
		}
	}
}

// The authors' code has no Huber loss, DRAGO no KL; the others' size is bounded.
func TestCells_OtherPeers(t *testing.T) {
	cells := slices.Concat(mainCells(), sweepCells(), quickCells())
	for _, loss := range allLosses {
		for _, penalty := range []string{"kl", "chi2"} {
			cells = append(cells, cell{Group: "ref", Source: source{Dataset: "adult"}, Loss: loss, Penalty: penalty, N: 32_561,
				D: 82, Nu: 0.1})
		}
	}
	got := map[string]int{}
	for _, c := range cells {
		for _, peer := range others {
			if !c.accepts(peer) {
				continue
			}
			got[peer+" "+c.Group]++
			if c.N > authorsRows || c.Loss == "huber" && peer != "cvxpy" || c.Penalty == "kl" && peer == "drago" {
				t.Errorf("%s is asked for %s", peer, c.Name())
			}
		}
	}
	want := map[string]int{"cvxpy small": 6, "dro small": 4, "drago small": 2, "drlearn small": 4, "cvxpy quick": 6,
		"dro quick":   4,
		"drago quick": 2, "drlearn quick": 4, "drago main": 2, "drlearn main": 4, "drago ref": 2, "drlearn ref": 4}
	if !maps.Equal(got, want) {
		t.Errorf("%v, want %v", got, want)
	}
}

// A peer that is not installed is named once, with what to do.
func TestPeers_MissingAreNamedOnce(t *testing.T) {
	var log strings.Builder
	o := &options{repeats: 1, seconds: 10, quick: true, python: "no such program", log: &log}
	if err := o.prepare(""); err != nil {
		t.Fatal(err)
	}
	o.dir = t.TempDir()
	c := quickCells()[1]
	if err := findAuthors(o, []cell{c}); err != nil {
		t.Fatal(err)
	}
	for _, module := range authors {
		if !o.missing[module] || strings.Count(log.String(), "git clone https://github.com/ronakdm/"+module) != 1 {
			t.Errorf("%s: %s", module, log.String())
		}
	}
}

// Two problems on which ours takes 1 ms: DRAGO takes 40 ms on one and is given up on
// the other after 2 s; drlearn fails on one and diverges on the other.
func TestReport_OtherPeers(t *testing.T) {
	r := &report{}
	for k, c := range []cell{quickCells()[1], quickCells()[5]} {
		drago := &series{Solver: "drago", Status: "certified", Seconds: []float64{0.04}, Excess: 9e-7}
		if k == 1 {
			drago = &series{Solver: "drago", Status: "limit", Seconds: []float64{2}, Excess: 3e-3}
		}
		r.Results = append(r.Results, &result{Cell: c.Name(), Problem: c, Sound: true, Series: []*series{
			{Solver: "ours", Status: "certified", Seconds: []float64{0.001}}, drago,
			{Solver: "drlearn", Status: []string{"failed", "diverged"}[k], Seconds: []float64{0}, Gap: -1}}})
	}
	md := r.markdown()
	for _, want := range []string{
		"| drago (excess) | ÷ ours | drlearn (excess) | ÷ ours |\n",
		"| 40 (9e-07) | 40 | failed | – |\n",
		"| 2000 limit (3e-03) | > 2000 | diverged | – |\n",
		"| drago: quick | 2 | 1 | 1 | > 1020 (40–> 2000) |\n",
		"| drlearn: quick | 2 | 0 | 0 | – |\n",
	} {
		if !strings.Contains(md, want) {
			t.Errorf("%q is not in\n%s", want, md)
		}
	}
}
