//go:build race

package kernel

// raceEnabled: the race detector drops pooled memory at random.
const raceEnabled = true
