package printable

import "testing"

func TestCount_OneIsSingular(t *testing.T) {
	for n, want := range map[float64]string{0: "rows", 0.5: "rows", 1: "row", 1.5: "rows", 2: "rows", -1: "rows"} {
		if got := Noun(n, "row", "rows"); got != want {
			t.Errorf("%v %s, want %s", n, got, want)
		}
	}
}
