package data

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/drotrain/drotrain/data/table"
	"github.com/drotrain/drotrain/internal/ranks"
)

// AgreeHoldout completes the hold-out rows of ranks: a collective call. own are those of this
// rank, which ascend and lie behind those of the ranks before; the same were given to FitDealt.
// Those that were not read with the training rows are encoded as by Encode. Groups have the labels
// of the rows of all then, and HoldoutReport is of these, both as one process has them; what is
// wrong with the rows of the first rank that cannot encode some, all return.
func (d *Fitted) AgreeHoldout(ctx context.Context, f *Frame, own []int, c ranks.Comm) error {
	e := d.Encoder
	var is struct {
		Report EncodeReport
		Labels [][]string // of the groupings, by the values of their columns
		Fault  *table.Error
	}
	if d.Holdout == nil && len(own) > 0 {
		first, end := own[0], own[len(own)-1]+1
		rows := make([]int, len(own))
		for k, r := range own {
			rows[k] = r - first
		}
		var err error
		d.Holdout, d.HoldoutReport, err = e.Encode(ctx, f.Slice(first, end), rows)
		if is.Fault = ofRows(err); err != nil && is.Fault == nil {
			return err
		}
		if err == nil {
			d.Holdout.Rows = own
		}
	}
	var groups []Grouping
	if d.Holdout != nil {
		groups = d.Holdout.Groups
	}
	for k, g := range groups {
		groups[k].Labels = unnamed(e.factor(g.Name), g.Labels)
		is.Labels = append(is.Labels, groups[k].Labels)
	}
	is.Report = d.HoldoutReport
	all, err := told(c, is)
	if err != nil {
		return err
	}
	d.HoldoutReport = EncodeReport{}
	for r, of := range all {
		if of.Fault != nil && c.Size() > 1 {
			return fmt.Errorf("those of rank %d: %w", r, of.Fault)
		} else if of.Fault != nil {
			return of.Fault
		}
		if of.Report.Rows > 0 {
			d.HoldoutReport.Add(of.Report)
		}
	}
	e.order(&d.HoldoutReport)
	for k, g := range groups {
		for _, of := range all {
			if of.Report.Rows > 0 {
				g = g.with(of.Labels[k])
			}
		}
		factor := e.factor(g.Name)
		if len(factor.Sources) == 1 {
			if err := coarse(f, g.Name, factor.Kind, g.Labels); err != nil {
				return err
			}
		}
		groups[k] = nameGroups(factor, g)
	}
	return nil
}

// factor is the one of a grouping.
func (e *Encoder) factor(name string) Factor {
	return e.Groups[slices.IndexFunc(e.Groups, func(f Factor) bool { return f.Name == name })]
}

// unnamed takes the name of the column from the labels of nameGroups.
func unnamed(f Factor, labels []string) []string {
	if !f.Named {
		return labels
	}
	out := make([]string, len(labels))
	for i, l := range labels {
		out[i] = strings.TrimPrefix(l, f.Name+"=")
	}
	return out
}
