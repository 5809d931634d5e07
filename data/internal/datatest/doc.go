// Package datatest provides the files, faults and checks that the tests of packages data and encode share. Only
// tests import it.
package datatest
