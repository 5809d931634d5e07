// Package sampling picks some of many samples by their weight: the last ones of every
// shard (Stripes), systematic draws with probabilities proportional to a score
// (Systematic), the heaviest ones (Heaviest). It knows weights, not losses; start at
// systematic.go. It may import vec alone of its neighbours.
package sampling
