package main

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/pflag"

	"github.com/drotrain/drotrain/cmd/drotrain/internal/exit"
	"github.com/drotrain/drotrain/cmd/drotrain/internal/options"
	"github.com/drotrain/drotrain/eval"
	"github.com/drotrain/drotrain/train/report"
)

// trainMeasure says how much of the measuring, drawing and writing follows a
// training.
type trainMeasure struct {
	resamples string
	tolerance float64
	plots     []string
	card      string
	allGroups bool
	noReport  bool
	fast      bool
}

func (o *trainMeasure) define(fs *pflag.FlagSet) {
	o.plots, o.tolerance, o.resamples = []string{"svg"}, defaultTolerance, "auto"
	fs.Var(options.Word(&o.resamples, fmt.Sprintf("be auto, 0, or from 100 to %d", eval.MostResamples), func(s string) bool {
		n, err := strconv.Atoi(s)
		return s == "auto" || err == nil && resamplesAllowed(n)
	}), "resamples", "`resamples` of the intervals, at least 100; 0 for none; auto takes 1000, fewer for many rows")
	defineTolerance(fs, &o.tolerance)
	fs.Var(options.Some(&o.plots, []string{"svg", "png", "pdf", "none"}), "plots", "`formats` of the figures beside the report: svg, png, pdf; none")
	fs.BoolVar(&o.allGroups, "all-groups", false, allGroupsHelp)
	fs.StringVar(&o.card, "card", "", cardHelp)
	fs.BoolVar(&o.noReport, "no-report", false, "write the model alone: nothing is measured or drawn")
	fs.BoolVar(&o.fast, "fast", false, "measure without intervals, slices and weights by column, and write no plots")
}

// options are those of the report, checked.
func (o *trainMeasure) options() (report.Options, error) {
	r := report.DefaultOptions()
	if o.resamples != "auto" {
		n, err := strconv.Atoi(o.resamples)
		if err != nil {
			return r, err
		}
		if o.fast && n > 0 {
			return r, exit.Usagef("leave out one of them", "--fast measures without intervals, and --resamples %d asks for them", n)
		}
		r.Resamples = n
	}
	if slices.Equal(o.plots, []string{"none"}) {
		o.plots = nil
	}
	if slices.Contains(o.plots, "none") {
		return r, exit.Usagef("", "--plots %q: must be none, or some of svg, png, pdf", strings.Join(o.plots, ","))
	}
	if o.fast {
		r.Resamples, r.Quick, o.plots = 0, true, nil
	}
	r.Tolerance, r.AllGroups = o.tolerance, o.allGroups
	var err error
	r.Card, err = readCard(o.card)
	return r, err
}
