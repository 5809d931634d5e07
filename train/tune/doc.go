// Package tune chooses how robust a model should be, by cross-validation inside the training rows or on validation rows:
// among ERM, averages with group weights, group DRO and χ² over rows. By cross-validation a candidate replaces ERM only
// if its improvement is significant (rule.go). The package depends on rows, groups and levels, but not on tables or
// configurations, and may import train/level, dro, losses, design, memory and internal packages. The best place to start
// reading is Select in select.go.
//
// Stability: this package is a part of package train and may change with any version before 1.0; prefer package
// train.
package tune
