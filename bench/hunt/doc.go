// Package hunt looks for problems whose certificates are wrong. It draws random
// problems that are hard on rounding and on methods alike, solves each by every method
// and in every storage, holds every bound that one proves against every bound of the
// others, some of the objectives against 256-bit arithmetic (internal/exact), and the
// weights of every result against the adversary's set and best response. Some solves begin at
// a solution, are cancelled, or go on from a snapshot with other threads. Some problems are
// trained on as tables, with a level in users' words, and some get a number that is none,
// which is to be refused. What panics, contradicts itself, or does not end is a finding, and
// can be drawn again from its seed and number.
//
// The command bench/experiments runs it, and nothing else imports it. Start at hunt.go;
// case.go draws the problems.
package hunt
