package page

import (
	"bytes"
	"strings"
	"testing"

	"github.com/drotrain/drotrain/eval"
	"github.com/drotrain/drotrain/eval/internal/evaltest"
)

func TestPage_ShowsGroupCoefficientsExactlyWherePooled(t *testing.T) {
	r := evaltest.Sample(t, eval.Regression)
	for _, pooled := range []bool{false, true} {
		if pooled {
			r.GroupCoefficients = &eval.GroupCoefficients{About: "Groups have their own.", Model: "robust", Unit: "y per unit",
				Scaled: "y per standard deviation",
				Panels: []eval.GroupCoefficient{
					{Feature: "age", By: "town", Scale: 2, Shared: 1, Labels: []string{"A", "B"}, Group: []eval.Num{1.25, 0.75}},
					{Feature: "age", By: "sex", Scale: 2, Shared: 1, Labels: []string{"f", "m"}, Group: []eval.Num{1.5, -3}},
				}}
		}
		var html, markdown bytes.Buffer
		if err := WriteHTML(&html, r); err != nil {
			t.Fatal(err)
		}
		if err := WriteMarkdown(&markdown, r); err != nil {
			t.Fatal(err)
		}
		wellFormed(t, html.String())
		for _, s := range []string{`<section id="group-coefficients">`, "Coefficients by sex", "age by town", "−6.000",
			"are under Coefficients by group"} {
			if strings.Contains(html.String(), s) != pooled {
				t.Errorf("page with group coefficients %t: %q wrong", pooled, s)
			}
		}
		for _, s := range []string{"## The coefficient of age differs most between the groups of sex",
			"| age | 2.000 (1.00) | 2.500 (1.25) | 1.500 (0.750) |"} {
			if strings.Contains(markdown.String(), s) != pooled {
				t.Errorf("Markdown with group coefficients %t: %q wrong", pooled, s)
			}
		}
	}
}
