// Package losstest checks a user-defined loss against the contract of losses.Loss, as testing/fstest checks a file
// system. It imports losses; tests import it.
//
// Stability: before version 1.0 a minor version may change this API, with a note in CHANGELOG.md; a patch version
// does not.
package losstest

import "github.com/drotrain/drotrain/losses"

// Test returns an error about the first requirement of losses.Loss that l violates at the given margins and
// targets, or nil if it violates none; see losses.Check. Choose margins at which the slope is differentiable.
func Test(l losses.Loss, margins, targets []float64) error { return losses.Check(l, margins, targets) }
