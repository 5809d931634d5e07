// Package migration compares the settings of other packages with those of drotrain, by the optima of the same
// problem stated in both (docs/migration.md). Package experiments runs it; peers.py runs the other packages. The
// best place to start reading is Cases.
package migration

import (
	"bytes"
	"context"
	_ "embed"
	"encoding/json"
	"fmt"
	"os/exec"
	"slices"

	"github.com/drotrain/drotrain/data/encode"
	"github.com/drotrain/drotrain/dro"
	"github.com/drotrain/drotrain/train"
	"github.com/drotrain/drotrain/train/level"
)

//go:embed peers.py
var script string

// A Case is a setting of another package and the corresponding setting of drotrain.
type Case struct {
	Package string
	Theirs  string // the call as users of the other library write it
	Here    string // the options of drotrain train
	Problem string // hmda or cps1988

	solver   string
	settings map[string]any
	set      func(*train.Config)
	times    float64 // ratio of their objective to ours; 0 means 1
}

// Cases returns the settings that are compared.
func Cases() []Case {
	radius := func(penalty dro.Divergence, rho float64) func(*train.Config) {
		return func(c *train.Config) { c.Penalty, c.Radius = penalty, &rho }
	}
	protect := func(share float64) func(*train.Config) {
		return func(c *train.Config) { c.Protect = &share }
	}
	nu := func(penalty dro.Divergence, nu, mu float64) func(*train.Config) {
		return func(c *train.Config) { c.Penalty, c.Nu, c.Mu = penalty, &nu, &mu }
	}
	groups := func(adjust, mu float64) func(*train.Config) {
		return func(c *train.Config) { c.Adversary, c.Nu, c.Adjust, c.Mu = "groups", level.At(0), adjust, &mu }
	}
	type of = map[string]any
	return []Case{
		{"dro", "`Chi2DRO`, `eps=0.5`", "`--penalty chi2 --radius 0.25`: eps/2", "hmda", "dro.Chi2DRO", of{"eps": 0.5},
			radius("chi2", 0.25), 1},
		{"dro", "`Chi2DRO`, `eps=0.5`, `ols`", "the same; its `ols` is twice our squared loss", "cps1988", "dro.Chi2DRO",
			of{"eps": 0.5}, radius("chi2", 0.25), 2},
		{"dro", "`KLDRO`, `eps=0.1`", "`--penalty kl --radius 0.1`", "hmda", "dro.KLDRO", of{"eps": 0.1}, radius("kl", 0.1),
			1},
		{"dro", "`CVaRDRO`, `alpha=0.7`", "`--protect 0.7`", "hmda", "dro.CVaRDRO", of{"alpha": 0.7}, protect(0.7), 1},
		{"dro", "`GroupDRO`, `group_idx=2`", "`--groups afam --adversary groups --nu 0`", "hmda", "dro.GroupDRO",
			of{"group_idx": 2}, groups(0, 0), 1},
		{"fast-dro", "`chi-square`, `size=0.25`, `reg=0`", "`--penalty chi2 --radius 0.25`: the same", "hmda", "fast-dro",
			of{"geometry": "chi-square", "size": 0.25, "reg": 0}, radius("chi2", 0.25), 1},
		{"fast-dro", "`chi-square`, `size=inf`, `reg=0.3`", "`--penalty chi2 --nu 0.3`: the same", "hmda", "fast-dro",
			of{"geometry": "chi-square", "size": nil, "reg": 0.3}, nu("chi2", 0.3, 0), 1},
		{"fast-dro", "`cvar`, `size=0.2`, `reg=0`", "`--protect 0.2`", "cps1988", "fast-dro",
			of{"geometry": "cvar", "size": 0.2, "reg": 0}, protect(0.2), 1},
		{"group_DRO", "`--robust --weight_decay 0.1`", "`--adversary groups --nu 0 --mu 0.1`: its limit, exactly", "hmda",
			"group_DRO", of{"weight_decay": 0.1}, groups(0, 0.1), 1},
		{"group_DRO", "`--robust --weight_decay 0.1 --generalization_adjustment 2`", "`… --group-adjust 2`", "hmda",
			"group_DRO", of{"adjustment": 2, "weight_decay": 0.1}, groups(2, 0.1), 1},
		{"drlearn", "`penalty=\"chi2\"`, `shift_cost=0.15`, largest loss",
			"`--penalty chi2 --nu 0.3`: 2 shift_cost; `--mu` is `weight_decay`", "hmda", "drlearn",
			of{"penalty": "chi2", "shift_cost": 0.15, "weight_decay": 0.1}, nu("chi2", 0.3, 0.1), 1},
		{"drlearn", "`penalty=\"kl\"`, `shift_cost=0.3`, largest loss", "`--penalty kl --nu 0.3`", "hmda", "drlearn",
			of{"penalty": "kl", "shift_cost": 0.3, "weight_decay": 0.1}, nu("kl", 0.3, 0.1), 1},
		{"drlearn", "`make_superquantile_spectrum(n, 0.3)`, `shift_cost=0`", "`--protect 0.7`: 1 − head_prob", "hmda",
			"drlearn", of{"penalty": "chi2", "shift_cost": 0, "weight_decay": 0.1, "head_prob": 0.3},
			func(c *train.Config) { protect(0.7)(c); c.Mu = level.At(0.1) }, 1},
	}
}

