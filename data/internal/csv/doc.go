// Package csv reads delimited text and JSON Lines into tables of plain typed columns, and writes delimited text.
// Both formats share the inference of types (types.go). The package imports data/internal/intake; only package data
// imports it. The best place to start reading is read.go.
package csv
