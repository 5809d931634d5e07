// Package tune chooses how robust a model is to be by cross-validation inside the
// training rows, among the plain average, the average with equal group weights,
// adversaries over groups and adversaries over rows: with the rule that a model has to
// earn its price (criterion.go). It knows rows, groups and levels, not tables or
// configurations, and may import train/level, dro, losses and design. Start reading at
// Select in select.go.
//
// Stability: this package is a part of package train and may change with any version before 1.0;
// prefer package train.
package tune
