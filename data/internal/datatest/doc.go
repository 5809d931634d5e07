// Package datatest has the files, faults and checks that the tests of package data and of package encode share.
// Only tests import it.
package datatest
