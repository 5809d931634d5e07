package check

import (
	"context"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/drotrain/drotrain/data"
	"github.com/drotrain/drotrain/data/encode"
	"github.com/drotrain/drotrain/data/table"
	"github.com/drotrain/drotrain/internal/printable"
)

// ExamineScored returns findings about rows that a model scores. It compares them with the training rows, which
// encoder and trained describe, and finds numbers with different separators, codes for missing values, different
// spellings of labels, and repeated header lines. It examines the columns of the features and, if groups is set,
// those of the groups. If there are many rows, only every k-th is examined, as by [Examine].
func ExamineScored(
	ctx context.Context, f *data.Frame, encoder *encode.Encoder, trained data.Reading, groups bool,
) ([]Finding, error) {
	known := trainedColumns(encoder, trained, groups)
	rows := sampleRows(f.Rows, nil, len(known))
	if len(rows) == 0 {
		return nil, nil
	}
	var all []Finding
	var texts []*column
	for _, k := range known {
		c, err := f.Lookup(k.name)
		if err != nil || !c.Kind.IsScalar() {
			continue // scoring reports the problem
		}
		if c, err = f.ColumnAt(ctx, nil, k.name, rows); err != nil {
			return nil, err
		}
		of := newColumn(c, rows)
		switch {
		case c.Kind == data.Categorical && k.levels != nil:
			all = append(all, k.checkSpellings(of)...)
			if !slices.Contains(k.levels, k.name) {
				texts = append(texts, of)
			}
		case c.Kind == data.Numeric && k.levels == nil:
			all = append(all, k.checkMarks(c)...)
			all = append(all, k.checkSentinels(of)...)
		}
	}
	if texts != nil {
		all = append(all, checkHeaders(texts, len(known) == 1, "")...)
	}
	for i := range all {
		all[i].Scored = true
	}
	return all, ctx.Err()
}

// A trainedColumn describes a column of the training table, as far as the model records it.
type trainedColumn struct {
	name      string
	role      string
	levels    []string // labels of a category or of groups; nil for numbers
	merged    bool     // rare levels were merged, so some labels of training are unknown
	form      data.ColumnForm
	low, high float64 // range of numbers; NaN if the model does not record it
}

// trainedColumns returns the columns that a model reads, in the order of its inputs.
func trainedColumns(encoder *encode.Encoder, trained data.Reading, groups bool) (all []trainedColumn) {
	add := func(k trainedColumn) {
		if slices.ContainsFunc(all, func(o trainedColumn) bool { return o.name == k.name }) {
			return
		}
		if at := slices.IndexFunc(trained.Columns, func(f data.ColumnForm) bool { return f.Name == k.name }); at >= 0 {
			k.form = trained.Columns[at]
		}
		all = append(all, k)
	}
	low, high := map[int]float64{}, map[int]float64{}
	if encoder.Profile != nil {
		for _, p := range encoder.Profile.Inputs {
			low[p.Input], high[p.Input] = p.Low, p.High
		}
	}
	for i, in := range encoder.Inputs {
		k := trainedColumn{name: in.Name, low: math.NaN(), high: math.NaN()}
		switch {
		case in.Of != nil || in.Vector != "" || in.Kind == data.Vector:
			continue
		case in.Kind == data.Numeric:
			if _, ok := high[i]; ok {
				k.low, k.high = low[i], high[i]
			}
		default:
			k.levels, k.merged = in.Levels, in.Other
		}
		add(k)
	}
	for _, g := range encoder.Groups {
		if groups && len(g.Sources) == 1 {
			add(trainedColumn{name: g.Name, role: "a group column", levels: g.Labels})
		}
	}
	for _, in := range encoder.Inputs { // columns that only derived columns use
		for _, o := range in.Of {
			if o.Level == "" {
				add(trainedColumn{name: o.Column, low: math.NaN(), high: math.NaN()})
			}
		}
	}
	return all
}

