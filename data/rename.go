package data

import (
	"cmp"
	"context"
	"slices"

	"github.com/drotrain/drotrain/data/internal/csv"
	"github.com/drotrain/drotrain/data/internal/intake"
)

// applyReading applies the reading to the columns of a table. typed must be set if the readers of the files did not
// rename texts.
func (f *Frame) applyReading(ctx context.Context, typed bool) (err error) {
	known := f.how.Columns != nil
	if known {
		if f.Columns, err = f.how.conform(f.Name(), f.Columns, f.Rows); err != nil {
			return err
		}
	} else if err := f.checkNumericNames(); err != nil {
		return err
	}
	if typed {
		if err := f.applyTextRules(ctx); err != nil {
			return err
		}
	}
	if !known {
		f.how.Columns = formsOf(f.Columns, f.how.Zone)
	}
	return nil
}

// checkNumericNames returns an error if a column of TextOptions.Numeric does not exist.
func (f *Frame) checkNumericNames() error {
	names := f.Names()
	for _, name := range f.how.Text.Numeric {
		if !slices.Contains(names, name) {
			return intake.NoColumnError(f.Name(), name, names)
		}
	}
	return nil
}

// applyTextRules applies Reading.Relabel and Reading.Missing to the columns of a file with typed columns, as the
// reader of a text file does while it reads. Columns without such values stay in the file.
func (f *Frame) applyTextRules(ctx context.Context) error {
	o := f.how.options()
	if len(o.Missing)+len(o.Relabel) == 0 {
		return nil
	}
	names, forms, all := f.Names(), f.how.formsByName(), map[string]*intake.Renaming{}
	for i, c := range f.Columns {
		r := o.RenamingOf(c.Name, names)
		if c.Clock {
			r.ReadAs(csv.DayParser(cmp.Or(forms[c.Name].Order, o.DateOrder)))
		}
		if c.Vector != "" || !c.Kind.IsScalar() || !r.AppliesTo(c.Kind) {
			continue
		}
		loaded, err := c.Load(ctx)
		if err != nil {
			return err
		}
		renamed := r.Apply(loaded)
		if form := forms[c.Name]; form.Kind == Numeric && !form.Clock && len(o.Relabel) > 0 {
			// as in training, where other texts of the column were renamed
			renamed = intake.NumbersOfLevels(renamed)
		}
		if renamed != loaded {
			f.Columns[i] = renamed
		}
		all[c.Name] = r
	}
	f.unusedMissing, f.unusedRelabel = o.UnusedTexts(names, all)
	return nil
}
