package migration

import (
	"bufio"
	"fmt"
	"io"
	"math"
)

// Write writes the page.
func (f *Found) Write(w io.Writer) error {
	b := bufio.NewWriter(w)
	versions := f.Dro
	if f.Dro == "" {
		versions = "not installed"
	}
	fmt.Fprintf(b, `# Coming from another package

Settings of other packages, their equivalents here, and the optimum of the same problem in both: `+"`dro`"+` is %s, cvxpy %s
with Clarabel. fast-dro, group_DRO and drlearn are not on PyPI: bench/migration/peers.py states their objectives in their own
parameters. The data are 1000 rows of hmda (logistic loss) or cps1988 (squared loss), with an unpenalised intercept, and a ridge
only if named. Measured, and this page written, by (PYTHON has `+"`dro`"+`, which installs cvxpy):

    go -C bench run ./experiments migration -python PYTHON -write ../docs/migration.md

| package | there | here | data | optimum | relative difference | certified gap |
|---|---|---|---|--:|--:|--:|
`, versions, f.CVXPY)
	for _, r := range f.Results {
		optimum, off := fmt.Sprintf("%.9g", r.times()*r.Ours), r.Err
		if r.Err == "" {
			off = fmt.Sprintf("%.0e", math.Abs(r.Theirs-r.times()*r.Ours)/math.Abs(r.Theirs))
		}
		gap := "not to 1e-9"
		if r.Gap != nil {
			gap = fmt.Sprintf("%.0e", *r.Gap)
		}
		fmt.Fprintf(b, "| %s | %s | %s | %s | %s | %s | %s |\n", r.Package, r.Case.Theirs, r.Here, r.Problem, optimum, off, gap)
	}
	fmt.Fprint(b, `
## The divergences

With y the adversary's weights of n rows, which sum to 1:

| | χ² of theirs | χ² here, ½·mean((n y − 1)²) |
|---|---|---|
| `+"`dro`"+` | mean((n y − 1)²) ≤ eps | `+"`--radius`"+` eps/2 |
| fast-dro | ½·mean((n y − 1)²) ≤ size; reg × the same | `+"`--radius`"+` size; `+"`--nu`"+` reg |
| drlearn, Prospect | shift_cost · n‖y − 1/n‖² | `+"`--nu`"+` 2·shift_cost |
| DRAGO, deshift | ½ν'‖y − 1/n‖² | `+"`--nu`"+` ν'/n |

KL is Σ y log(n y) everywhere. CVaR's α, the share of the rows in the tail, is `+"`--protect`"+`; drlearn's
head_prob is 1 − α. `+"`--ess`"+` s is the χ² ball of radius (1/s − 1)/2
(Kish's effective sample size), or the KL ball of radius log(1/s) (perplexity).

## Other differences

* **Scaling.** Numeric features are standardised, and a numeric target is divided by its standard deviation; other packages take
  the numbers as they are, as `+"`--scale none`"+` does.
* **Ridge.** `+"`--mu`"+` is 1/n unless set; weight decay there is μ. `+"`dro`"+`, fast-dro and group_DRO have no ridge
  (`+"`--mu 0`"+`). The intercept is not penalised, here and in drlearn. For group DRO without a ridge the lower bound is not tight
  where the groups' losses are tied.
* **group_DRO** takes gradient steps with exponentiated group weights, and `+"`--robust_step_size`"+` determines how close it comes to
  the optimum. Its `+"`--alpha`"+` with `+"`--btl`"+` (CVaR over groups) has no equivalent here.
* **Not compared by optima:** total variation (`+"`--penalty tv`"+`), extremile and exponential spectra (`+"`--spectral`"+`), and
  Wasserstein balls, which here are of type 1 with the Euclidean norm and fixed targets (`+"`--wasserstein`"+`).
* **Not here:** the Sinkhorn, MMD, marginal and conditional models of `+"`dro`"+`, its hinge and absolute losses, its neural and tree
  models; fast-dro's combination of size and reg.
* **Only in the library:** a capped simplex with a penalty (fast-dro's `+"`cvar`"+` with reg > 0, drlearn's superquantile with
  shift_cost > 0) is `+"`dro.KL`"+` or `+"`dro.ChiSquare`"+` with `+"`Alpha`"+`.
`)
	return b.Flush()
}

func (r *Result) times() float64 {
	if r.Case.times == 0 {
		return 1
	}
	return r.Case.times
}
