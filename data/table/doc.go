// Package table declares the columns that package data reads. A [Column] holds plain typed values in memory, or
// refers to a [Part] of each file that stores them. An [Error] describes a problem of a table and how to fix it.
// Package data re-exports the names that most programs need. The best place to start reading is Column.
//
// Stability: before version 1.0 a minor version may change this API, with a note in CHANGELOG.md; a patch version
// does not.
package table
