package data

import (
	"context"
	"database/sql"
	"io"

	"github.com/drotrain/drotrain/data/frame"
	"github.com/drotrain/drotrain/data/internal/matrix"
	"github.com/drotrain/drotrain/data/schema"
	"github.com/drotrain/drotrain/data/table"
)

// Columns and errors are those of package table, which the readers share; tables are
// those of package frame; what columns are taken as is in package schema.
type (
	// A Column is one column of a Frame. Its length is Frame.Rows. Among the Columns
	// of a frame that [Open] made, one of a Parquet file has its name, its type and
	// its kind alone: [Frame.Column] gives the values.
	Column = table.Column

	// Kind says what can be done with a column.
	Kind = table.Kind

	// An Error says what is wrong with a user's table and what would help.
	Error = table.Error

	// Problems are all that is wrong with the columns of a table, told at once.
	Problems = table.Problems

	// A Remedy is something a user may choose that would mend an Error.
	Remedy = table.Remedy

	// A Spec gives the columns their roles and says how to encode them.
	Spec = schema.Spec

	// Task is what is predicted.
	Task = schema.Task

	// Transforms are the columns to make, by the names of the columns of the table.
	Transforms = schema.Transforms

	// An Operand is a factor of a column that is made of others.
	Operand = schema.Operand

	// A Product is a column to make, encoded as the product of its operands divided by Scale.
	Product = schema.Product

	// A Function is what is made of a number before it is a column of the design.
	Function = schema.Function

	// An Input is a source column that features are made from.
	Input = schema.Input

	// A Coding is one encoded column.
	Coding = schema.Coding

	// A Target says how the target is encoded.
	Target = schema.Target

	// A Factor is a grouping as training saw it.
	Factor = schema.Factor

	// A Storage says how a design matrix is kept in memory; empty means auto.
	Storage = schema.Storage

	// Outside says that training rows are to lie on disk: where, and in how much memory
	// they may be put in order.
	Outside = matrix.Outside

	// A Frame is a table: named columns of equal length, in memory or, as [Open]
	// leaves them, in Parquet files.
	Frame = frame.Frame

	// A Source is one file that was read.
	Source = frame.Source

	// A Reading says how a table is to be read.
	Reading = frame.Reading

	// A Holdout says which rows are kept apart from training.
	Holdout = frame.Holdout

	// A Description is what can be said of a table without using it for anything.
	Description = frame.Description

	// A ColumnDescription describes one column.
	ColumnDescription = frame.ColumnDescription
)

// The remedies.
const (
	DropColumn      = table.DropColumn
	Impute          = table.Impute
	FillNulls       = table.FillNulls
	DropNullRows    = table.DropNullRows
	NameFeatures    = table.NameFeatures
	NameTarget      = table.NameTarget
	NamePositive    = table.NamePositive
	ForgetPositive  = table.ForgetPositive
	TakeAsClasses   = table.TakeAsClasses
	TakeAsQuantity  = table.TakeAsQuantity
	SayNoHeader     = table.SayNoHeader
	SayDelimiter    = table.SayDelimiter
	SayDecimal      = table.SayDecimal
	SayThousands    = table.SayThousands
	SayStrip        = table.SayStrip
	NameMissing     = table.NameMissing
	SayDates        = table.SayDates
	Standardise     = table.Standardise
	KeepDouble      = table.KeepDouble
	RaiseMaxColumns = table.RaiseMaxColumns
	RaiseMaxLevels  = table.RaiseMaxLevels
	MergeRareLevels = table.MergeRareLevels
)

// Classes of errors, for errors.Is; errors.As to *Error gives file, column and row.
var (
	ErrNoColumn = table.ErrNoColumn
	ErrDamaged  = table.ErrDamaged
	ErrChanged  = table.ErrChanged
	ErrMemory   = table.ErrMemory
)

// The kinds of columns.
const (
	Other       = table.Other
	Numeric     = table.Numeric
	Categorical = table.Categorical
	Bool        = table.Bool
)

// The tasks; see [schema.Task].
const (
	Auto       = schema.Auto
	Regression = schema.Regression
	Binary     = schema.Binary
)

// The storages; see [schema.Storage].
const (
	AutoStorage = schema.AutoStorage
	Float64     = schema.Float64
	Float32     = schema.Float32
	Sparse      = schema.Sparse
)

// Storages lists the words.
func Storages() []string { return schema.Storages() }

