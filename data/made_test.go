package data

import (
	"context"
	"fmt"
	"testing"

	"github.com/drotrain/drotrain/data/internal/datatest"
)

// What is wrong with several columns to make is told at once.
func TestFaultsOfMadeColumnsAreToldTogether(t *testing.T) {
	text := "y,few,two,c,x\n"
	for i := range 60 {
		text += fmt.Sprintf("%d,%d,%d,%s,%d\n", i*7%13, i%2, i%3%2, []string{"u", "v"}[i%2], i)
	}
	_, err := NewEncoder(context.Background(), frameOf(t, text), nil, Spec{Target: "y", Transforms: Transforms{
		Spline: map[string]int{"few": 5, "two": 5, "x": 4}, Log: []string{"c"}, Square: []string{"c"}, Interact: [][2]string{{"x", "none"}}}})
	datatest.WantError(t, err, "few", "two", "a log is of numbers", "a square is of numbers", "none")
	e, err := NewEncoder(context.Background(), frameOf(t, text), nil, Spec{Target: "y", Transforms: Transforms{Spline: map[string]int{"x": 4}, Square: []string{"few"}, Interact: [][2]string{{"x", "c"}}}})
	if err != nil || len(e.Names()) < 3+4 {
		t.Errorf("%v, %v", e, err)
	}
}
