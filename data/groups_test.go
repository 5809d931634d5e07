package data

import (
	"context"
	"slices"
	"testing"
)

// Groups by two columns are crossed, of the rows held out as of the training rows and by
// the same labels, with those that training did not have besides; without rows held out
// there are none of these.
func TestGroups_CrossedOnHoldout(t *testing.T) {
	text := "y,a,b\n"
	for i := range 24 {
		text += []string{"1", "2", "5"}[i%3] + "," + []string{"p", "q"}[i%2] + "," + []string{"u", "v"}[i/2%2] + "\n"
	}
	text += "3,r,u\n4,p,w\n" // seen by nobody in training
	f := frameOf(t, text)
	train, held := []int{}, []int{}
	for i := range 26 {
		if i < 16 {
			train = append(train, i)
		} else {
			held = append(held, i)
		}
	}
	got, err := Fit(context.Background(), f, train, held, Spec{Target: "y", Task: Regression, Groups: []string{"a", "b"}, Features: []string{"a"}}, Sink{Storage: Float64})
	if err != nil {
		t.Fatal(err)
	}
	for name, d := range map[string]*Dataset{"training": got.Train, "hold-out": got.Holdout} {
		if len(d.Groups) != 3 {
			t.Fatalf("%s: %d groupings", name, len(d.Groups))
		}
		a, b, both := d.Groups[0], d.Groups[1], d.Groups[2]
		if of := got.Train.Groups[2].Labels; len(of) != 4 || slices.ContainsFunc(of, func(l string) bool { return !slices.Contains(both.Labels, l) }) {
			t.Errorf("%s: groups %q, in training %q", name, both.Labels, got.Train.Groups[2].Labels)
		}
		cross := map[[2]int32]int32{}
		for j := range d.N {
			pair := [2]int32{a.Index[j], b.Index[j]}
			if k, known := cross[pair]; known && k != both.Index[j] {
				t.Errorf("%s: row %d is in %q, one like it in %q", name, j, both.Labels[both.Index[j]], both.Labels[k])
			}
			cross[pair] = both.Index[j]
		}
		if want := map[string]int{"training": 4, "hold-out": 6}[name]; len(cross) != want {
			t.Errorf("%s: %d pairs of groups, want %d", name, len(cross), want)
		}
		seen := map[int32]bool{}
		for _, k := range cross {
			if seen[k] {
				t.Errorf("%s: two pairs are %q", name, both.Labels[k])
			}
			seen[k] = true
		}
	}
	alone, err := Fit(context.Background(), f, train, nil, Spec{Target: "y", Task: Regression, Groups: []string{"a", "b"}, Features: []string{"a"}}, Sink{Storage: Float64})
	if err != nil || alone.Holdout != nil || len(alone.Train.Groups) != 3 {
		t.Errorf("without rows held out: %v", err)
	}
	one, err := Fit(context.Background(), f, train, held, Spec{Target: "y", Task: Regression, Groups: []string{"a"}, Features: []string{"a"}}, Sink{Storage: Float64})
	if err != nil || len(one.Train.Groups) != 1 || len(one.Holdout.Groups) != 1 {
		t.Errorf("one column of groups: %v", err)
	}
}
