package mutate

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"
)

// A Named mutant was found by hand, and is held by a test of its own.
type Named struct {
	What     string
	File     string
	Old, New string // a text that is there once
	Test     string // the package, and the -run pattern of the tests that fail
}

// Hand lists them: faults that a suite once passed with, most of them where the
// references beside a repository had hidden it.
var Hand = []Named{
	{"the offset of a χ² working set is half", "dro/internal/side/chisquare.go", "c.Nu / 2 * (ratio - 1)", "c.Nu / 4 * (ratio - 1)", "./dro RestrictedPenalty"},
	{"the sign of a coreset's offset", "dro/internal/side/kl.go", "return -k.Nu * math.Log(p)", "return k.Nu * math.Log(p)", "./dro CoresetOffset"},
	{"working sets off", "dro/internal/newton/working.go", "m.Ctx.Err() == nil && !ablate.Off.WorkingSets", "false", "./dro WorkingSetsSavePasses"},
	{"sampled Hessians off", "dro/internal/newton/growing.go", "if ablate.Off.SampledHessians {", "if true {", "./dro HessiansAreOfFewSamples"},
	{"a new Hessian at every step", "dro/internal/newton/renewal.go", "ablate.Off.Renewal || !(rate < 1)", "true || !(rate < 1)", "./dro HessiansAreKeptWhileTheyServe"},
	{"the choice for missing numbers does not reach the encoder", "train/problem.go", "Impute: c.Impute, ", "", "./train ImputeReachesTheEncoder"},
	{"no allowance for the rounding of logistic curvature", "losses/loss.go", "rounding = 10 * 0x1p-53", "rounding = 0 * 0x1p-53", "./losses Round|Curvature|LowerBound"},
	{"no allowance on the upper bound", "dro/internal/saddle/certificate.go", "upper := c.Objective + rounding + ", "upper := c.Objective + 0*rounding + 0*", "./dro UpperBoundNextToTheOptimum"},
	{"a radius a third of what was proved", "dro/internal/bound/curvature.go", "if rho = within; proved(within / 3) {", "if rho = within / 3; false {", "./dro/internal/bound Reach"},
	{"a schedule without (stoch:N_nu)", "dro/internal/template/schedule.go", ", {r / 5, m.nu, m.nu0}}", "}", "./dro/internal/template ScheduleIsTheLargest|ScheduleAndItsConditions|Admissible"},
	{"n for n − 1 in the slowest schedule", "dro/internal/template/schedule.go", "return 1 / (4 * (n - 1)), m.nu0 / (4 * (n - 1) * m.nu)", "return 1 / (4 * n), m.nu0 / (4 * n * m.nu)", "./dro/internal/template ScheduleIsTheLargest"},
	{"stages that end above the start are kept", "dro/internal/newton/growing.go", "math.IsInf(g.Cert.Objective, 1) || g.Cert.Objective > g.Cert.BestObjective", "false", "./dro GrowingDropsStages"},
	{"the sign in Armijo's condition", "dro/internal/newton/search.go", "m.value-m.line.Decrease*t*slope", "m.value+m.line.Decrease*t*slope", "./dro SearchAsksForADecrease"},
	{"a snapshot without the threshold", "dro/internal/saddle/certificate.go", "&c.bestRisk, &c.bestTau, &c.Threshold, &c.Shortfall", "&c.bestRisk, &c.bestTau, &c.Shortfall", "./dro Resume"},
	{"a snapshot without what rounding may have done", "dro/internal/saddle/certificate.go", "&c.Own, &c.Psi, &c.Price, ", "&c.Psi, ", "./dro Resume"},
	{"a snapshot without the metric's Hessian", "dro/internal/hessian/factored.go", "s.Floats(m.Full, m.cross, m.Matrix.RawSymmetric().Data)", "", "./dro Resume"},
	{"a snapshot without the Lipschitz constants of the samples", "dro/internal/template/iteration.go", "s.Floats(w.known.h)", "", "./dro Resume"},
	{"a snapshot without whether quadratics above the losses served", "dro/internal/newton/newton.go", "s.Boolean(&m.steep)", "", "./dro/internal/newton RareStates"},
	{"a snapshot without the damping of minimax steps", "dro/internal/newton/minimax.go", "s.Float(&m.lambda)", "", "./dro/internal/newton RareStates"},
	{"a snapshot without the weights of a Hessian by its products", "dro/internal/hessian/operator.go", "s.Floats(h.weight, h.cross, h.diagonal)", "s.Floats(h.cross, h.diagonal)", "./dro SnapshotsHold|Resume"},
	{"a restricted penalty that rounding takes from", "dro/internal/side/chisquare.go", "up := 1 + 8*saddle.UnitRoundoff", "up := 1 + 0*saddle.UnitRoundoff", "./dro/internal/side RestrictedPenaltyIsNoLess"},
	{"no charge for a price that is off", "dro/internal/side/ball.go", "own += (a.nu - b.Nu) *", "own += 0 * (a.nu - b.Nu) *", "./dro/internal/side PriceThatIsOff"},
	{"a feature of twenty values that all differ", "data/category.go", "n == rows && rows > 20", "n == rows && rows >= 20", "./data Identifier|Own"},
	{"ranks of the interval of a median", "eval/internal/resample/interval.go", "Low: at(lo - 1), High: at(hi - 1)", "Low: at(lo - 1), High: at(hi - 2)", "./eval/internal/resample MedianInterval"},
	{"the row of a number that lost digits", "data/parquet/chunk.go", "r.inexact = start + lost + 1", "r.inexact = start + lost", "./data/parquet RowOfTheFirstInexact"},

	{"margins without an effect on the minimum", "dro/internal/saddle/rounding.go", "k := (1 + 1e-9) * math.Sqrt(2*e.smooth) * margin", "k := 0 * math.Sqrt(2*e.smooth) * margin", "./dro/internal/bound MinimumWhereMarginsRound"},
	{"losses without rounding, from below", "dro/internal/saddle/rounding.go", "return LossRounding*w.mean + (1+1e-9)", "return (1+1e-9)", "./dro/internal/side LossesRound"},
	{"losses without rounding, from above", "dro/internal/saddle/rounding.go", "most := LossRounding*max(0, top) + ", "most := ", "./dro/internal/side LossesRound"},
	{"KL's risk about the mean without rounding", "dro/internal/side/kl.go", "about := nu*((1+1e-6)*gamma*terms/(1+q)+response) + 8*saddle.UnitRoundoff*(math.Abs(c)+math.Abs(lift))", "about := 0.0", "./dro/internal/side KLRisk"},
	{"a ridge's Fenchel-Young gap at the computed gradient", "dro/internal/saddle/rounding.go", "math.Abs(g[i]+mu*x[i]) + err[i] + ", "math.Abs(g[i]+mu*x[i]) + ", "./dro/internal/side FenchelYoungWithin"},
	{"a regulariser's Fenchel-Young gap at the computed gradient", "dro/internal/saddle/rounding.go", "math.Sqrt(left) + (1+1e-9)*size/math.Sqrt(2*mu)", "math.Sqrt(left)", "./dro/internal/side FenchelYoungWithin"},
	{"margins without rounding", "dro/internal/saddle/rounding.go", "return e.margins*(1+e.point)*size + Underflow", "return 0 * size", "./dro/internal/side RoundingIsBounded"},
	{"gradients without rounding", "dro/internal/saddle/rounding.go", "dst[i] = size * z", "dst[i] = 0 * size * z", "./dro/internal/side RoundingIsBounded"},
	{"a Gram matrix without rounding", "dro/internal/bound/curvature.go", "return 1.01 * float64(d) * (", "return 0 * float64(d) * (", "./dro/internal/bound Rounding"},
	{"a mean of losses exact, as the largest is", "dro/internal/saddle/rounding.go", "nu == 0 && !c.adopted", "nu == 0", "./dro/internal/side Adopted"},
	{"weights beyond a ball without a price", "dro/internal/saddle/rounding.go", "return d.OutsideShare(y)", "return 0 * d.OutsideShare(y)", "./dro/internal/side HoldTheRisk"},
	{"the weights of one of two thresholds, not of their mixture", "dro/internal/side/protected.go", "return thresholdCut{lo, hi, (1 - high) / (low - high)}", "return thresholdCut{lo, hi, 1 + 0*(low-high)}", "./dro/internal/side HoldTheRisk"},

	{"the gap that L-BFGS is left at in another unit", "dro/internal/newton/rent.go", "goal := m.Settings.RelativeGap * size", "goal := m.Settings.RelativeGap / size", "./dro RentHasNoUnit"},
	{"blocks drawn alike where their constants are small", "dro/internal/template/strategy.go", "if total > 0 {", "if total > 1 {", "./dro/internal/template ProbabilitiesHaveNoUnit"},
	{"another hash of rows held out", "data/frame/split.go", "x += 0x9e3779b97f4a7c15", "x -= 0x9e3779b97f4a7c15", "./data/frame HashIsSplitMix64"},
	{"the row of a number that is no category", "data/category.go", "matrix.NotFinite(f, c.Name, l.Bad-1, l.Value)", "matrix.NotFinite(f, c.Name, l.Bad+1, l.Value)", "./data FaultsNameTheirRow"},
	{"the row of a unit that lost digits", "data/frame/holdout.go", "c.InexactRow-1", "c.InexactRow-2", "./data FaultsNameTheirRow"},
	{"a ball's allowance over a unit of rounding", "dro/internal/side/ball.go", "4*saddle.UnitRoundoff*math.Abs(a.risk)", "4/saddle.UnitRoundoff*math.Abs(a.risk)", "./dro/internal/side AllowancesAreSmall"},
	{"the allowance of cuts elsewhere", "dro/internal/saddle/free.go", "math.Abs(down.slope*(down.b-b))+", "math.Abs(down.slope*(down.b+b))+", "./dro/internal/saddle CutsMix"},
	{"a norm without the rounding of a solve", "dro/internal/bound/curvature.go", "(1 + f.gamma()) * (math.Sqrt(f.inflate)", "(1 + saddle.Gamma(f.d-16)) * (math.Sqrt(f.inflate)", "./dro/internal/bound NormHolds"},
	{"no standard errors where one group is the largest", "train/report/sandwich_groups.go", "return len(e.most) > 0", "return len(e.most) > 1", "./train/report OneLargestGroup"},
	{"a page of one group", "eval/page/against.go", "g.Groups[0].TrainShare", "g.Groups[1].TrainShare", "./eval/page PageOfOneGroup"},
	{"tests of exported Go that are empty", "export/gotest.go", "_, err = w.Write(out)", "_, err = w.Write(out[:0])", "./export GoTestsAreWritten"},
	{"pairs of all columns, however many", "eval/slice_search.go", "out = out[:pairedColumns]", "", "./eval PairedColumns"},
}

