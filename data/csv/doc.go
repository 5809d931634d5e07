// Package csv reads delimited text and JSON Lines into tables of plain typed columns, and
// writes delimited text. Both formats share the inference of types (types.go). It imports
// data/table; only data/frame imports it. Start reading at read.go.
//
// Stability: this package is a part of package data and may change with any version before 1.0;
// prefer package data.
package csv
