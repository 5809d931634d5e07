package check

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"github.com/drotrain/drotrain/data"
	"github.com/drotrain/drotrain/data/encode"
)

// Numbers of a typed file have no signs: a column whose every number had one in training may have another unit.
func TestExamineScored_SignsOfTypedFiles(t *testing.T) {
	how := data.Reading{}
	how.Text.Strip = "%"
	typed := func(share []float64) *data.Frame {
		y, err := data.ColumnOf("y", []int64{0, 1, 1, 0})
		if err != nil {
			t.Fatal(err)
		}
		v, err := data.ColumnOf("share", share)
		if err != nil {
			t.Fatal(err)
		}
		path := filepath.Join(t.TempDir(), "t.parquet")
		if err := data.WriteTable(path, []data.Column{y, v}, false); err != nil {
			t.Fatal(err)
		}
		f, err := data.Read(t.Context(), path, how)
		if err != nil {
			t.Fatal(err)
		}
		return f
	}
	text, err := data.ReadBytes(t.Context(), "t.csv", []byte("y,share\n0,3.5%\n1,10%\n1,2%\n0,7%\n"), how)
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		name     string
		training *data.Frame
		want     int
	}{
		{"per cent, then numbers", text, 1},
		{"numbers, then numbers", typed([]float64{3.5, 10, 2, 7}), 0},
	} {
		fitted, err := encode.Fit(t.Context(), c.training, nil, nil,
			encode.Spec{Target: "y", Task: encode.Binary, Intercept: true}, encode.Sink{})
		if err != nil {
			t.Fatal(err)
		}
		found, err := ExamineScored(t.Context(), typed([]float64{0.035, 0.1, 0.02, 0.07}), fitted.Encoder,
			c.training.Reading(), false)
		if err != nil || len(found) != c.want {
			t.Errorf("%s: found %v, %v", c.name, found, err)
		}
	}
}

// The rows that a model scores are compared with those of its training, and only what training did not have is found.
func TestExamineScored_ComparesWithTraining(t *testing.T) {
	row := func(k int, age, sex, share string) string {
		return fmt.Sprintf("%d,%s,%s,%s,%s\n", k%2, age, sex, share, []string{"A", "B"}[k/2%2])
	}
	const header = "y,age,sex,share,site\n"
	text := header
	for k := range 200 {
		text += row(k, fmt.Sprint(18+k*7%70), []string{"female", "male"}[k/3%2], fmt.Sprintf("%d.5%%", k%90))
	}
	how := data.Reading{}
	how.Text.Strip = "%$"
	training, err := data.OpenReader(t.Context(), "training.csv", strings.NewReader(text), how)
	if err != nil {
		t.Fatal(err)
	}
	fitted, err := encode.Fit(t.Context(), training, nil, nil,
		encode.Spec{Target: "y", Task: encode.Binary, Groups: []string{"site"}, Intercept: true}, encode.Sink{})
	if err != nil {
		t.Fatal(err)
	}
	e := fitted.Encoder
	e.MakeProfile(fitted.Train, fitted.TrainReport, fitted.Storage)
	for _, c := range []struct {
		name   string
		change func(k int) string // a row, or "" for an ordinary one
		want   string             // kind and column of the findings
		says   string
	}{
		{"ordinary rows", func(int) string { return "" }, "", ""},
		{"a code for missing values", func(k int) string {
			if k%10 != 3 {
				return ""
			}
			return row(k, "999", "male", "3.5%")
		}, "sentinel age", "999 is a usual code for a missing value"},
		{"a code in one row", func(k int) string {
			if k != 3 {
				return ""
			}
			return row(k, "-99", "male", "3.5%")
		}, "sentinel age", "(rows: 1, first 4)"},
		{"an unusual age that is no code", func(k int) string {
			if k != 3 {
				return ""
			}
			return row(k, "101", "male", "3.5%")
		}, "", ""},
		{"another spelling", func(k int) string {
			if k%9 != 1 {
				return ""
			}
			return row(k, "40", "Female ", "3.5%")
		}, "spellings sex", `the model does not know the level "Female"`},
		{"a new level", func(k int) string { return row(k, "40", "other", "3.5%") }, "", ""},
		{"the header line again", func(k int) string {
			if k != 30 {
				return ""
			}
			return "1,30,sex,2.5%,site\n"
		}, "header-rows ", "first 31"},
		{"shares without their sign", func(k int) string { return row(k, "40", "male", "0.5") }, "marks share",
			`the sign "%", but here none has`},
		{"some shares without their sign", func(k int) string { return row(k, "40", "male", []string{"0.5", "5.5%"}[k%2]) },
			"marks share", "only some have"},
		{"a sign that training did not have", func(k int) string { return row(k, "40", "male", "$0.5%") }, "marks share",
			`the sign "$"`},
	} {
		t.Run(c.name, func(t *testing.T) {
			text := header
			for k := range 60 {
				line := c.change(k)
				if line == "" {
					line = row(k, fmt.Sprint(18+k*7%70), []string{"female", "male"}[k/3%2], fmt.Sprintf("%d.5%%", k%90))
				}
				text += line
			}
			f, err := data.OpenReader(t.Context(), "month.csv", strings.NewReader(text), e.Contract(training.Reading()))
			if err != nil {
				t.Fatal(err)
			}
			found, err := ExamineScored(t.Context(), f, e, training.Reading(), true)
			if err != nil {
				t.Fatal(err)
			}
			got, said := "", ""
			for _, f := range found {
				if !f.Scored {
					t.Errorf("%s is not said to be about the scored rows", f.String())
				}
				got, said = got+string(f.What)+" "+f.Column, said+f.String()
			}
			if got != c.want || !strings.Contains(said, c.says) {
				t.Errorf("found %q: %s; want %q with %q", got, said, c.want, c.says)
			}
		})
	}
}