// RunHand applies every mutant by hand and reports by name whether its test fails, in the
// working tree at root. A text that is not there once is an error.
func RunHand(ctx context.Context, root string, only string, tell func(n Named, killed bool, err error)) error {
	scratch, err := os.MkdirTemp("", "mutate")
	if err != nil {
		return err
	}
	defer os.RemoveAll(scratch)
	if root, err = filepath.Abs(root); err != nil {
		return err
	}
	for _, n := range Hand {
		if !strings.Contains(n.What, only) {
			continue
		}
		text, err := n.apply(root)
		if err != nil {
			tell(n, false, err)
			continue
		}
		mutant, overlay := filepath.Join(scratch, "mutant.go"), filepath.Join(scratch, "overlay.json")
		replaced, _ := json.Marshal(map[string]map[string]string{"Replace": {filepath.Join(root, n.File): mutant}})
		if err := os.WriteFile(mutant, []byte(text), 0o644); err != nil {
			return err
		}
		if err := os.WriteFile(overlay, replaced, 0o644); err != nil {
			return err
		}
		pkg, run, _ := strings.Cut(n.Test, " ")
		within, cancel := context.WithTimeout(ctx, 3*time.Minute)
		out, err := output(within, root, nil, "go", "test", "-overlay", overlay, "-vet=off", "-failfast", "-run", run, pkg)
		cancel()
		if ctx.Err() != nil {
			return ctx.Err()
		}
		if strings.Contains(out, "no tests to run") || strings.Contains(out, "[build failed]") {
			tell(n, false, fmt.Errorf("%s", out))
			continue
		}
		tell(n, err != nil, nil)
	}
	return nil
}

// apply returns the file with the mutant.
func (n Named) apply(root string) (string, error) {
	source, err := os.ReadFile(filepath.Join(root, n.File))
	if err != nil {
		return "", err
	}
	if count := strings.Count(string(source), n.Old); count != 1 {
		return "", fmt.Errorf("%s: %q is there %d times", n.File, n.Old, count)
	}
	return strings.Replace(string(source), n.Old, n.New, 1), nil
}
