package main

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"maps"
	"os"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/drotrain/drotrain/cmd/drotrain/internal/exit"
	"github.com/drotrain/drotrain/cmd/drotrain/internal/options"
	"github.com/drotrain/drotrain/cmd/drotrain/internal/show"
	"github.com/drotrain/drotrain/data"
	"github.com/drotrain/drotrain/data/check"
	"github.com/drotrain/drotrain/data/encode"
	"github.com/drotrain/drotrain/data/propose"
	"github.com/drotrain/drotrain/eval"
	"github.com/drotrain/drotrain/internal/atomicfile"
	"github.com/drotrain/drotrain/internal/printable"
	"github.com/drotrain/drotrain/internal/setting"
	"github.com/drotrain/drotrain/train"
)

// A proposedTraining is a proposal in the form of options of train.
type proposedTraining struct {
	*propose.Proposal
	Measured []measurement `json:"measured,omitempty"`
	Command  string        `json:"command"`

	flags *pflag.FlagSet
}

// maxReopenings is the maximum number of times that a table is reopened with suggested options.
const maxReopenings = 5

// openSuggested opens a table and, if its remarks suggest other reading options, reopens it with them. A stream
// is read only once.
func (a *app) openSuggested(ctx context.Context, path string, how data.Reading) (*data.Frame, data.Reading, error) {
	f, err := a.openTable(ctx, path, how)
	if info, statErr := os.Stat(path); err != nil || statErr != nil || info.Mode()&os.ModeNamedPipe != 0 {
		return f, how, err
	}
	for range maxReopenings {
		next := how.WithRemarks(f.Remarks)
		if reflect.DeepEqual(next, how) {
			break
		}
		again, err := a.openTable(ctx, path, next)
		if err != nil {
			break // the suggestion did not help
		}
		f.Close()
		f, how = again, next
	}
	return f, how, nil
}

// proposeTraining examines the table named path and proposes how to train on it with the columns and reading options
// of c and the given value of --holdout, which may be "". It reads dates as days, and returns the table.
func proposeTraining(
	ctx context.Context, a *app, shown *show.Progress, path string, c *train.Config, holdout string,
) (*data.Frame, *proposedTraining, error) {
	how, groups := c.Reading, c.Groups
	dates := how.Dates
	if dates != "drop" {
		how.Dates = "number"
	}
	f, how, err := a.openSuggested(ctx, path, how)
	if err != nil {
		return nil, nil, err
	}
	how.Dates = "" // the proposal states how to use any columns of dates
	shown.Begin("examining the columns")
	p, err := propose.Make(ctx, f, check.Roles{Target: c.Target, Groups: groups, Weight: c.Weight, Unit: c.GroupHoldout,
		Time: c.Time, Split: c.Split}, how)
	if err != nil {
		return nil, nil, err
	}
	if dates != "" {
		p.Reading.Dates = dates
	}
	if err := f.Fingerprint(); err != nil {
		return nil, nil, err
	}
	shown.Begin("measuring the proposals")
	out := &proposedTraining{Proposal: p, flags: trainFlags(),
		Measured: measureProposal(ctx, a, p, path, groups, c.Weight)}
	t := &p.Reading.Text
	if holdout == "" && p.GroupHoldout != "" {
		holdout = "units:" + p.GroupHoldout
	}
	for _, o := range []struct{ name, value string }{
		{"data", path}, {"target", c.Target}, {"weight", c.Weight}, {"favourable", out.favourable()},
		{"groups", setting.JoinNames(groups)}, {"drop", setting.JoinNames(p.Drop)},
		{"categorical", setting.JoinNames(p.Categorical)}, {"loss", p.Loss}, {"impute", p.Impute}, {"filter", p.Filter},
		{"min-count", strconv.Itoa(p.MinCount)}, {"na", setting.JoinNames(t.Missing)}, {"delimiter", t.Delimiter},
		{"decimal", t.Decimal},
		{"thousands", t.Thousands}, {"strip", t.Strip}, {"relabel", formatRelabel(p.Reading.Relabel)}, {"holdout", holdout},
		{"dates", p.Reading.Dates}, {"date-order", t.DateOrder}, {"time-zone", p.Reading.Zone},
		{"numeric", setting.JoinNames(t.Numeric)}, {"no-header", strconv.FormatBool(t.NoHeader)},
	} {
		if o.value == "" || o.value == "0" || o.value == "false" {
			continue
		}
		if err := out.flags.Set(o.name, o.value); err != nil {
			return nil, nil, fmt.Errorf("--%s %s: %w", o.name, o.value, err)
		}
	}
	out.Command = options.CommandLine("train", out.flags)
	return f, out, nil
}

