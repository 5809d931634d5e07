package measure

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"
)

// CVaR against its other definition, the minimum over q (attained at a loss).
func TestCVaRIsTheMinimumOverThresholds(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 1))
	for range 200 {
		n := 1 + r.IntN(7)
		loss := make([]float64, n)
		for i := range loss {
			loss[i] = math.Round(4*r.NormFloat64()) / 2 // ties
		}
		for _, a := range []float64{1e-9, 0.1, 1 / float64(n), 0.5, 0.77, 1} {
			got, err := CVaR(loss, a)
			if err != nil {
				t.Fatal(err)
			}
			want := math.Inf(1)
			for _, q := range loss {
				s := 0.0
				for _, l := range loss {
					s += math.Max(0, l-q)
				}
				want = math.Min(want, q+s/(a*float64(n)))
			}
			if !(math.Abs(got[0]-want) <= closedForm*10) {
				t.Fatalf("CVaR(%v, %v) = %v, want %v", loss, a, got[0], want)
			}
		}
	}
}

func TestCVaRByHand(t *testing.T) {
	// Worst 40 % of 4 rows = 1.6 rows: (10 + 0.6·6)/1.6 = 8.5.
	got, err := CVaR([]float64{1, 10, 3, 6}, 0.4, 1, 0.25)
	if err != nil || !(math.Abs(got[0]-8.5) <= closedForm) || got[1] != 5 || got[2] != 10 {
		t.Fatal(got, err)
	}
	for _, bad := range []float64{0, -1, 1.1, math.NaN()} {
		if _, err := CVaR([]float64{1}, bad); err == nil {
			t.Errorf("level %v accepted", bad)
		}
	}
	if _, err := CVaR(nil, 0.5); err == nil {
		t.Error("no losses accepted")
	}
	if _, err := CVaR([]float64{1, math.NaN()}, 0.5); err == nil {
		t.Error("NaN accepted")
	}
}

// The worst cases against a fine grid on the simplex of three rows: nothing on
// the grid beats them, and the grid comes within its own resolution.
func TestWorstCaseByEnumeration(t *testing.T) {
	const grid = 400
	for _, loss := range [][]float64{{0, 1, 3}, {2, 2, -5}, {0.1, 0.11, 0.1}, {-1, 40, 39}} {
		for _, nu := range []float64{0.05, 0.5, 2, 50} {
			best := map[string]float64{"kl": math.Inf(-1), "chi2": math.Inf(-1)}
			for i := 0; i <= grid; i++ {
				for j := 0; i+j <= grid; j++ {
					y := []float64{float64(i) / grid, float64(j) / grid, float64(grid-i-j) / grid}
					mean, kl, chi := 0.0, 0.0, 0.0
					for k, p := range y {
						mean += p * loss[k]
						if p > 0 {
							kl += p * math.Log(3*p)
						}
						chi += (3*p - 1) * (3*p - 1) / 6
					}
					best["kl"] = math.Max(best["kl"], mean-nu*kl)
					best["chi2"] = math.Max(best["chi2"], mean-nu*chi)
				}
			}
			for name, f := range map[string]func([]float64, float64) ([]float64, WorstCase, error){"kl": WorstCaseKL, "chi2": WorstCaseChiSquare} {
				_, w, err := f(loss, nu)
				if err != nil {
					t.Fatal(err)
				}
				resolution := 50.0/grid + 20*nu/grid/grid
				if p := float64(w.Penalised); best[name] > p+1e-9 || best[name] < p-resolution {
					t.Errorf("%s %v ν=%v: %v, grid %v", name, loss, nu, p, best[name])
				}
			}
		}
	}
}

// The weights returned have the mean, radius, and concentration stated.
func TestWorstCaseIsConsistent(t *testing.T) {
	r := rand.New(rand.NewPCG(2, 1))
	for range 100 {
		n := 1 + r.IntN(50)
		loss := make([]float64, n)
		for i := range loss {
			loss[i] = math.Exp(3*r.NormFloat64()) + 1e3
		}
		nu := math.Exp(4 * r.NormFloat64())
		for name, f := range map[string]func([]float64, float64) ([]float64, WorstCase, error){"kl": WorstCaseKL, "chi2": WorstCaseChiSquare} {
			y, w, err := f(loss, nu)
			if err != nil {
				t.Fatal(err)
			}
			var sum, mean, kl, chi, sq, top float64
			for i, p := range y {
				sum += p
				mean += p * loss[i]
				if p > 0 {
					kl += p * math.Log(float64(n)*p)
				}
				chi += (float64(n)*p - 1) * (float64(n)*p - 1) / 2 / float64(n)
				sq += p * p
				top = math.Max(top, p*float64(n))
			}
			radius := map[string]float64{"kl": kl, "chi2": chi}[name]
			for what, d := range map[string][2]float64{"sum": {sum, 1}, "mean": {float64(w.Mean), mean}, "radius": {float64(w.Radius), radius},
				"penalised": {float64(w.Penalised), mean - nu*radius}, "effective": {float64(w.Effective), 1 / sq}, "max": {float64(w.MaxWeight), top}} {
				if !(math.Abs(d[0]-d[1]) <= 1e-9*math.Max(1, math.Abs(d[1]))) {
					t.Errorf("%s n=%d ν=%v %s: %v against %v", name, n, nu, what, d[0], d[1])
				}
			}
		}
	}
}

