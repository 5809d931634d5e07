package encode

import (
	"math"
	"strings"
	"testing"

	"github.com/drotrain/drotrain/data"
)

// What is asked for is refused where it cannot be whatever the table, by what it is; and taken
// at the ends of what can be.
func TestSpec_Validate(t *testing.T) {
	for says, change := range map[string]func(s *Spec){
		`the task is "ranking"; it must be`:                           func(s *Spec) { s.Task = "ranking" },
		`the scale is "range"; it must be`:                            func(s *Spec) { s.Scale = "range" },
		`the imputation is "zero"; it must be`:                        func(s *Spec) { s.Impute = "zero" },
		`the target transform is "sqrt"; it must be`:                  func(s *Spec) { s.TargetTransform = "sqrt" },
		"the minimum count is -1; it must not be negative":            func(s *Spec) { s.MinCount = -1 },
		"the maximum number of levels is -1; it must not be negative": func(s *Spec) { s.MaxLevels = -1 },
		"the target column is not set":                                func(s *Spec) { s.Target = "" },
		`features lists the column "a" twice`:                         func(s *Spec) { s.Features = []string{"a", "b", "a"} },
		`groups lists the column "g" twice`:                           func(s *Spec) { s.Groups = []string{"g", "g"} },
		`categorical lists the column "a" twice`:                      func(s *Spec) { s.Categorical = []string{"a", "a"} },
		`drop lists the column "y", which is the target`:              func(s *Spec) { s.Drop = []string{"y"} },
		`features lists the column "y", which is the target`:          func(s *Spec) { s.Features = []string{"y"} },
		`features and drop both list the column "a"`: func(s *Spec) {
			s.Features, s.Drop = []string{"a"},
				[]string{"a"}
		},
		`log lists the column "a" twice`: func(s *Spec) { s.Transforms.Log = []string{"a", "a"} },
		`square lists the column "a" twice`: func(s *Spec) {
			s.Transforms.Square = []string{"a", "b",
				"a"}
		},
		`log and spline both list the column "a"`: func(s *Spec) {
			s.Transforms.Log,
				s.Transforms.Spline = []string{"a"}, map[string]int{"a": 3}
		},
		`the spline of "a" has 2 knots`: func(
			s *Spec) {
			s.Transforms.Spline = map[string]int{"a": 2}
		},
		`the spline of "a" has 21 knots`: func(
			s *Spec) {
			s.Transforms.Spline = map[string]int{"a": 21}
		},
		"the interaction a:a": func(
			s *Spec) {
			s.Transforms.Interact = [][2]string{{"a", "a"}}
		},
		"the interaction b:a": func(
			s *Spec) {
			s.Transforms.Interact = [][2]string{{"a", "b"}, {"b", "a"}}
		},
		"": func(s *Spec) {
			s.Task, s.Scale, s.Impute, s.TargetTransform, s.Groups = Regression, "none", "drop", "log", []string{"y", "g"}
			s.Transforms = Transforms{Log: []string{"a", "b"}, Square: []string{"a"}, Spline: map[string]int{"c": 3, "d": 20},
				Interact: [][2]string{{"a", "b"}, {"a", "c"}}}
		},
	} {
		s := Spec{Target: "y"}
		change(&s)
		if err := s.Validate(); says == "" && err != nil ||
			says != "" && (err == nil || !strings.HasPrefix(err.Error(), says)) {
			t.Errorf("%v, not %q", err, says)
		}
	}
}

// So are targets and encoded columns of a model.
func TestTarget_Validate(t *testing.T) {
	good := Target{Name: "y", Task: Regression, Kind: data.Numeric, Scale: 2}
	for says, change := range map[string]func(x *Target){
		"":                           func(*Target) {},
		"the target has no name":     func(x *Target) { x.Name = "" },
		`the target has the unknown`: func(x *Target) { x.Task = Auto },
		`the positive and the negative class of the target`: func(x *Target) {
			x.Task, x.Positive, x.Negative = Binary, "yes",
				"yes"
		},
		"the target's shift is 0 and its scale is 0":    func(x *Target) { x.Scale = 0 },
		"the target's shift is 0 and its scale is +Inf": func(x *Target) { x.Scale = math.Inf(1) },
		"the target's shift is NaN":                     func(x *Target) { x.Shift = math.NaN() },
		"the target's shift is -Inf":                    func(x *Target) { x.Shift = math.Inf(-1) },
	} {
		x := good
		change(&x)
		if err := x.Validate(); says == "" && err != nil ||
			says != "" && (err == nil || !strings.HasPrefix(err.Error(), says)) {
			t.Errorf("%v, not %q", err, says)
		}
	}
	for _, c := range []struct {
		shift, scale float64
		good         bool
	}{{0, 1, true}, {-5, 1e-300, true}, {math.NaN(), 1, false}, {math.Inf(1), 1, false}, {0, 0, false}, {0, -1, false},
		{0, math.Inf(1), false}, {0, math.NaN(), false}} {
		if err := (Coding{Name: "a", Shift: c.shift, Scale: c.scale}).Validate(); (err == nil) != c.good {
			t.Errorf("shift %v and scale %v: %v", c.shift, c.scale, err)
		}
	}
}