// favourable returns the value of the target that is favourable to the person according to the names, or "" if the
// names do not show it.
func (p *proposedTraining) favourable() string {
	if f := eval.GuessFavourable(p.Target, p.Positive, p.Negative); f != nil && p.Task == encode.Binary {
		return f.Value
	}
	return ""
}

// favourableQuestion returns a question about which outcome is favourable to the person, with the inferred answer.
// It returns "" unless the target has two values and either looks like a decision or groups may be compared.
func (p *proposedTraining) favourableQuestion() string {
	guess := p.favourable()
	switch {
	case guess != "":
		return fmt.Sprintf("which outcome is good for the person? “%s” was guessed from the values' names; --favourable "+
			"sets the outcome to which the rates by group refer", guess)
	case p.Task == encode.Binary && (len(p.Groups) > 0 || p.flags.Changed("groups")):
		return fmt.Sprintf("which outcome is good for the person? If either value is, add --favourable %s or --favourable "+
			"%s; the rates by group then refer to it",
			printable.QuoteShell(p.Positive), printable.QuoteShell(p.Negative))
	}
	return ""
}

// formatRelabel formats a map of old to new names as the value of --relabel.
func formatRelabel(names map[string]string) string {
	var all []string
	for _, from := range slices.Sorted(maps.Keys(names)) {
		all = append(all, from+"->"+names[from])
	}
	return setting.JoinNames(all)
}

// trainFlags returns the options of train.
func trainFlags() *pflag.FlagSet {
	cmd := &cobra.Command{}
	options.Add(cmd, options.Train)
	return cmd.Flags()
}

// writeConfig writes the proposal as a configuration file, with a comment on each dropped column.
func (p *proposedTraining) writeConfig(a *app, path string, force bool) error {
	if err := a.inputs.MayWrite(path); err != nil {
		return err
	}
	why := map[string]string{}
	for _, f := range p.Findings {
		why[f.Column] = f.Evidence
	}
	return exit.ReplaceHint(atomicfile.Write(path, force, func(w io.Writer) error {
		return options.WriteYAML(w, "train", path, p.flags, func(name, item string) string {
			if name == "drop" {
				return why[item]
			}
			return ""
		})
	}))
}

// print writes the findings and the proposed command.
func (p *proposedTraining) print(w io.Writer) {
	task := map[encode.Task]string{encode.Binary: "two classes", encode.Regression: "a quantity",
		encode.Multiclass: "classes"}
	fmt.Fprintf(w, "\nTo predict %s (%s)\n", p.Target, task[p.Task])
	columns := map[string][]string{} // columns by the text about them, in one line each
	var lines, filled []string
	for _, f := range p.Findings {
		in := ""
		if f.Rows > 0 {
			in = " (" + show.Plural(f.Rows, "row", "rows")
			if f.First > 0 {
				in += fmt.Sprintf(", first %s", show.Thousands(f.First))
			}
			in += ")"
		}
		if f.Proposal == propose.Filled {
			filled = append(filled, f.Column+in)
			continue
		}
		what := f.Evidence + in
		if f.Proposal != "" {
			what = addOption(f.Proposal, &f) + "; " + what
		}
		if columns[what] == nil {
			lines = append(lines, what)
		}
		name := f.Column
		if len(f.Columns) > 0 {
			name = strings.Join(f.Columns, ", ")
		}
		columns[what] = append(columns[what], cmp.Or(name, "the table"))
	}
	for _, what := range lines {
		show.Wrapped(w, "  ", strings.Join(columns[what], ", ")+": "+what)
	}
	if len(filled) > 0 {
		show.Wrapped(w, "  ", "missing, "+propose.Filled+": "+strings.Join(filled, ", "))
	}
	if len(p.Findings) == 0 {
		fmt.Fprintln(w, "  nothing stands out")
	}
	if len(p.Groups) > 0 && !p.flags.Changed("groups") {
		show.Wrapped(w, "  ", "columns that may define groups, judging by their names: --groups "+printable.QuoteShell(
			setting.JoinNames(p.Groups))+" optimises for the worst group")
	}
	if s := p.favourableQuestion(); s != "" {
		show.Wrapped(w, "  ", s)
	}
	p.printMeasured(w)
	fmt.Fprintf(w, "\nSuggested command; check it against what you know about the columns:\n  %s\n",
		strings.ReplaceAll(p.Command, " --", " \\\n      --"))
}
