package train

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/drotrain/drotrain/data"
	"github.com/drotrain/drotrain/data/check"
	"github.com/drotrain/drotrain/data/encode"
	"github.com/drotrain/drotrain/internal/printable"
	"github.com/drotrain/drotrain/internal/ranks"
)

// An examination holds the results of examining the training rows of a table: findings, and group columns with problems.
type examination struct {
	findings []check.Finding
	leaky    []string // group columns that are derived from the target and therefore are not features
	decoding []string // group columns whose own coefficients would decode the target
}

// roles returns the roles of the columns of a table.
func (c *Config) roles(task encode.Task) check.Roles {
	return check.Roles{Target: c.Target, Task: task, Features: c.Features, Drop: append(slices.Clone(c.Drop), c.Exposure),
		Groups: c.Groups, GroupFeatures: c.GroupFeatures, Categorical: c.Categorical,
		Weight: c.Weight, Unit: c.GroupHoldout, Time: c.Time, Split: c.Split}
}

// examineRows examines the training rows for problems of columns before a model is trained. A group column that is
// derived from the target then ceases to be a feature, unless Config.Features is set, and the rows are encoded again
// without it. With several ranks it is a collective call: rank 0 examines a sample of the rows of all ranks, and no
// group column ceases to be a feature.
func (c *Config) examineRows(
	ctx context.Context, f *data.Frame, rows *encodedRows, disk *diskStorage,
) (*encodedRows, error) {
	if c.examined != nil { // the findings are those of the model that is being cross-fitted
		return rows, nil
	}
	c.examined = &examination{}
	of := rows.fitted.Train.Rows
	if c.comm != nil {
		if of = rows.sampleOfRanks(check.ExaminedRows(rows.Total, len(f.Columns))); c.comm.Rank() > 0 {
			return rows, nil
		}
	}
	findings := rows.findings
	if !rows.isExamined {
		var err error
		if findings, err = check.Examine(ctx, f, of, c.roles(rows.fitted.Encoder.Target.Task)); err != nil {
			return nil, err
		}
	}
	c.examined.findings = findings
	if c.comm != nil {
		return rows, nil
	}
	if len(c.Features) > 0 {
		return rows, nil
	}
	groups := slices.DeleteFunc(slices.Clone(c.Groups), func(name string) bool { return name == c.Target })
	leaky := check.FindLeakyGroups(findings, groups)
	for _, found := range findings {
		if found.What == check.LeakSlopes && len(found.Columns) <= 1 && slices.Contains(groups, found.Column) {
			c.examined.decoding = append(c.examined.decoding, found.Column)
		}
	}
	again := false
	for _, name := range leaky {
		if c.GroupFeatures && !slices.Contains(c.examined.leaky, name) {
			c.examined.leaky, again = append(c.examined.leaky, name), true
		}
	}
	if !again {
		return rows, nil
	}
	disk.freeRows(rows.fitted, rows.weight)
	return c.encodeRows(ctx, f, nil, disk)
}

// sampleOfRanks returns about count training rows of all ranks. It is a collective call.
func (r *encodedRows) sampleOfRanks(count int) []int {
	lo, _ := r.Rows.LocalRange(r.Total)
	number := make([]float64, r.Total)
	for k, row := range r.Train {
		number[lo+k] = float64(row)
	}
	var out []int
	for _, row := range ranks.GatherAt(r.Rows, r.Rows.StratifiedSample(r.Total, min(count, r.Total)), number)[0] {
		out = append(out, int(row))
	}
	return out
}

// slopeRefusal returns the reason why groups must not get their own coefficients by default, or "" if they may.
func (c *Config) slopeRefusal() string {
	if c.examined == nil || len(c.examined.decoding) == 0 || c.GroupCoefficients == groupCoefficientsPooled {
		return ""
	}
	return fmt.Sprintf("they would decode the target (%s)", printable.QuoteList(c.examined.decoding, "and"))
}

// addFindings records the findings of x, if it is not nil, and adds the warnings among them to the notes.
func (m *Model) addFindings(x *examination) {
	if x == nil {
		return
	}
	m.Findings = x.findings
	for _, f := range x.findings {
		if f.Severity == check.Warning {
			m.addNotes(warningMark + f.String())
		}
	}
}

// ExamineScored returns findings about the rows of a table that the model is to score, in comparison with its
// training rows. If groups is set, it also examines the group columns.
func (m *Model) ExamineScored(ctx context.Context, f *data.Frame, groups bool) ([]check.Finding, error) {
	switch {
	case m == nil || m.Encoder == nil:
		return nil, errIncomplete
	case ctx == nil || f == nil:
		return nil, errNil
	}
	return check.ExamineScored(ctx, f, m.Encoder, m.Config.Reading, groups)
}

// warningMark is the prefix of important notes, such as those about leakage.
const warningMark = "warning: "

// SplitWarnings divides the notes of a training run into warnings, whose prefix it removes, and other notes.
func SplitWarnings(all []string) (warnings, notes []string) {
	for _, n := range all {
		if w, ok := strings.CutPrefix(n, warningMark); ok {
			warnings = append(warnings, w)
		} else {
			notes = append(notes, n)
		}
	}
	return warnings, notes
}
