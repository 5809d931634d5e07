package main

import (
	"encoding/json"
	"math"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/drotrain/drotrain/cmd/drotrain/internal/exit"
)

// For tables in the form of well-known public ones (testdata/public, written by make.py), inspect suggests a
// configuration with which train gives a sensible model.
func TestPublicTables_TrainInTwoCommands(t *testing.T) {
	dir, err := filepath.Abs("testdata/public")
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		table, target string            // names with _ for spaces, but of the target
		options       string            // of inspect
		drop          string            // all that is left out
		says          map[string]string // what else is proposed, all of it
		signal        string            // columns that carry the target
		low, high     float64           // of AUC or R² on the hold-out rows
		leak          string            // of what is left out: with it they are predicted nearly without error
	}{
		{table: "adult.data", target: "column_9", options: "--no-header", signal: "column_1 column_4 column_5 column_6",
			low: .75, high: .95,
			says: map[string]string{"no-header": "true", "relabel": "<=50K.-><=50K,>50K.->>50K"}},
		{table: "recidivism.csv", target: "two_year_recid", signal: "age priors_count", low: .7, high: .9, leak: "is_recid",
			drop: "id name c_case_number is_recid r_case_number r_offense_date r_charge_desc in_custody priors_count.1",
			says: map[string]string{"impute": `"median"`, "dates": `"parts"`}},
		{table: "german.data", target: "column_7", options: "--no-header", signal: "column_1 column_2 column_3", low: .7,
			high: .95, says: map[string]string{"no-header": "true"}},
		// The length of a call is known when it is over; neither its name nor its values say so.
		{table: "bank.csv", target: "y", signal: "job balance contact pdays duration", low: .8, high: .99,
			says: map[string]string{"na": "pdays=-1", "impute": `"median"`}},
		{table: "titanic.csv", target: "Survived", drop: "PassengerId Name Ticket Cabin boat", signal: "Sex Pclass Age",
			low: .7, high: .92, leak: "boat",
			says: map[string]string{"impute": `"median"`}},
		{table: "houses.csv", target: "Price", drop: "Property_ID", signal: "Floor_area_(m²) Town Date_sold.year", low: .8,
			high: .97,
			says: map[string]string{"thousands": `","`, "strip": `"%£"`, "dates": `"parts"`}},
		{table: "readmission.csv", target: "readmitted", drop: "encounter_id patient_nbr",
			signal: "number_inpatient time_in_hospital diag_1", low: .7, high: .95,
			says: map[string]string{"na": "?", "impute": `"median"`}},
		{table: "trips.parquet", target: "total_amount", drop: "fare_amount tip_amount",
			signal: "trip_distance took payment_type", low: .7, high: .98, leak: "fare_amount tip_amount",
			says: map[string]string{"dates": `"parts"`}},
		{table: "wine.csv", target: "quality", signal: "volatile_acidity alcohol sulphates", low: .4, high: .9,
			says: map[string]string{"decimal": `","`, "loss": `"squared"`}},
		{table: "churn.parquet", target: "churn", drop: "customer_id tags status", signal: "plan support_calls region age",
			low: .65, high: .92, leak: "status",
			says: map[string]string{"impute": `"median"`}},
	} {
		t.Run(c.table, func(t *testing.T) {
			t.Chdir(t.TempDir())
			args := append([]string{"inspect", filepath.Join(dir, c.table), "--target", c.target, "--out", "c.yaml"},
				strings.Fields(c.options)...)
			if code, _, stderr := try(t.Context(), args...); code != exit.OK {
				t.Fatalf("inspect: exit code %d\n%s", code, stderr)
			}
			proposed := contents(t, "c.yaml")
			says, lists := settings(string(proposed))
			var drop []string
			for _, name := range lists["drop"] {
				drop = append(drop, strings.ReplaceAll(name, " ", "_"))
			}
			slices.Sort(drop)
			want := strings.Fields(c.drop)
			slices.Sort(want)
			if !slices.Equal(drop, want) {
				t.Errorf("left out\n%q, want\n%q", drop, want)
			}
			delete(lists, "drop")
			for name, values := range lists {
				says[name] = strings.Join(values, ",")
			}
			delete(says, "data")
			delete(says, "target")
			if !sameSettings(says, c.says) {
				t.Errorf("proposed %q, want %q", says, c.says)
			}
			value, columns := trained(t, "c.yaml", true)
			if !(value > c.low && value < c.high) {
				t.Errorf("the rows held out have an AUC or R² of %.3f, want between %g and %g", value, c.low, c.high)
			}
			for _, name := range strings.Fields(c.signal) {
				if !slices.ContainsFunc(columns, func(s string) bool {
					s = strings.ReplaceAll(s, " ", "_")
					return s == name || strings.HasPrefix(s, name+"=")
				}) {
					t.Errorf("%s is not in the model: %q", name, columns)
				}
			}
			if c.leak == "" {
				return
			}
			given := string(proposed)
			for _, name := range strings.Fields(c.leak) {
				given = regexp.MustCompile(`(?m)^  - "`+name+`".*\n`).ReplaceAllString(given, "")
			}
			put(t, "leak.yaml", strings.Replace(given, "drop:\ndates", "dates", 1))
			if value, _ := trained(t, "leak.yaml", false); value < .99 {
				t.Errorf("with %s the rows held out have an AUC or R² of %.3f: it gives nothing away", c.leak, value)
			}
		})
	}
}

