// Package csv reads comma-, semicolon- or tab-separated text into tables of plain
// typed columns, and writes it. It imports data/table; only data/frame imports it. Start
// reading at read.go.
package csv