// checkSpellings finds labels that are different spellings of labels in training.
func (k *trainedColumn) checkSpellings(c *column) []Finding {
	usual := map[string]string{}
	for _, l := range k.levels {
		usual[foldSpelling(l)] = l
	}
	var found []count
	renames := map[string]string{}
	for _, v := range c.values {
		text := c.text(v)
		if to, is := usual[foldSpelling(text)]; is && !slices.Contains(k.levels, text) {
			found, renames[text] = append(found, v), to
		}
	}
	if found == nil {
		return nil
	}
	slices.SortStableFunc(found, func(a, b count) int { return int(b.rows - a.rows) })
	n, first := countRows(found)
	severity := Warning
	if k.merged {
		severity = Note
	}
	what := "level"
	if k.role != "" {
		what = "group"
	}
	return []Finding{{What: Spellings, Column: k.name, Rows: n, First: c.row(first), Severity: severity, Renames: renames,
		Proposal: "rename them to one label",
		Evidence: fmt.Sprintf("%q and %q look like spellings of one label, but the model does not know the %s %q",
			renames[c.text(found[0])], c.text(found[0]), what, c.text(found[0]))}}
}

// checkMarks finds numbers in text whose format differs from the numbers in the training rows.
func (k *trainedColumn) checkMarks(c *data.Column) (all []Finding) {
	marks, was := c.Marks, k.form.Marks
	if marks == nil { // a column of a typed file
		if was == nil || was.Always == "" {
			return nil
		}
		marks = &table.NumberMarks{}
	}
	if was == nil && k.form.Type != "" && !k.form.Text { // the training table had typed columns
		was = &table.NumberMarks{}
	}
	add := func(evidence, proposal string) {
		all = append(all, Finding{What: Marks, Column: k.name, Severity: Warning, Evidence: evidence, Proposal: proposal})
	}
	if was != nil {
		for _, sign := range was.Always {
			if !strings.ContainsRune(marks.Always, sign) {
				has := "none has"
				if strings.ContainsRune(marks.Sometimes, sign) {
					has = "only some have"
				}
				add(fmt.Sprintf("every number of the training table had the sign %q, but here %s", string(sign), has),
					"check that the numbers have the same unit as in the training table")
			}
		}
		for _, sign := range marks.Always + marks.Sometimes {
			if !strings.ContainsRune(was.Always+was.Sometimes, sign) {
				add(fmt.Sprintf("numbers have the sign %q, but no number of the training table had it", string(sign)),
					"check that the numbers have the same unit as in the training table")
			}
		}
		return all
	}
	if marks.HasOnlyDotted() && k.low > 1000 {
		add(fmt.Sprintf("numbers such as %q are read as decimal numbers, but all numbers of the training table were at "+
			"least %g: the separator may be a thousands separator", marks.Dotted, k.low),
			"name the decimal separator and the thousands separator")
	}
	return all
}

// checkSentinels finds common codes for missing values that lie outside the range of the numbers in training.
func (k *trainedColumn) checkSentinels(c *column) []Finding {
	margin := farApart * (k.high - k.low)
	var found []count
	for _, v := range c.values {
		below := v.value < k.low && (v.value < 0 && k.low >= 0 || v.value < k.low-margin)
		if (below || v.value > k.high+margin) && slices.Contains(sentinelCodes, v.value) {
			found = append(found, v)
		}
	}
	if found == nil {
		return nil
	}
	f := newSentinels(c, found)
	f.Severity = Warning
	f.Evidence = fmt.Sprintf("%s, and the values of the training table range from %g to %g", f.Evidence, k.low, k.high)
	return []Finding{f}
}

// newSentinels returns a finding about codes for missing values, with their rows as evidence.
func newSentinels(c *column, found []count) Finding {
	n, first := countRows(found)
	var codes, texts, missing []string
	for _, v := range found {
		text := strconv.FormatFloat(v.value, 'g', -1, 64)
		codes = append(codes, fmt.Sprintf("%s (%d %s)", text, v.rows, printable.Noun(int(v.rows), "row", "rows")))
		texts, missing = append(texts, text), append(missing, c.Name+"="+text)
	}
	evidence := texts[0] + " is a usual code for a missing value"
	if len(codes) > 1 {
		evidence = printable.JoinWords(codes, "and") + " are usual codes for a missing value"
	}
	return Finding{What: Sentinel, Column: c.Name, Texts: missing, Rows: n, First: c.row(first), Evidence: evidence,
		Proposal: printable.JoinWords(texts, "and") + " can be treated as missing"}
}

// countRows returns the number of rows of some values, and the index of the first of these rows.
func countRows(of []count) (n, first int) {
	first = math.MaxInt
	for _, v := range of {
		n, first = n+int(v.rows), min(first, int(v.first))
	}
	return n, first
}
