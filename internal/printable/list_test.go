package printable

import "testing"

func TestCapitalise_Cases(t *testing.T) {
	for in, want := range map[string]string{"": "", "a group": "A group", "écart": "Écart", "Log loss": "Log loss",
		"χ²": "Χ²"} {
		if got := Capitalise(in); got != want {
			t.Errorf("Capitalise(%q) = %q, want %q", in, got, want)
		}
	}
}