// A Result is a case with both optima; theirs is in their units.
type Result struct {
	Case
	Theirs, Ours float64
	Gap          *float64 // certified relative gap of our optimum; nil if the required gap was not reached
	Err          string   // error of the other library
}

// A Found holds the results of a run.
type Found struct {
	Results    []Result
	Dro, CVXPY string // versions, "" if not installed
}

type problem struct {
	X     [][]float64 `json:"x"` // features without the constant
	Y     []float64   `json:"y"`
	Group []int32     `json:"group"`
	Loss  string      `json:"loss"`
}

// Run solves every case with drotrain and with the other packages, using the given Python interpreter.
func Run(ctx context.Context, python string) (*Found, error) {
	problems := map[string]problem{}
	type peerCase struct {
		Solver   string         `json:"solver"`
		Problem  string         `json:"problem"`
		Settings map[string]any `json:"settings"`
	}
	var cases []peerCase
	found := &Found{}
	for _, c := range Cases() {
		m, err := solve(ctx, c)
		if err != nil {
			return nil, fmt.Errorf("%s, %s: %w", c.Package, c.Theirs, err)
		}
		if _, known := problems[c.Problem]; !known {
			problems[c.Problem] = rowsOf(m.Run.Train, m.Config.Loss)
		}
		s := m.Summary("")
		r := Result{Case: c, Ours: s.Objective}
		if s.Certified {
			r.Gap = s.Certificate.RelativeGap
		}
		found.Results = append(found.Results, r)
		cases = append(cases, peerCase{c.solver, c.Problem, c.settings})
	}
	asked, err := json.Marshal(map[string]any{"problems": problems, "cases": cases})
	if err != nil {
		return nil, err
	}
	cmd := exec.CommandContext(ctx, python, "-W", "ignore", "-c", script)
	var out, errs bytes.Buffer
	cmd.Stdin, cmd.Stdout, cmd.Stderr = bytes.NewReader(asked), &out, &errs
	if err := cmd.Run(); err != nil {
		return nil, fmt.Errorf("%s: %w\n%s", python, err, errs.String())
	}
	var told struct {
		Answers []struct {
			Optimum float64 `json:"optimum"`
			Error   string  `json:"error"`
		} `json:"answers"`
		Dro, CVXPY string
	}
	last := out.Bytes()[bytes.LastIndexByte(bytes.TrimSpace(out.Bytes()), '\n')+1:] // solvers print
	if err := json.Unmarshal(last, &told); err != nil || len(told.Answers) != len(cases) {
		return nil, fmt.Errorf("%d answers to %d cases: %v", len(told.Answers), len(cases), err)
	}
	for i, a := range told.Answers {
		found.Results[i].Theirs, found.Results[i].Err = a.Optimum, a.Error
	}
	found.Dro, found.CVXPY = told.Dro, told.CVXPY
	return found, nil
}

// solve trains on a case, without hold-out rows and to a small gap.
func solve(ctx context.Context, c Case) (*train.Model, error) {
	cfg := train.DefaultConfig()
	cfg.KeepRows = true
	cfg.Data, cfg.NoBaseline, cfg.Mu, cfg.Gap = "builtin:"+c.Problem, true, level.At(0), 1e-9
	rows := 1000
	switch c.Problem {
	case "hmda":
		cfg.Target, cfg.Features, cfg.Groups = "deny", []string{"pirat", "lvrat", "afam"}, []string{"afam"}
	case "cps1988":
		cfg.Target, cfg.Features, cfg.Groups, cfg.Loss =
			"wage", []string{"education", "experience"}, []string{"region"}, "squared"
	}
	cfg.Rows = &train.RowSet{}
	for i := range rows {
		cfg.Rows.Train = append(cfg.Rows.Train, i)
	}
	c.set(&cfg)
	return train.Fit(ctx, cfg)
}

func rowsOf(d *encode.Dataset, loss string) problem {
	p := problem{Y: d.Target, Loss: loss, Group: slices.Clone(d.Groups[len(d.Groups)-1].Index)}
	row := make([]float64, d.D)
	for i := range d.N {
		d.X.RowTo(row, i)
		x := slices.Clone(row)
		if d.Intercept >= 0 {
			x = slices.Delete(x, d.Intercept, d.Intercept+1)
		}
		p.X = append(p.X, x)
	}
	return p
}
