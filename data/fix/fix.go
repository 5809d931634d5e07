// Package fix declares the choices by which a user may fix a [github.com/drotrain/drotrain/data.Error]. A program
// can describe each choice in terms of its own options; the text of a Fix describes it in plain words.
//
// Stability: before version 1.0 a minor version may change this API, with a note in CHANGELOG.md; a patch version
// does not.
package fix

// A Fix is a choice of the user that would fix an error.
type Fix string

// The fixes.
const (
	DropColumn      Fix = "leave the column out"
	Impute          Fix = "impute the nulls by mean or median, or drop those rows"
	FillNulls       Fix = "impute the nulls by mean or median"
	DropNullRows    Fix = "drop the rows with nulls"
	NameFeatures    Fix = "name the features"
	NameTarget      Fix = "name the target column"
	NamePositive    Fix = "name another positive class"
	ForgetPositive  Fix = "name no positive class"
	TakeAsClasses   Fix = "treat the target as classes"
	TakeAsQuantity  Fix = "treat the target as a quantity"
	SayNoHeader     Fix = "declare that the file has no header line"
	SayDelimiter    Fix = "name the separator of the fields"
	SayDecimal      Fix = "name the decimal separator"
	SayThousands    Fix = "name the thousands separator"
	SayStrip        Fix = "name the characters to strip from numbers"
	SayNumeric      Fix = "declare the column as numeric"
	SayDateOrder    Fix = "set the order of day and month"
	SayTimeZone     Fix = "name the time zone"
	SayDates        Fix = "use dates as numbers or parts, or drop them"
	Standardise     Fix = "standardise the numbers"
	KeepDouble      Fix = "keep the rows as float64"
	RaiseMaxColumns Fix = "allow more columns"
	RaiseMaxLevels  Fix = "allow more levels"
	MergeRareLevels Fix = "merge rare levels"
	NameMissing     Fix = "name the values that mean a missing value"
)

// An Advice is the part of an error that suggests a solution.
type Advice struct {
	Hint  string // a sentence addressed to the user
	Fixes []Fix
}

// Advise returns an Advice with a sentence and, optionally, fixes.
func Advise(text string, fixes ...Fix) Advice { return Advice{text, fixes} }

// Offer returns an Advice of fixes without a sentence.
func Offer(fixes ...Fix) Advice { return Advice{Fixes: fixes} }
