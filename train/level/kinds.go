package level

import (
	"flag"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/drotrain/drotrain/dro"
	"github.com/drotrain/drotrain/dro/divergence"
	"github.com/drotrain/drotrain/dro/spectrum"
	"github.com/drotrain/drotrain/internal/printable"
	"github.com/drotrain/drotrain/internal/setting"
)

// A Kind is a way to specify the robustness. Options of the command, keys of configurations, help texts, hints, the
// validation of a Level, its adversary and the texts of reports are all derived from the elements of Kinds.
type Kind struct {
	Option   string // option of the command and key of files; if empty, the caller's program sets the field
	Aliases  string // aliases of the option, separated by spaces
	IsCommon bool   // the short help includes the option
	Help     string
	Foreign  string // names in other programs, separated by spaces
	Hint     string // what to write instead of these names
	field    string // name of the field of Level

	// returns a value that sets the field of a level from the text of the option
	Setting func(l *Level) flag.Value

	isSet func(l *Level) bool
	// returns the text that follows the field in an error, or "" if the value is valid
	check func(l *Level) string
	dual  func(l Level, r Rows) (dro.Dual, error) // returns the adversary over the rows
	text  func(l Level) string                    // short description of a level with an adversary over rows
	// risk over rows that is minimised, as a formula; "" if the report has its own formula for it
	formula func(l Level, isWeighted bool) string
	// sets the ball of an adversary over groups, and returns a description of the level; nil if the kind has none
	groups func(l Level, near *dro.Ball, text string) string

	// returns how to change the option for less robustness, as in "a larger --nu"; nil if it cannot be less
	milder func(l Level) string

	takesDivergence bool // the value refers to the divergence Penalty
	keepsWeights    bool // no adversary weights the rows
	isLocal         bool // all rows must be in one process
}

// number returns an element of Kinds whose value is a number.
func number(
	at func(l *Level) **float64, ok func(v float64) bool, want string, value func(p **float64) *setting.Value, k Kind,
) Kind {
	k.isSet = func(l *Level) bool { return *at(l) != nil }
	k.Setting = func(l *Level) flag.Value { return value(at(l)) }
	k.check = func(l *Level) string {
		if v := **at(l); math.IsInf(v, 0) || !ok(v) {
			return fmt.Sprintf(" is %v; it must be %s", v, want)
		}
		return ""
	}
	return k
}

// roundUp3Digits returns v > 0, rounded up to three significant digits.
func roundUp3Digits(v float64) float64 {
	unit := math.Pow(10, math.Ceil(math.Log10(v))-3)
	return math.Ceil(v/unit) * unit
}

func isPositive(v float64) bool { return v > 0 }

func isProportion(v float64) bool { return v > 0 && v <= 1 }

