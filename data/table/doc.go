// Package table has the columns that package data reads: a [Column] of plain typed values, in memory or still in its
// files, of which each has a [Part], and the [Error] that says what is wrong with a table and what would fix it. Package
// data has the names that most programs need. Start reading at Column.
//
// Stability: before version 1.0 a minor version may change this API, with a note in CHANGELOG.md; a patch version does
// not.
package table
