// Package figure draws what a report holds: one [Figure] a subject, with its numbers in
// words for those who do not see it.
//
// It may import eval, which knows no figures, and internal/chart, which knows how dots
// and lines are drawn; the page imports it. Start reading at figures.go.
//
// Stability: before version 1.0 a minor version may change this API, with a note in CHANGELOG.md;
// a patch version does not.
package figure
