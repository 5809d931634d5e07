package data

import "testing"

// Values of the reference implementation of xxHash.
func TestXXH32(t *testing.T) {
	for text, want := range map[string]uint32{
		"":    0x02CC5D05,
		"a":   0x550D7456,
		"abc": 0x32D153FF,
		"Nobody inspects the spammish repetition": 0xE2293B2F,
	} {
		if got := xxh32([]byte(text)); got != want {
			t.Errorf("xxh32(%q) = %08x, want %08x", text, got, want)
		}
	}
}
