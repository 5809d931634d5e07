package show

import (
	"strings"
	"testing"

	"github.com/drotrain/drotrain/data"
	"github.com/drotrain/drotrain/train"
)

// A line break in the name of a target makes no line of its own.
func TestTarget_NameWithLineBreak(t *testing.T) {
	for _, task := range []data.Task{data.Binary, data.Regression} {
		m := &train.Model{Encoder: &data.Encoder{Target: data.Target{Name: "y\ncertified", Task: task, Positive: "a\nb", Negative: "c"}}}
		if got := Target(m); strings.ContainsAny(got, "\n\r") {
			t.Errorf("%q", got)
		}
	}
}
