package main

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/drotrain/drotrain/cmd/drotrain/internal/exit"
	"github.com/drotrain/drotrain/data/encode"
	"github.com/drotrain/drotrain/train"
)

// inspect reports all kinds of findings in a table of loans, and proposes to leave out only columns against which
// there is evidence, never a column because of its name.
func TestInspect_WhatStandsOut(t *testing.T) {
	t.Chdir(t.TempDir())
	var b strings.Builder
	b.WriteString("loan_id,sex,region,status,opened,weight,discharge,lesion,insurance,amount,deny\n")
	row := func(i int) string {
		deny := []string{"no", "yes"}[i*7919%10/8]
		opened := fmt.Sprintf("2021-%02d-%02d", 1+i%12, 1+i%28)
		if i%5 == 0 {
			opened = fmt.Sprintf("%02d.%02d.2021", 1+i%28, 1+i%12)
		}
		insurance := "no"
		if deny == "yes" && i%4 == 0 {
			insurance = "refused"
		}
		return fmt.Sprintf("%c,%s,%s,%s,%.2f,%d,%c,%s,%d,%s\n", 'f'+rune(i%2), []string{"north", "south", ""}[i*i%11%3],
			[]string{"Permanent", "permanent", "none"}[i%3], opened,
			0.5+float64(i*i%97)/50, i*i%7, 'a'+rune(i*i%5%2), insurance, i*i*31%9973, deny)
	}
	for i := range 500 {
		fmt.Fprintf(&b, "%d,%s", 1000+i, row(i))
	}
	for i := range 3 {
		fmt.Fprintf(&b, "%d,%s", 1000+i, row(i))
	}
	put(t, "loans.csv", b.String())
	code, out, stderr := try(t.Context(), "inspect", "loans.csv", "--target", "deny")
	if code != exit.OK {
		t.Fatalf("%d: %s", code, stderr)
	}
	out = strings.Join(strings.Fields(out), " ")
	for _, want := range []string{
		"loan_id: left out; rows that share a value are held out together; the name of the column and its 500 different " +
			"numbers in 503 rows " +
			"suggest that it is an identifier",
		"region: kept; in a group column, these rows would form the group (missing)", "; some values are missing (",
		`; "Permanent" and "permanent" look like spellings of one label`, "(--relabel 'permanent->Permanent')",
		"opened: left out; write all dates as 2024-03-31", `the column is read as text, but holds dates in different formats`,
		"weight: kept as a feature; if the column is the number of cases", "; the name of the column suggests that it is a " +
			"row weight",
		"(--weight weight)",
		`; possible leakage: all 25 rows in which the column does not hold "no" have the outcome "yes", against`,
		"columns that may define groups, judging by their names: --groups sex,region optimises for the worst group",
		`--drop loan_id,opened \ --holdout units:loan_id`,
	} {
		if !strings.Contains(out, want) {
			t.Errorf("no %q in\n%s", want, out)
		}
	}
	if strings.Contains(out, "lesion: ") || strings.Contains(out, "discharge: ") {
		t.Errorf("a name alone stands out:\n%s", out)
	}
}

// inspect reports that train does not use a group column that reveals the target as a feature.
func TestInspect_GroupOfTheTargetIsNoFeature(t *testing.T) {
	t.Chdir(t.TempDir())
	var b strings.Builder
	b.WriteString("x,seg,site,y\n")
	for i := range 400 {
		y := i * i % 7 % 2
		fmt.Fprintf(&b, "%d,%c%d,%d,%d\n", i*i%97, 'a'+rune(y), i%2, i%3, y)
	}
	put(t, "t.csv", b.String())
	out, _ := mustRun(t, "inspect t.csv --target y --groups seg,site --json")
	var got struct{ Groups []groupInfo }
	if err := json.Unmarshal([]byte(out), &got); err != nil {
		t.Fatal(err)
	}
	mustRun(t, "train --data t.csv --target y --groups seg,site --nu 1 --out m --allow-degenerate --quiet")
	m, err := train.Load("m/model.json")
	if err != nil {
		t.Fatal(err)
	}
	for _, g := range got.Groups {
		isInput := slices.ContainsFunc(m.Encoder.Inputs, func(in encode.Input) bool { return in.Name == g.Column })
		if g.Feature != isInput || g.Feature != (g.Column == "site") {
			t.Errorf("%+v, a feature of the model: %v", g, isInput)
		}
	}
	if len(got.Groups) != 2 {
		t.Errorf("%d groups", len(got.Groups))
	}
}
