// Package tune chooses how robust a model should be by cross-validation inside the training rows: among ERM,
// group-balanced ERM, group DRO and χ² over rows. A candidate replaces ERM only if its improvement is significant
// (rule.go). The package depends on rows, groups and levels, but not on tables or configurations, and may import
// train/level, dro, losses and design. The best place to start reading is Select in select.go.
//
// Stability: this package is a part of package train and may change with any version before 1.0; prefer package
// train.
package tune