// Kinds lists the ways to specify the robustness, in the order of the help.
var Kinds = []Kind{
	number(func(l *Level) **float64 { return &l.Protect }, isProportion,
		"a proportion of the rows, at least one row and at most 1", setting.OptionalProportion, Kind{
			Option: "protect", Aliases: "cvar cvar-alpha", IsCommon: true, field: "Protect", milder: larger("protect"),
			Help:    "protect every subgroup that has at least this proportion of the rows (CVaR)",
			Foreign: "alpha", Hint: "CVaR is --protect PROPORTION, as in --protect 0.1",
			dual: func(l Level, r Rows) (dro.Dual, error) {
				if n := float64(r.N); *l.Protect < 1/n*(1-1e-12) {
					return nil, fmt.Errorf("Config.Protect is %v, less than one of the %d training rows; it must be at least %.3g",
						*l.Protect, r.N, roundUp3Digits(1/n))
				}
				return dro.CVaR{Alpha: *l.Protect, Weights: r.Weights}, nil
			},
			text: func(l Level) string {
				return fmt.Sprintf("CVaR, which protects every subgroup of at least %.3g %% of the rows", 100**l.Protect)
			},
			formula: func(l Level, _ bool) string {
				return fmt.Sprintf("(mean of the largest %.4g\u00a0%% of the losses ℓⱼ(x))", 100**l.Protect)
			},
		}),
	number(func(l *Level) **float64 { return &l.Nu }, func(v float64) bool { return v >= 0 }, "finite and ≥ 0",
		setting.OptionalAtLeastZero, Kind{
			Option: "nu", IsCommon: true, field: "Nu", takesDivergence: true, milder: larger("nu"),
			Help: "penalty coefficient ν ≥ 0 of the divergence; small values give a more robust model, large values " +
				"approach ERM",
			Foreign: "temperature", Hint: "the penalty coefficient of the divergence is --nu",
			dual: func(l Level, r Rows) (dro.Dual, error) {
				return dro.Ball{Divergence: l.Penalty, Radius: math.Inf(1), Nu: *l.Nu, Weights: r.Weights}, nil
			},
			text: func(l Level) string {
				return fmt.Sprintf("%s over rows, ν = %s", l.Penalty.Symbol(), printable.Setting(*l.Nu))
			},
			formula: func(l Level, isWeighted bool) string {
				if !isWeighted {
					return ""
				}
				return fmt.Sprintf("[max over y of  Σ yⱼ ℓⱼ(x) − %s · %s]", printable.Setting(*l.Nu), l.Penalty.Formula())
			},
			groups: func(l Level, near *dro.Ball, text string) string {
				if near.Nu = *l.Nu; *l.Nu == 0 {
					return text
				}
				return fmt.Sprintf("%s, ν = %s", text, printable.Setting(*l.Nu))
			},
		}),
	number(func(l *Level) **float64 { return &l.Radius }, isPositive, "finite and > 0", setting.OptionalPositive, Kind{
		Option: "radius", Aliases: "rho", field: "Radius", takesDivergence: true, milder: smaller("radius"),
		Help:    "protect against every reweighting whose divergence from equal weights is at most ρ > 0",
		Foreign: strings.Join(divergence.Names(), "-radius ") + "-radius epsilon",
		Hint:    "the radius of a ball is --radius ρ, with --penalty " + printable.JoinWords(divergence.Names(), "or"),
		dual:    func(l Level, r Rows) (dro.Dual, error) { return ballOf(l, r, *l.Radius) },
		text:    func(l Level) string { return radiusText(l, "rows") },
		formula: func(l Level, _ bool) string { return ballFormula(l, radiusText(l, "rows")) },
		groups: func(l Level, near *dro.Ball, _ string) string {
			near.Radius = *l.Radius
			return radiusText(l, l.groupsText())
		},
	}),
	number(func(l *Level) **float64 { return &l.Ess }, isProportion, "a proportion of the rows, above 0 and at most 1",
		setting.OptionalProportion, Kind{
			Option: "ess", field: "Ess", takesDivergence: true, milder: larger("ess"),
			Help: "protect against every reweighting whose effective sample size is at least this proportion of the rows (" +
				strings.Join(divergenceHelp(true), "; ") + ")",
			dual: func(l Level, r Rows) (dro.Dual, error) {
				if *l.Ess == 1 { // every row keeps its own weight
					return ownWeights(r), nil
				}
				return ballOf(l, r, l.Penalty.RadiusOfSize(*l.Ess))
			},
			text: sizeText,
			formula: func(l Level, _ bool) string {
				if *l.Ess == 1 {
					return "mean of ℓⱼ(x)"
				}
				return ballFormula(l, sizeText(l))
			},
		}),
	{
		Option: "spectral", field: "Spectral", isLocal: true,
		milder: func(l Level) string {
			if strings.HasPrefix(l.Spectral, string(spectrum.Superquantile)) {
				return "a larger parameter of --spectral"
			}
			return "a smaller parameter of --spectral"
		},
		Help: "minimise a spectral risk, which weights the losses by their rank: " +
			printable.JoinWords(spectrum.Names(), "or") + " (extremile:2 is the expected maximum of two random losses)",
		Foreign: strings.Join(spectrum.Kinds(), " ") + " spectrum",
		Hint:    "a spectral risk is --spectral " + printable.JoinWords(spectrum.Examples(), "or"),
		Setting: func(l *Level) flag.Value {
			return setting.New(strings.Join(spectrum.Names(), "|"), func() string { return l.Spectral },
				func(text string) error {
					kind, number, _ := strings.Cut(text, ":")
					_, wrong := strconv.ParseFloat(strings.TrimSpace(number), 64)
					_, err := dro.ParseSpectrum(text)
					switch {
					case err != nil && wrong == nil && slices.Contains(spectrum.Kinds(), strings.TrimSpace(kind)):
						return setting.Must("have a parameter in its range: "+err.Error(), "")
					case err != nil:
						return setting.Must("be a spectrum with a number after the colon, such as "+printable.JoinWords(
							spectrum.Examples(), "or"), err.Error())
					}
					l.Spectral = text
					return nil
				})
		},
		isSet: func(l *Level) bool { return l.Spectral != "" },
		check: func(l *Level) string {
			if _, err := dro.ParseSpectrum(l.Spectral); err != nil {
				return ": " + err.Error()
			}
			return ""
		},
		dual: func(l Level, r Rows) (dro.Dual, error) {
			s, err := dro.ParseSpectrum(l.Spectral)
			if err != nil {
				return nil, fmt.Errorf("Config.Spectral: %w", err)
			}
			return dro.Spectral{Spectrum: s, Weights: r.Weights}, nil
		},
		text: func(l Level) string { return "spectral risk " + l.Spectral },
		formula: func(l Level, _ bool) string {
			s, _ := dro.ParseSpectrum(l.Spectral)
			return "Σ of the sorted ℓⱼ(x), weighted by the spectrum " + s.Formula() + " at their quantiles u"
		},
	},
	number(func(l *Level) **float64 { return &l.Wasserstein }, isPositive, "finite and > 0", setting.OptionalPositive,
		Kind{
			Option: "wasserstein", field: "Wasserstein", keepsWeights: true, milder: smaller("wasserstein"),
			Help: "protect against changes in the encoded features (type-1 Wasserstein ball): the Euclidean norm " +
				"of the changes is at most ε > 0 on average over the rows, and targets do not change; the loss " +
				"must have a bounded slope: logistic with two classes, huber or quantile",
			dual: func(_ Level, r Rows) (dro.Dual, error) { return ownWeights(r), nil },
			text: func(l Level) string { return fmt.Sprintf("Wasserstein ball of radius %.3g", *l.Wasserstein) },
			formula: func(l Level, _ bool) string {
				return fmt.Sprintf("mean of ℓⱼ(x)  +  %.4g·L·‖x‖₂, the largest mean over all rows whose features moved by at "+
					"most %.4g on average, where L is the largest slope of ℓ", *l.Wasserstein, *l.Wasserstein)
			},
		}),
	{
		Option: "average", field: "Average", keepsWeights: true,
		Help: "train without an adversary: plain (ERM); balanced (ERM with the same total weight for every group); " +
			"half-balanced (ERM in which the total weight of a group is proportional to the square root of its " +
			"size); subsets (mean of models trained on ten balanced subsets); validation-subsets (mean of models " +
			"trained on ten balanced subsets of the --validation rows)",
		Foreign: "erm", Hint: "ERM is --average plain",
		Setting: func(l *Level) flag.Value { return setting.Enum(&l.Average, averages) },
		isSet:   func(l *Level) bool { return l.Average != "" },
		check:   func(l *Level) string { return checkWord(l.Average, averages...) },
		dual: func(l Level, r Rows) (dro.Dual, error) {
			// the models are fitted to other rows
			if l.Average == "plain" || l.Average == ValidationSubsets {
				return ownWeights(r), nil
			}
			w, err := l.averageWeights(r)
			if err != nil {
				return nil, err
			}
			return dro.Fixed{Weights: w}, nil
		},
		text: func(l Level) string {
			return map[string]string{"plain": "ERM", "balanced": "group-balanced ERM", "half-balanced": "half-balanced ERM",
				"subsets":         "mean of models on balanced subsets",
				ValidationSubsets: "mean of models on balanced subsets of the validation rows"}[l.Average]
		},
		formula: func(l Level, isWeighted bool) string {
			switch l.Average {
			case "balanced":
				return "(mean over groups of the mean of ℓⱼ(x) in the group)"
			case "half-balanced":
				return "(mean of ℓⱼ(x), with weight √n_g for each group of n_g rows)"
			case ValidationSubsets:
				return "mean of the minimisers, over balanced subsets of the validation rows, of the mean of ℓⱼ(x)"
			case "subsets":
				return "mean of the minimisers, over balanced subsets, of the mean of ℓⱼ(x)"
			}
			if isWeighted {
				return "weighted mean of ℓⱼ(x)"
			}
			return "mean of ℓⱼ(x)"
		},
	},
	{
		field: "Own",
		isSet: func(l *Level) bool { return l.Own != nil },
		check: func(l *Level) string {
			if l.Own.Name == "" {
				return " needs a Name, which model files and reports state"
			}
			return ""
		},
		dual:    func(l Level, r Rows) (dro.Dual, error) { return l.Own.dual(r) },
		text:    func(l Level) string { return l.Own.Name },
		formula: func(l Level, _ bool) string { return "largest risk over the weights of the adversary " + l.Own.Name },
	},
}

