package printable

import (
	"reflect"
	"testing"
)

func TestNearest_Cases(t *testing.T) {
	columns := []string{"wage", "education", "experience", "ethnicity", "smsa", "region", "parttime"}
	for _, c := range []struct {
		name  string
		among []string
		max   int
		want  []string
	}{
		{"wages", columns, 3, []string{"wage"}},
		{"wgae", columns, 3, []string{"wage"}},
		{"Region", columns, 3, []string{"region"}},
		{"part-time", columns, 3, []string{"parttime"}},
		{"ethnicty", columns, 3, []string{"ethnicity"}},
		{"reg", columns, 3, []string{"region"}},
		{"zzz", columns, 3, nil},
		{"", columns, 3, nil},
		{"a", []string{"b", "a", "a", "c"}, 2, []string{"a"}},
		{"ab", []string{"abc", "b"}, 2, []string{"abc"}},
		{"x", nil, 3, nil},
		{"ab", []string{"ac", "a", "cd"}, 3, []string{"ac"}},
		{"a", []string{"bc"}, 3, nil},
		{"age", []string{"customer_age_group", "region"}, 3, []string{"customer_age_group"}},
		{"customer_age_group", []string{"age", "ag"}, 3, []string{"age"}},
		{"ag", []string{"customer_age_group"}, 3, nil},
	} {
		if got := Nearest(c.name, c.among, c.max); !reflect.DeepEqual(got, c.want) {
			t.Errorf("Nearest(%q) = %q, want %q", c.name, got, c.want)
		}
	}
}

func TestDistance_Cases(t *testing.T) {
	for _, c := range []struct {
		a, b string
		want int
	}{{"", "", 0}, {"", "abc", 3}, {"abc", "abc", 0}, {"abc", "acb", 1}, {"kitten", "sitting", 3}, {"wage", "age", 1}} {
		if got := distance([]rune(c.a), []rune(c.b)); got != c.want {
			t.Errorf("distance(%q, %q) = %d, want %d", c.a, c.b, got, c.want)
		}
		if got := distance([]rune(c.b), []rune(c.a)); got != c.want {
			t.Errorf("distance(%q, %q) = %d, want %d", c.b, c.a, got, c.want)
		}
	}
}