// settings returns the options in a configuration file that inspect wrote.
func settings(yaml string) (says map[string]string, lists map[string][]string) {
	says, lists = map[string]string{}, map[string][]string{}
	last := ""
	for line := range strings.Lines(yaml) {
		line = strings.TrimRight(line, "\n")
		if item, ok := strings.CutPrefix(line, "  - "); ok {
			item, _, _ = strings.Cut(item, " # ")
			lists[last] = append(lists[last], strings.Trim(item, `"`))
		} else if name, value, ok := strings.Cut(line, ":"); ok && !strings.HasPrefix(line, "#") {
			if last = name; value != "" {
				says[name] = strings.TrimSpace(value)
			}
		}
	}
	return says, lists
}

func sameSettings(a, b map[string]string) bool {
	for name, value := range a {
		if b[name] != value {
			return false
		}
	}
	return len(a) == len(b)
}

// trained returns the AUC or R² of ERM on the hold-out rows for a configuration, and the columns of the model. A
// sensible model is better than a constant.
func trained(t *testing.T, config string, sensible bool) (value float64, columns []string) {
	t.Helper()
	code, _, stderr := try(t.Context(), "train", "--config", config, "--average", "plain", "--report", "fast", "--quiet",
		"--force", "--out", "m")
	if code != exit.OK {
		t.Fatalf("train: exit code %d\n%s", code, stderr)
	}
	var metrics struct {
		Task   string
		Models []struct {
			Overall struct{ Values map[string]float64 }
		}
	}
	var model struct{ Coefficients []struct{ Name string } }
	_, described, _ := try(t.Context(), "inspect", "m", "--json")
	measured, err := os.ReadFile("m/metrics.json")
	if err == nil {
		err = json.Unmarshal(measured, &metrics)
	}
	if err == nil {
		err = json.Unmarshal([]byte(described), &model)
	}
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range model.Coefficients {
		columns = append(columns, c.Name)
	}
	v := metrics.Models[len(metrics.Models)-1].Overall.Values
	if metrics.Task != "binary" {
		return v["r2"], columns
	}
	p := v["prevalence"]
	if constant := -p*math.Log(p) - (1-p)*math.Log(1-p); sensible && !(v["log_loss"] < .95*constant) {
		t.Errorf("a log loss of %.3f where a constant has %.3f", v["log_loss"], constant)
	}
	return v["auc"], columns
}
