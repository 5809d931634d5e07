package main

import (
	"bytes"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/drotrain/drotrain/cmd/drotrain/internal/exit"
)

// On a terminal, every command that reads a table shows the progress of reading and of its further phases.
func TestProgress_EveryCommand(t *testing.T) {
	t.Chdir(t.TempDir())
	var table strings.Builder
	table.WriteString("a,site,sold\n")
	for i := range 400 {
		fmt.Fprintf(&table, "%v,%s,%s\n", float64(i*i%97)/7, []string{"east", "west"}[i%2],
			[]string{"no", "yes"}[(i*i%97+i%30)/64])
	}
	put(t, "t.csv", table.String())
	for _, of := range []struct{ args, then string }{
		{"train --data t.csv --target sold --groups site --nu 1 --resamples 100 --out m", "measuring"},
		{"tune --data t.csv --target sold --groups site --folds 2 --out s", "choosing"},
		{"predict --model m --data t.csv --keep sold,site --out p.csv", "predicting"},
		{"eval --predictions p.csv --target sold --score probability --groups site --resamples 100", "measuring"},
		{"eval --model m --data t.csv --resamples 100", "measuring"},
		{"eval --model m --data t.csv --resamples 100 --out r.html", "measuring"},
		{"inspect t.csv --target sold", "reading"},
	} {
		var out, errs bytes.Buffer
		a := &app{stdout: &out, stderr: &errs, terminal: true, now: time.Now}
		if code := a.run(t.Context(), strings.Fields(of.args)); code != exit.OK {
			t.Fatalf("drotrain %s: exit code %d: %s", of.args, code, errs.String())
		}
		read, then := strings.Index(errs.String(), "reading:"), strings.Index(errs.String(), of.then+":")
		if read < 0 || then < read {
			t.Errorf("drotrain %s: no reading before %s in %q", of.args, of.then, errs.String())
		}
	}
}
