package page

import (
	"strings"
	"testing"

	"github.com/drotrain/drotrain/eval"
)

// Long names break after a dot or an underscore, numbers nowhere.
func TestRowHead_BreaksNoNumber(t *testing.T) {
	for text, want := range map[string]string{
		"since.any_group.risk": "since.<wbr>any_<wbr>group.<wbr>risk",
		"ERM, μ = 0.00625":     "ERM, μ = 0.00625",
	} {
		if got := string(table{}.RowHead(text)); got != want {
			t.Errorf("%q becomes %q", text, got)
		}
	}
}

// Faint rows alone have an axis that holds their intervals; beside others they do not widen it.
func TestShareAxes_HoldsIntervals(t *testing.T) {
	row := func(class string, low, high float64) tableRow {
		r := tableRow{Cells: []string{"0.1"}, Class: class}
		r.draw(changeStrip(&eval.Difference{Value: 0.1, Interval: &eval.Interval{Low: eval.Num(low), High: eval.Num(high)}}))
		return r
	}
	for _, c := range []struct {
		rows []tableRow
		ends string
	}{
		{[]tableRow{row("faint", -4, 4), row("faint", -1, 1)}, "−5 5"},
		{[]tableRow{row("faint", -4, 4), row("", -0.4, 0.4)}, "−0.5 0.5"},
	} {
		tab := table{Head: []string{"Change"}, Rows: c.rows}
		tab.shareAxes()
		if got := strings.Join(tab.EndsOf(0), " "); got != c.ends {
			t.Errorf("axis %s, want %s", got, c.ends)
		}
	}
}