func TestWorstCaseDoesNotOverflow(t *testing.T) {
	y, w, err := WorstCaseKL([]float64{1e8, 0, -1e8}, 1e-3)
	if err != nil || y[0] != 1 || float64(w.Mean) != 1e8 {
		t.Fatal(y, w, err)
	}
	for _, nu := range []float64{0, -1, math.NaN(), math.Inf(1)} {
		if _, _, err := WorstCaseKL([]float64{1}, nu); err == nil {
			t.Errorf("ν = %v accepted", nu)
		}
		if _, _, err := WorstCaseChiSquare([]float64{1}, nu); err == nil {
			t.Errorf("ν = %v accepted", nu)
		}
	}
}

func ExampleCVaR() {
	v, err := CVaR([]float64{0.2, 0.1, 0.9, 0.4}, 0.25, 0.5, 1)
	fmt.Println(v, err)
	// Output: [0.9 0.65 0.4] <nil>
}

func ExampleWorstCaseKL() {
	// Who would carry the objective of any model whose losses are these?
	y, w, err := WorstCaseKL([]float64{0, 0, 0, 2}, 1)
	fmt.Printf("%.3f mean %.3f effective %.2f of 4 %v\n", y, w.Mean, w.Effective, err)
	// Output: [0.096 0.096 0.096 0.711] mean 1.422 effective 1.87 of 4 <nil>
}

func ExampleWorstCaseChiSquare() {
	// n y = 1 + (ℓ − τ)/ν with τ = ½, the mean: (½, ½, ½, 5/2).
	y, w, err := WorstCaseChiSquare([]float64{0, 0, 0, 2}, 1)
	fmt.Printf("%.3f mean %.2f penalised %.3f %v\n", y, w.Mean, w.Penalised, err)
	// Output: [0.125 0.125 0.125 0.625] mean 1.25 penalised 0.875 <nil>
}

// closedForm is the tolerance of numbers with a closed form.
const closedForm = 1e-12

// Where next to all rows share the largest loss, or all do, there is no curve to speak of; where
// some do not there is one.
func TestCurvesOfLossesThatAreShared(t *testing.T) {
	for less, points := range map[int]bool{0: false, 1: false, 2: false, 100: true} {
		loss := make([]float64, 4000)
		for i := range less {
			loss[i*31] = -1
		}
		s, err := Sort(loss, nil)
		if err != nil {
			t.Fatal(err)
		}
		for name, curve := range map[string][]WorstCase{"KL": WorstCaseKLCurve(s), "χ²": WorstCaseChiSquareCurve(s)} {
			if (len(curve) > 0) != points {
				t.Errorf("%s of 4000 losses, %d of them less: %d points", name, less, len(curve))
			}
		}
	}
}

// Losses that differ by no more than rounding have no curve: every reweighting has the same mean.
func TestLossesThatAreEqualHaveNoCurve(t *testing.T) {
	for _, c := range []struct {
		middle, apart float64
		none          bool
	}{{0, 0, true}, {0, 1e-100, false}, {0, 1, false}, {1e12, 1, true}, {1e12, 1.5, false}, {-1e12, 1, true}, {-1e12, 1.5, false}, {0, 1e300, true}} {
		s, err := Sort([]float64{c.middle - c.apart, c.middle + c.apart}, nil)
		if err != nil {
			t.Fatal(err)
		}
		for name, curve := range map[string][]WorstCase{"KL": WorstCaseKLCurve(s), "χ²": WorstCaseChiSquareCurve(s)} {
			if (len(curve) == 0) != c.none {
				t.Errorf("%s of %v ± %v: %d points", name, c.middle, c.apart, len(curve))
			}
		}
	}
}

// Losses in parts of 1024: their worst case is that of them twice, of half the weight each.
func TestWorstCaseOfManyRows(t *testing.T) {
	for _, n := range []int{512, 1023, 1024, 1025} {
		loss := make([]float64, n)
		for i := range loss {
			loss[i] = float64(i%7) / 3
		}
		_, want, err := WorstCaseKL(loss, 0.5)
		if err != nil {
			t.Fatal(err)
		}
		_, got, err := WorstCaseKL(append(loss, loss...), 0.5)
		if err != nil {
			t.Fatal(err)
		}
		if !(math.Abs(float64(got.Mean-want.Mean)) <= 1e-12) || !(math.Abs(float64(got.Radius-want.Radius)) <= 1e-12) || !(math.Abs(float64(got.Effective-2*want.Effective)) <= 1e-9) {
			t.Errorf("%d rows: %+v, twice %+v", n, want, got)
		}
	}
}
