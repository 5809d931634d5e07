// Package divergence lists the divergences between weights of samples: their names, formulas and units. Package dro
// exports the type; the arithmetic is in dro/internal/side.
//
// Stability: before version 1.0 a minor version may change this API, with a note in CHANGELOG.md;
// a patch version does not.
package divergence

import (
	"fmt"
	"math"
	"strings"

	"github.com/drotrain/drotrain/internal/printable"
)

// A Divergence measures how far weights y are from reference weights w. Its value is its name in options and files;
// the empty name means KullbackLeibler.
type Divergence string

// The values of Divergence.
const (
	KullbackLeibler Divergence = "kl"   // Σ y_j log(y_j/w_j)
	PearsonChi2     Divergence = "chi2" // ½ Σ (y_j − w_j)²/w_j
	TotalVariation  Divergence = "tv"   // ½ Σ |y_j − w_j|, for a ball without a penalty
)

// An entry describes a divergence in texts, and converts the effective size of weights to a radius.
type entry struct {
	name         Divergence
	symbol       string
	formula      string // formula for reference weights w
	equalFormula string // formula for equal reference weights
	// supports only a ball over samples, but no penalty, no ball over groups and no effective size
	ballOnly   bool
	size       string // name of the effective size of weights
	sizeHelp   string // its name in the help of the command
	radiusHelp string // meaning of the radius of a ball, if ballOnly is set
	radius     func(share float64) float64
	share      func(radius float64) float64 // inverse of radius
	explain    func(nu float64, n int) []string
}

var entries = []entry{
	{
		name: KullbackLeibler, symbol: "KL", formula: "Σ yⱼ log(yⱼ/wⱼ)", equalFormula: "Σ yⱼ log(n yⱼ)",
		size:     "perplexity", // exp(−Σ y log y) = share·n
		sizeHelp: "the perplexity",
		radius:   func(share float64) float64 { return -math.Log(share) },
		share:    func(radius float64) float64 { return math.Exp(-radius) },
		explain: func(nu float64, _ int) []string {
			return []string{
				fmt.Sprintf("KL penalty ν·Σ y log(n y) with ν = %s, in units of the loss; y are the weights of the rows, "+
					"non-negative, summing to 1.", printable.Setting(nu)),
				"The robust risk equals ν log mean exp(ℓ/ν).",
			}
		},
	},
	{
		name: PearsonChi2, symbol: "χ²", formula: "½ Σ (yⱼ − wⱼ)²/wⱼ", equalFormula: "½ mean((n yⱼ − 1)²)",
		size:     "effective sample size", // Kish's 1/Σy² = share·n
		sizeHelp: "Kish's effective sample size",
		radius:   func(share float64) float64 { return (1/share - 1) / 2 },
		share:    func(radius float64) float64 { return 1 / (1 + 2*radius) },
		explain:  explainPearson,
	},
	{
		name: TotalVariation, symbol: "total variation", formula: "½ Σ |yⱼ − wⱼ|", equalFormula: "½ Σ |yⱼ − 1/n|",
		ballOnly: true,
		size:     "effective size", radiusHelp: "the proportion of the weight that moves",
		radius:  func(float64) float64 { return math.NaN() },
		share:   func(float64) float64 { return math.NaN() },
		explain: func(float64, int) []string { return nil },
	},
}

// Help returns the part of an option's help that states what the divergence limits: an effective size, or only a
// radius.
func (d Divergence) Help() string {
	if e := d.entry(); e.ballOnly {
		return fmt.Sprintf("%s (%s) requires --radius, which is %s", e.name, e.symbol, e.radiusHelp)
	}
	return d.entry().sizeHelp + " for " + string(d)
}

// explainPearson explains the scaling of the χ² penalty for n rows (0 if unknown), in this program and in others.
func explainPearson(nu float64, n int) []string {
	out := []string{fmt.Sprintf(
		"χ² penalty (νn/2)·Σ (y − 1/n)² = ν·½·mean((n y − 1)²) with ν = %s, in units of the loss; y are the weights of the "+
			"rows, non-negative, summing to 1.", printable.Setting(nu))}
	if n > 0 {
		out = append(out, fmt.Sprintf(
			"The same problem elsewhere: ½ν′‖y − 1/n‖² (DRAGO, deshift) has ν′ = νn = %s; ν′n‖y − 1/n‖² (Prospect, drlearn) "+
				"has ν′ = ν/2 = %s; λ·½·mean((n y − 1)²) (fast-dro) has λ = ν = %s.",
			printable.Setting(nu*float64(n)), printable.Setting(nu/2), printable.Setting(nu)))
	}
	return out
}

// All returns all divergences; the first is the default.
func All() []Divergence {
	var all []Divergence
	for _, e := range entries {
		all = append(all, e.name)
	}
	return all
}

// Names returns the names of all divergences.
func Names() []string {
	var all []string
	for _, d := range All() {
		all = append(all, string(d))
	}
	return all
}

// Parse returns the divergence with the given name.
func Parse(name string) (Divergence, error) {
	var names []string
	for _, e := range entries {
		if name == string(e.name) {
			return e.name, nil
		}
		names = append(names, string(e.name))
	}
	return "", fmt.Errorf("unknown divergence %q; it must be one of %s", name, strings.Join(names, ", "))
}

// entry returns the entry of d. If the divergence is unknown, only the name is set.
func (d Divergence) entry() *entry {
	if d == "" {
		d = KullbackLeibler
	}
	for i := range entries {
		if entries[i].name == d {
			return &entries[i]
		}
	}
	return &entry{
		name: d, symbol: string(d), formula: "D(y‖w)", equalFormula: "D(y‖1/n)", size: "effective size",
		radius:  func(float64) float64 { return math.NaN() },
		explain: func(float64, int) []string { return nil },
	}
}

// HasPenalty reports whether D supports a penalty ν·D, a ball over groups and an effective size of weights.
// Otherwise it supports only a ball over samples.
func (d Divergence) HasPenalty() bool { return !d.entry().ballOnly }

// Symbol returns the symbol of d in texts, such as χ².
func (d Divergence) Symbol() string { return d.entry().symbol }

// Formula returns the definition of d for weights yⱼ and reference weights wⱼ.
func (d Divergence) Formula() string { return d.entry().formula }

// EqualFormula returns the definition of d for the equal reference weights 1/n.
func (d Divergence) EqualFormula() string { return d.entry().equalFormula }

// SizeName returns the name of the effective size of weights that a ball of d limits.
func (d Divergence) SizeName() string { return d.entry().size }

// RadiusOfSize returns the radius of the ball whose weights have at least the given effective size, as a share in
// (0, 1] of the samples, for equal reference weights. It returns NaN for TotalVariation.
func (d Divergence) RadiusOfSize(share float64) float64 { return d.entry().radius(share) }

// SizeOfRadius is the inverse of RadiusOfSize: it returns the smallest effective size, as a share, of weights in
// the ball of the given radius. It returns NaN for TotalVariation, and panics if d is unknown.
func (d Divergence) SizeOfRadius(radius float64) float64 { return d.entry().share(radius) }

// Explain returns sentences about the scaling of the penalty ν·D for n rows; n is 0 if unknown.
func (d Divergence) Explain(nu float64, n int) []string { return d.entry().explain(nu, n) }
