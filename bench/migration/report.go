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
	versions := "the package `dro` " + f.Dro + ", called as its users call it"
	if f.Dro == "" {
		versions = "the package `dro` was not installed"
	}
	fmt.Fprintf(b, `# Coming from another package

Which setting here is yours there, and the proof: the same problem stated in both, solved
by both. Written by

    go -C bench run ./experiments migration -python PYTHON -write ../docs/migration.md

with a Python that has `+"`dro`"+`, which brings cvxpy: %s.
fast-dro, group_DRO and drlearn are not on PyPI, so their objectives, as their sources define them, are written in
bench/migration/peers.py in their own parameters and minimised by cvxpy %s with Clarabel.
1000 rows of hmda (logistic loss) or cps1988 (squared), an intercept that nothing
penalises, no ridge where none is named. The optimum is the smallest value of the robust objective. Without a ridge
group DRO has a kink that the certificate cannot see through: its row says so.

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
		fmt.Fprintf(b, "| %s | %s | %s | %s | %s | %s | %s | %s |\n", r.Package, r.Case.Theirs, r.Here, r.Problem, theirs, ours, off, gap)
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

KL is Σ y log(n y) everywhere. CVaR's α, the share of the rows in the tail, is `+"`--protect`"+`;
drlearn's head_prob is 1 − α. The effective sample size of `+"`--ess`"+` s is the χ² ball of radius
(1/s − 1)/2.

## What differs beyond the setting

* **Scaling.** Here numbers are standardised and a numeric target is divided by its deviation
  (`+"`--scale none`"+` leaves them): coefficients and, for squared losses,
  objectives differ by that where a package takes the numbers as they are. The table gives both
  sides the same rows.
* **Ridge.** `+"`--mu`"+` is 1/n unless set; `+"`dro`"+`, fast-dro and group_DRO have none of their own
  (`+"`--mu 0`"+`; weight decay there is μ). The intercept is never penalised, here and in drlearn.
* **group_DRO** takes gradient steps with exponentiated weights of the groups, whose `+"`--robust_step_size`"+`
  decides how near it comes; here is the optimum itself. Its `+"`--alpha`"+` with `+"`--btl`"+` (CVaR over
  groups) has no counterpart in the command.
* **Not here:** the `+"`dro`"+` package's Wasserstein, Sinkhorn, MMD, total variation, marginal and
  conditional models, its hinge and absolute losses, and its neural and tree models; fast-dro's two
  constraints at once (size and reg); drlearn's extremile and exponential spectra and several classes.
  A capped simplex with a penalty (fast-dro's `+"`cvar`"+` with reg > 0, drlearn's superquantile with
  shift_cost > 0) is in the library alone, `+"`dro.CappedKL`"+` and `+"`dro.CappedChiSquare`"+`.
* **Here alone:** a certificate of the optimum, a level chosen by cross-validation where none is named.
`)
	return b.Flush()
}

func (r *Result) times() float64 {
	if r.Case.times == 0 {
		return 1
	}
	return r.Case.times
}
