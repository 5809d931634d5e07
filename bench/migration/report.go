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

The table lists settings of other packages, their equivalents in drotrain, and the optimum of the same problem in
both. The packages are `+"`dro`"+` %s and cvxpy %s with the solver Clarabel. fast-dro, group_DRO and drlearn are not
on PyPI; bench/migration/peers.py therefore states their objectives in their own parameters. The data are 1000 rows of
hmda (logistic loss) or cps1988 (squared loss). The intercept is not penalised, and there is a ridge penalty only if
the table names one. The following command takes the measurements and writes this page; PYTHON is an interpreter with
`+"`dro`"+`:

    go -C bench run ./experiments migration -python PYTHON -write ../docs/migration.md

| package | setting in the package | setting in drotrain | data | optimum | relative difference | certified gap |
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
		fmt.Fprintf(b, "| %s | %s | %s | %s | %s | %s | %s |\n", r.Package, r.Case.Theirs, r.Here, r.Problem, optimum, off,
			gap)
	}
	fmt.Fprint(b, `
## The divergences

Let y be the adversary's weights of n rows, which sum to 1.

| package | its χ² divergence | drotrain, whose divergence is ½·mean((n y − 1)²) |
|---|---|---|
| `+"`dro`"+` | mean((n y − 1)²) ≤ eps | `+"`--radius`"+` eps/2 |
| fast-dro | ½·mean((n y − 1)²) ≤ size, or with the factor reg | `+"`--radius`"+` size, or `+"`--nu`"+` reg |
| drlearn, Prospect | shift_cost · n‖y − 1/n‖² | `+"`--nu`"+` 2·shift_cost |
| DRAGO, deshift | ½ν'‖y − 1/n‖² | `+"`--nu`"+` ν'/n |

All packages define the KL divergence as Σ y log(n y). The parameter α of CVaR, the proportion of the rows in the
tail, is `+"`--protect`"+`; head_prob in drlearn is 1 − α. `+"`--ess s`"+` is the KL ball of radius log(1/s) or,
with `+"`--penalty chi2`"+`, the χ² ball of radius (1/s − 1)/2 ([why](math.md#10-other-adversaries)).

## Other differences

* **Scaling.** drotrain standardises numeric features and a numeric target. Other packages use the
  numbers unchanged, as `+"`--scale none`"+` does.
* **Ridge.** `+"`--mu`"+` is 1/n unless set, and corresponds to weight decay in other packages. `+"`dro`"+` and
  fast-dro have no ridge penalty; `+"`--mu 0`"+` reproduces them. drotrain and drlearn do not penalise the intercept.
  For group DRO without a ridge penalty, the lower bound is not tight if the losses of groups are tied.
* **group_DRO** takes gradient steps with exponentiated group weights. Its `+"`--robust_step_size`"+` determines how
  close the result comes to the optimum. `+"`--alpha`"+` with `+"`--btl`"+` (CVaR over groups) has no
  equivalent in drotrain.
* **Wasserstein balls** (`+"`--wasserstein`"+`) are of [type 1](math.md#10-other-adversaries).
* **Not available in drotrain:** the Sinkhorn, MMD, marginal and conditional models of `+"`dro`"+`, its hinge and
  absolute losses, and its neural and tree models; size together with reg in fast-dro.
* **Available only in the library:** a capped simplex with a penalty is `+"`dro.KL`"+` or `+"`dro.ChiSquare`"+` with
  `+"`Alpha`"+`. fast-dro has this set as `+"`cvar`"+` with reg > 0, and drlearn as a superquantile with shift_cost >
  0.
`)
	return b.Flush()
}

func (r *Result) times() float64 {
	if r.Case.times == 0 {
		return 1
	}
	return r.Case.times
}
