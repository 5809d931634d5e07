// Package solvetest has the tests of the whole solver in the types of the internal packages.
package solvetest