// divergenceHelp returns the help texts of the divergences that have a penalty or, if hasPenalty is false, of those
// that have none.
func divergenceHelp(hasPenalty bool) (all []string) {
	for _, d := range divergence.All() {
		if d.HasPenalty() == hasPenalty {
			all = append(all, d.Help())
		}
	}
	return all
}

// PenaltyHelp returns the help of the option that names the divergence.
func PenaltyHelp() string {
	return strings.Join(append([]string{"divergence that limits the adversary's weights"}, divergenceHelp(false)...), "; ")
}

// kind returns the kind that is set, or nil if none is.
func (l *Level) kind() *Kind {
	for i := range Kinds {
		if Kinds[i].isSet(l) {
			return &Kinds[i]
		}
	}
	return nil
}

// larger returns a function that advises a larger value of an option.
func larger(option string) func(Level) string {
	return func(Level) string { return "a larger --" + option }
}

// smaller returns a function that advises a smaller value of an option.
func smaller(option string) func(Level) string {
	return func(Level) string { return "a smaller --" + option }
}

// AdviseMilder returns how to change the option of the level for less robustness, as in "a larger --nu". It returns
// "" if the level has no adversary or is defined by the caller's program.
func (l Level) AdviseMilder() string {
	if k := l.kind(); k != nil && k.milder != nil {
		return k.milder(l)
	}
	return ""
}

