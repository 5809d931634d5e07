// Package ranks lets several processes train on the rows of one table. Each rank has some shards of the rows and
// runs the same program; only sums are exchanged between ranks.
//
// A Comm exchanges numbers between ranks: Run provides one for goroutines, for tests, and package ranks/mpi one for
// several machines. Rows describes the distribution of the samples of a problem. It runs the loops of package shard
// over the samples of this rank and combines the partial results in an order that does not depend on the number of
// ranks. All ranks therefore have the same bits, make the same decisions, and reach the same next collective call.
//
// The package imports only internal/shard; all packages that loop over samples may import it. The best places to
// start reading are comm.go and then rows.go.
package ranks