// DefaultMaxLevels bounds the levels of a categorical feature.
const DefaultMaxLevels = schema.DefaultMaxLevels

// Names of the level and the group of nulls, of the level of rare levels, and of the column
// of ones.
const (
	MissingLabel  = schema.MissingLabel
	OtherLabel    = schema.OtherLabel
	InterceptName = schema.InterceptName
)

// LevelOfNumber returns the level that a number stands for in a category that training
// took as the given kind; see [schema.LevelOfNumber].
func LevelOfNumber(trained Kind, v float64) string { return schema.LevelOfNumber(trained, v) }

// LevelOfText is LevelOfNumber for a text; see [schema.LevelOfText].
func LevelOfText(trained Kind, text string) string { return schema.LevelOfText(trained, text) }

// Progress is where the reading or encoding of a table has come to.
type Progress = table.Progress

// WithProgress is a context under which f is told how far reading and encoding have
// come: often, from one goroutine at a time.
func WithProgress(ctx context.Context, f func(Progress)) context.Context {
	return table.WithProgress(ctx, f)
}

// Read loads a table: a file, a glob of files, or a directory of files; see
// [frame.Read].
func Read(ctx context.Context, path string) (*Frame, error) { return frame.Read(ctx, path) }

// Open is Read without the values of Parquet files, which stay in their files until
// they are asked for; see [frame.Open].
func Open(ctx context.Context, path string) (*Frame, error) { return frame.Open(ctx, path) }

// OpenAs is Open with text and dates read in a way of its own.
func OpenAs(ctx context.Context, path string, how Reading) (*Frame, error) {
	return frame.OpenAs(ctx, path, how)
}

// OpenReader is Open for what a stream gives up to its end, as the standard input
// does; see [frame.OpenReader].
func OpenReader(ctx context.Context, name string, r io.Reader, how Reading) (*Frame, error) {
	return frame.OpenReader(ctx, name, r, how)
}

// ReadBytes is Read for a file in memory; see [frame.ReadBytes].
func ReadBytes(ctx context.Context, name string, b []byte) (*Frame, error) {
	return frame.ReadBytes(ctx, name, b)
}

// NewFrame makes a table of columns in memory; see [frame.NewFrame].
func NewFrame(columns ...Column) (*Frame, error) { return frame.NewFrame(columns...) }

// ColumnOf makes a column of values; see [frame.ColumnOf].
func ColumnOf[T any](name string, values []T) (Column, error) { return frame.ColumnOf(name, values) }

// FromStructs makes a table of the exported fields of structs; see [frame.FromStructs].
func FromStructs[T any](rows []T) (*Frame, error) { return frame.FromStructs(rows) }

// FromRecords makes a table of records, one per row; see [frame.FromRecords].
func FromRecords(records []map[string]any) (*Frame, error) { return frame.FromRecords(records) }

// FromRows makes a table of the result of a query; see [frame.FromRows].
func FromRows(rows *sql.Rows) (*Frame, error) { return frame.FromRows(rows) }

// A TableWriter takes a block of rows.
type TableWriter = frame.TableWriter

// WriteBlocks is WriteTable for rows that come in blocks; see [frame.WriteBlocks].
func WriteBlocks(path string, force bool, rows func(put TableWriter) error) error {
	return frame.WriteBlocks(path, force, rows)
}

// WriteTable writes columns of equal length to path; see [frame.WriteTable].
func WriteTable(path string, cols []Column, force bool) error {
	return frame.WriteTable(path, cols, force)
}

// SplitInto is Split of as many rows as the slice is long, whose parts the lists become.
func SplitInto(rows []int, fraction float64, seed uint64) (train, holdout []int, err error) {
	return frame.SplitInto(rows, fraction, seed)
}

// Split deals the rows 0..n-1 into training rows and hold-out rows; see [frame.Split].
func Split(n int, fraction float64, seed uint64) (train, holdout []int, err error) {
	return frame.Split(n, fraction, seed)
}

// DateUses are the words of [Reading] for columns of dates and times.
func DateUses() []string { return frame.DateUses() }

// Join is the rows of f and then those of g; see [frame.Join].
func Join(ctx context.Context, f, g *Frame) (*Frame, error) { return frame.Join(ctx, f, g) }

// HasExtension reports whether a file name ends in one of the extensions of tables, such as
// .parquet, .csv.gz or .jsonl.
func HasExtension(name string) bool { return frame.HasExtension(name) }