// LocalSetting returns the setting that requires all rows in one process, such as "Spectral" or "Penalty tv", or "" if
// there is none.
func (l Level) LocalSetting() string {
	switch k := l.kind(); {
	case k != nil && k.isLocal:
		return k.field
	case !l.Penalty.HasPenalty():
		return "Penalty " + string(l.Penalty)
	}
	return ""
}

// ownWeights returns the adversary that can choose only the sample weights of the rows.
func ownWeights(r Rows) dro.Dual {
	if r.Weights == nil {
		return dro.Uniform{}
	}
	return dro.Fixed{Weights: r.Weights}
}

// ballOf returns the divergence ball with the given radius.
func ballOf(l Level, r Rows, radius float64) (dro.Dual, error) {
	return dro.Ball{Divergence: l.Penalty, Radius: radius, Weights: r.Weights}, nil
}

// radiusText describes a ball with the given radius over atoms, which are rows or groups.
func radiusText(l Level, atoms string) string {
	return fmt.Sprintf("%s ball over %s, ρ = %s", l.Penalty.Symbol(), atoms, printable.Setting(*l.Radius))
}

// sizeText describes the ball of a given effective sample size.
func sizeText(l Level) string {
	return fmt.Sprintf("%s ball of %s %.3g %%", l.Penalty.Symbol(), l.Penalty.SizeName(), 100**l.Ess)
}

// ballFormula returns the formula of the risk over a ball called name.
func ballFormula(l Level, name string) string {
	return "[max over y of  Σ yⱼ ℓⱼ(x)  with  " + l.Penalty.Formula() + " ≤ ρ;  " + name + "]"
}

// checkWord returns "" if value is one of the words, and otherwise the text that follows the name of the setting in an
// error.
func checkWord(value string, words ...string) string {
	if slices.Contains(words, value) {
		return ""
	}
	return fmt.Sprintf(" is %q; it must be one of %s", value, strings.Join(words, ", "))
}

// Risk returns the risk that a level minimises, as a formula in the losses ℓⱼ(x). isWeighted states that the rows have
// weights. It returns "" for a penalty over unweighted rows, or if the level is not set.
func (l Level) Risk(isWeighted bool) string {
	k := l.kind()
	switch {
	case k == nil:
		return ""
	case !l.IsGroupwise():
		return k.formula(l, isWeighted)
	}
	risk := "mean of ℓⱼ(x) in group g"
	if l.Adjust > 0 {
		risk += fmt.Sprintf(" + %.4g/√n_g", l.Adjust)
	}
	risk = "max over q of  Σ q_g · (" + risk + ")"
	if l.Nu != nil && *l.Nu > 0 {
		risk += fmt.Sprintf(" − %s · D(q)", printable.Setting(*l.Nu))
	}
	if l.Radius != nil {
		risk += fmt.Sprintf("  with  D(q) ≤ %s", printable.Setting(*l.Radius))
	}
	return "[" + risk + "]"
}

// groupsText describes the groups that an adversary weights.
func (l Level) groupsText() string {
	if l.Adjust > 0 {
		return fmt.Sprintf("groups, adjusted by %.3g/√n", l.Adjust)
	}
	return "groups"
}

// String describes the level, as in "group DRO, ν = 0.1", or returns "chosen on the data" if it is not set.
func (l Level) String() string {
	k := l.kind()
	switch {
	case k == nil:
		return "chosen on the data"
	case !l.IsGroupwise() || k.groups == nil:
		return k.text(l)
	}
	text := "group DRO"
	if l.Adjust > 0 {
		text += " over " + l.groupsText()
	}
	if l.Penalty != dro.KullbackLeibler && l.Penalty != "" && l.Nu != nil && *l.Nu > 0 {
		text = l.Penalty.Symbol() + " " + text
	}
	return k.groups(l, &dro.Ball{}, text)
}
