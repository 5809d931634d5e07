// Package export writes a trained model in the languages of other systems, so
// that they score rows as `drotrain predict` does, to 1e-12 of the score: ONNX,
// SQL, and a table of coefficients. ONNX and SQL are made from the contributions to the margin
// in model.go, with the preprocessing inside.
//
// The tests compare every format with the model on edge rows; docs/scoring.md lists
// the programs, and the dialects of SQL that were parsed but not run.
//
// What a format cannot say exactly is refused with the reason. The package may
// import train and data; start reading at model.go, then a format's file.
//
// Stability: before version 1.0 a minor version may change this API, with a note in CHANGELOG.md;
// a patch version does not.
package export
