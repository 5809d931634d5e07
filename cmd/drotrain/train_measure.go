package main

import (
	"strconv"

	"github.com/drotrain/drotrain/cmd/drotrain/internal/exit"
	"github.com/drotrain/drotrain/cmd/drotrain/internal/options"
	"github.com/drotrain/drotrain/train/report"
)

// reportOptions returns the options of package report for the settings of a command.
func reportOptions(s *options.Settings) (report.Options, error) {
	c := &s.Config
	r := report.DefaultOptions()
	r.MinGroupSize, r.AllGroups = c.MinGroupSize, s.AllGroups
	r.Confidence, r.Tolerance = s.Confidence, s.Tolerance
	r.Favourable, r.ReferenceGroup = c.Favourable, c.ReferenceGroup
	if s.Resamples != options.Auto {
		n, err := strconv.Atoi(s.Resamples)
		if err != nil {
			return r, err
		}
		if s.Report == options.ReportFast && n > 0 {
			return r, exit.Usagef("leave out one of them",
				"--report fast computes no intervals, but --resamples %d asks for them", n)
		}
		r.Resamples = n
	}
	if s.Report == options.ReportFast {
		r.Resamples, r.Quick = 0, true
	}
	return r, readCard(s.Card, &r)
}
