// Package csv reads delimited text and JSON Lines into tables of plain typed columns, and
// writes delimited text. Both formats share the inference of types (types.go). It imports
// data/internal/intake; only data imports it. Start reading at read.go.
package csv
