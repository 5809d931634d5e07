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
	versions := "the package `dro` " + f.Dro
	if f.Dro == "" {
		versions = "the package `dro` was not installed"
	}
	fmt.Fprintf(b, `# Coming from another package

The settings of other packages and their equivalents here, with the optima of the same problem in both. This
command measures and writes the page; PYTHON has `+"`dro`"+`, which installs cvxpy:

    go -C bench run ./experiments migration -python PYTHON -write ../docs/migration.md

Versions: %s; cvxpy %s with Clarabel.

fast-dro, group_DRO and drlearn are not on PyPI: bench/migration/peers.py states their objectives, as defined in
their sources, in their own parameters for cvxpy. The data are 1000 rows of hmda (logistic loss) or cps1988 (squared
loss), with an unpenalised intercept, and a ridge only if named. For group DRO without a ridge the lower bound is
not tight where the groups' losses are tied, and its row says so.

| package | there | here | data | optimum there | here | relative difference | certified gap |
|---|---|---|---|---|---|---|---|
`, versions, f.CVXPY)
	for _, r := range f.Results {
		theirs, off := r.Err, ""
		if r.Err == "" {
			theirs = fmt.Sprintf("%.9g", r.Theirs)
			off = fmt.Sprintf("%.0e", math.Abs(r.Theirs-r.times()*r.Ours)/math.Abs(r.Theirs))
		}
		ours := fmt.Sprintf("%.9g", r.Ours)
		if r.times() != 1 {
			ours = fmt.Sprintf("%v × %s", r.times(), ours)
		}
		gap := "not to 1e-9"
		if r.Gap != nil {
			gap = fmt.Sprintf("%.0e", *r.Gap)
		}
		fmt.Fprintf(b, "| %s | %s | %s | %s | %s | %s | %s | %s |\n", r.Package, r.Case.Theirs, r.Here, r.Problem, theirs,
			ours, off, gap)
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

* **Scaling.** Numeric features are standardised, and a numeric target is divided by its standard deviation
  (`+"`--scale none`"+` leaves both). Other packages take the numbers as they are. In the table both sides have the
  same rows.
* **Ridge.** `+"`--mu`"+` is 1/n unless set. `+"`dro`"+`, fast-dro and group_DRO have no ridge (`+"`--mu 0`"+`); weight
  decay there is μ. The intercept is not penalised, here and in drlearn.
* **group_DRO** takes gradient steps with exponentiated group weights, and `+"`--robust_step_size`"+` determines how
  close it comes to the optimum. Its `+"`--alpha`"+` with `+"`--btl`"+` (CVaR over groups) has no equivalent here.
* **Not here:** the Wasserstein, Sinkhorn, MMD, total variation, marginal and conditional models of `+"`dro`"+`, its
  hinge and absolute losses, its neural and tree models; fast-dro's combination of size and reg; drlearn's extremile
  and exponential spectra.
* **Only in the library:** a capped simplex with a penalty (fast-dro's `+"`cvar`"+` with reg > 0, drlearn's
  superquantile with shift_cost > 0) is `+"`dro.KL`"+` or `+"`dro.ChiSquare`"+` with `+"`Alpha`"+`.
* **Only here:** a certificate of the optimum, and a level chosen by cross-validation.
`)
	return b.Flush()
}

func (r *Result) times() float64 {
	if r.Case.times == 0 {
		return 1
	}
	return r.Case.times
}
