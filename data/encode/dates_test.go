package encode

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/drotrain/drotrain/data"
)

// A column of dates that is read as text is refused with the option for dates, and not with options for
// levels.
func TestFit_DatesReadAsText(t *testing.T) {
	var text strings.Builder
	text.WriteString("y,x,day\n")
	for i := range 120 {
		fmt.Fprintf(&text, "%d,%d,%s\n", i%2, i*7%13, time.Date(2024, 1, 1+i%60, 0, 0, 0, 0, time.UTC).Format(time.DateOnly))
	}
	f := readBytes(t, "t.csv", []byte(text.String()), data.Reading{})
	defer f.Close()
	_, err := NewEncoder(t.Context(), f, nil, Spec{Target: "y"})
	if err == nil || !strings.Contains(err.Error(),
		`column "day": the column holds dates, but is read as text with 60 levels`) {
		t.Errorf("error %v", err)
	}
	if _, err := NewEncoder(t.Context(), f, nil, Spec{Target: "y", Categorical: []string{"day"}}); err != nil {
		t.Errorf("asked for as categories: %v", err)
	}
}
