// Package ranks lets several processes train on the rows of one table: each rank has some
// shards of the rows, runs the same program, and what crosses ranks are sums.
//
// A Comm is what carries numbers between ranks: Run gives one among goroutines, for tests;
// package ranks/mpi one among machines. Rows describes how the samples of a problem are
// distributed: it runs the loops of package shard over the samples of this rank and combines the
// partial results in an order that does not depend on the number of ranks. Every rank then has
// the same bits, takes the same decisions, and comes to the same next collective call.
//
// It imports internal/shard alone; everything that loops over samples may import it. Start
// reading at comm.go, then rows.go.
package ranks
