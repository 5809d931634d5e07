// Package figure draws what a report holds: one [Figure] a subject, with its numbers in
// words for those who do not see it.
//
// It may import eval, which knows no figures, and internal/chart, which knows how dots
// and lines are drawn; the page imports it. Start reading at figures.go.
package figure
