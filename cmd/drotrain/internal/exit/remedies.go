package exit

import (
	"github.com/drotrain/drotrain/cmd/drotrain/internal/quote"
	"github.com/drotrain/drotrain/data"
	"github.com/drotrain/drotrain/internal/expr"
	"github.com/drotrain/drotrain/losses"
)

// remedy puts what would mend an error of a table into the options of this
// program; "" where it has none.
func remedy(r data.Remedy, column string) string {
	switch r {
	case data.DropColumn:
		return "leave the column out with --drop " + quote.Shell(quote.Names([]string{column}))
	case data.Impute:
		return "choose --impute mean, median or drop"
	case data.FillNulls:
		return "choose --impute mean or median"
	case data.DropNullRows:
		return "leave such rows out with --filter " + quote.Shell(expr.QuoteName(column)+" is not null") + ", or all rows with nulls with --impute drop"
	case data.NameFeatures:
		return "name some with --features"
	case data.NameTarget:
		return "name it with --target COLUMN"
	case data.NamePositive:
		return "give --positive one of these"
	case data.ForgetPositive:
		return "leave --positive out"
	case data.TakeAsClasses:
		return "use --loss " + losses.DefaultName(true) + " for a target of two values"
	case data.TakeAsQuantity:
		return "use --loss " + losses.Either(losses.Names(func(k losses.Kind) bool { return !k.Classes })) + " if it is a quantity"
	case data.SayNoHeader:
		return "say --no-header"
	case data.SayDelimiter:
		return "name the separator with --delimiter"
	case data.SayDecimal:
		return "name the decimal mark with --decimal"
	case data.SayThousands:
		return "name the mark between thousands with --thousands"
	case data.SayStrip:
		return "name the marks to take off numbers with --strip '%$€'"
	case data.SayDates:
		return "say --dates number, parts or drop"
	case data.Standardise:
		return "say --scale standard"
	case data.KeepDouble:
		return "keep the rows with --storage float64"
	case data.MergeRareLevels:
		return "make one level of the rare ones with --min-count 20"
	case data.RaiseMaxColumns:
		return "allow more columns with --max-columns"
	case data.RaiseMaxLevels:
		return "allow more levels with --max-levels"
	case data.NameMissing:
		return "name the texts that stand for no value with --na"
	}
	return ""
}

// Remarked gives a note of a table with what would mend it in the options of this
// program, where the table has a remark behind the note.
func Remarked(f *data.Frame, note string) string {
	for _, r := range f.Remarks {
		bare := *r
		if bare.Path = ""; bare.Error() != note {
			continue
		}
		words := bare.Advice(func(r data.Remedy) string { return remedy(r, bare.Column) })
		bare.Hint, bare.Remedies = words, nil
		return bare.Error()
	}
	return note
}
