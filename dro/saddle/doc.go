// Package saddle defines saddle-point problems and their solutions: the parts of a [Problem] ([Oracle], [Dual],
// [Primal]) with further methods that your own parts may have, the [Options] and the [Result] of a solve with its
// [Certificate], and the interface of a [Method]. Package dro, which solves the problems, has
// the main types by the same names.
//
// An assertion such as
//
//	var _ saddle.Mirror = myDual{}
//
// checks that an implementation has the methods of an optional interface.
//
// Stability: before version 1.0 a minor version may change this API, with a note in CHANGELOG.md; a patch version does
// not.
package saddle
