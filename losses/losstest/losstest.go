// Package losstest checks a loss of one's own against the contract of losses.Loss,
// as testing/fstest does a file system. It may import losses; tests import it.
//
// Stability: before version 1.0 a minor version may change this API, with a note in CHANGELOG.md;
// a patch version does not.
package losstest

import "github.com/drotrain/drotrain/losses"

// Test returns the first promise of losses.Loss that l breaks at the given margins and targets, or nil if it breaks
// none; see losses.Check. Choose margins where the slope is differentiable.
func Test(l losses.Loss, margins, targets []float64) error { return losses.Check(l, margins, targets) }
