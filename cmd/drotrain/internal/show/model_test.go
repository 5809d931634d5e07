package show

import (
	"strings"
	"testing"

	"github.com/drotrain/drotrain/data/encode"
	"github.com/drotrain/drotrain/train"
)

// A line break in the name of a target makes no line of its own.
func TestTarget_NameWithLineBreak(t *testing.T) {
	for _, task := range []encode.Task{encode.Binary, encode.Regression} {
		m := &train.Model{Encoder: &encode.Encoder{Target: encode.Target{Name: "y\ncertified", Task: task, Positive: "a\nb",
			Negative: "c"}}}
		if got := Target(m); strings.ContainsAny(got, "\n\r") {
			t.Errorf("%q", got)
		}
	}
}
