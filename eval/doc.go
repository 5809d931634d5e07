// Package eval evaluates predictions overall and by group, quantifies the uncertainty of the results, and draws
// conclusions; package eval/page presents them.
//
// It works on plain slices: targets, scores and the losses of each row for one or more models over the same rows.
// Any model can be audited, whether drotrain trained it or not. [Evaluate] measures an [Input] and returns an
// [Evaluation] (metrics.json). A [Report] adds information from the training (objective, certificate, adversary,
// coefficients). [Report.WriteJSON] writes it as JSON, and eval/page as a page, Markdown or figures. [ParseGate]
// parses a condition that can fail a build, such as "worst_group.risk > 0.6" (see [WriteJUnit]).
//
// # Conventions
//
//   - risk is the mean training loss, in the units of the training objective.
//   - CVaR_α is the mean of the worst α-fraction of the losses; α = 1 is the
//     mean, α → 0 the largest loss. The row on the boundary counts with the
//     fraction that makes the α exact.
//   - difference and ratio follow fairlearn: between_groups is max − min and
//     min / max over groups; to_overall compares each group with the value over
//     all rows and keeps the largest difference, the smallest ratio (each ratio
//     inverted when above one).
//   - The worst group has the largest risk in the last grouping (all grouping
//     columns crossed, or the only one) among groups with at least
//     MinGroupSize rows. Smaller groups are listed, but marked as having too
//     few rows, and cannot be the worst group.
//   - A number that cannot be computed is null in JSON, and the reason stands
//     beside it under "undefined". NaN and ±Inf never leave the package.
//
// # Files
//
// Start reading at evaluate.go. measure.go lists the measures, measure_binary.go and its neighbours compute them
// over rows.go and strata.go. intervals.go asks internal/interval for intervals: from the influences of the rows,
// which are the derivatives of a measure by their weights (influence_columns.go), or from counts for proportions
// and medians (interval_exact.go). Only the calibration error and the largest deviation among groups need random
// draws. verdict.go and sentence.go draw conclusions.
//
// Stability: before version 1.0 a minor version may change this API, with a note in CHANGELOG.md; a patch version
// does not.
package eval
