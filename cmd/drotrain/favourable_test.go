package main

import (
	"encoding/json"
	"testing"

	"github.com/drotrain/drotrain/eval"
)

// An evaluation uses the favourable outcome and the reference group of the training run unless others are given.
func TestFavourable_IsThatOfTheTraining(t *testing.T) {
	t.Chdir(t.TempDir())
	train := []string{"train", "--data", "builtin:loans", "--target", "deny", "--groups", "sex", "--adversary", "groups",
		"--nu", "0.1", "--resamples", "0", "--quiet",
		"--favourable", "yes", "--reference-group", "male", "--out", "m"}
	if code, _, stderr := try(t.Context(), train...); code != 0 {
		t.Fatal(code, stderr)
	}
	for _, c := range []struct {
		options []string
		want    string
	}{{nil, "yes"}, {[]string{"--favourable", "no"}, "no"}} {
		args := append([]string{"eval", "--model", "m", "--data", "builtin:loans-next", "--filter", "deny is not null",
			"--resamples", "0", "--json"}, c.options...)
		code, stdout, stderr := try(t.Context(), args...)
		if code != 0 {
			t.Fatal(code, stderr)
		}
		var e eval.Evaluation
		if err := json.Unmarshal([]byte(stdout), &e); err != nil {
			t.Fatal(err)
		}
		if e.Favourable == nil || e.Favourable.Value != c.want || e.Favourable.Guessed || e.ReferenceGroup != "male" {
			t.Errorf("%v: %+v, reference %q", c.options, e.Favourable, e.ReferenceGroup)
		}
	}
}
