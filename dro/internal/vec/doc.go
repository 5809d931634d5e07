// Package vec has the sums and fills of plain vectors whose bits the methods depend on:
// one order of summation, no fused operations of an assembly routine. Everything below
// dro may import it; it imports only internal/shard.
package vec
