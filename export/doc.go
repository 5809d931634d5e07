// Package export writes a trained model as ONNX, as SQL or as a table of coefficients, so that other systems score
// rows as `drotrain predict` does, to within 1e-12 of the score. ONNX and SQL include the preprocessing; both are
// generated from the contributions to the margin in model.go.
//
// The tests compare every format with the model on rows that cover special cases. docs/scoring.md lists the
// programs used, and the SQL dialects that were parsed but not run.
//
// If a format cannot express a model exactly, the export returns an error that states the reason. The package may
// import train and data. The best places to start reading are model.go and then the file of a format.
//
// Stability: before version 1.0 a minor version may change this API, with a note in CHANGELOG.md; a patch version
// does not.
package export
