package eval

import (
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"reflect"
	"strings"
	"testing"

	"github.com/drotrain/drotrain/data/facts"
	"github.com/drotrain/drotrain/eval/internal/interval"
)

var allTasks = []Task{Binary, Multiclass, Regression}

// checkRow returns what is wrong with a row of the table of measures by itself.
func checkRow(m *Measure) error {
	smooth, how := m.derive != nil, &m.interval
	switch {
	case m.Key == "" || m.Label == "" || m.About == "":
		return fmt.Errorf("no key, label or definition")
	case m.Better != Less && m.Better != More && m.Better != Neither:
		return fmt.Errorf("direction %q", m.Better)
	case !(m.Low < m.High):
		return fmt.Errorf("bounds %v and %v", m.Low, m.High)
	case m.Unit == "share" && (m.High != 1 || m.Low != 0 && m.Low != -1):
		return fmt.Errorf("a share between %v and %v", m.Low, m.High)
	case m.value == nil:
		return fmt.Errorf("no value")
	case !smooth && how.ranks == nil && how.resampled == nil && !how.none:
		return fmt.Errorf("no interval: neither a derivative nor a strategy")
	case smooth && (how.ranks != nil || how.resampled != nil || how.none):
		return fmt.Errorf("two strategies for one interval")
	case how.exactOnly && how.exact == nil:
		return fmt.Errorf("only an exact interval, and none")
	case m.Criterion != "" && !(m.Unit == "share" && m.IsRate && m.isProportion):
		return fmt.Errorf("a criterion on what is no rate")
	case m.ifNegative && m.Criterion == "":
		return fmt.Errorf("a condition without a criterion")
	case m.SignedError != "" && !(m.Better == Neither && m.Low == -m.High):
		return fmt.Errorf("a signed error with a better direction or bounds on one side")
	case m.Tile != "" && how.none:
		return fmt.Errorf("a lead number without an interval")
	}
	return nil
}

// Every measure has every field, and the documentation of the JSON names it.
func TestMeasures_EveryFieldIsSet(t *testing.T) {
	schema, err := os.ReadFile("schema.md")
	if err != nil {
		t.Fatal(err)
	}
	for _, task := range allTasks {
		if list := task.Measures(); list[0].Key != riskMeasure.Key || list[1].Key != task.Leading().Key {
			t.Errorf("%s: the measures begin with %s and %s", task, list[0].Key, list[1].Key)
		}
		seen, signed := make(map[string]bool), 0
		for _, m := range task.Measures() {
			if err := checkRow(&m); err != nil || seen[m.Key] {
				t.Errorf("%s, %s: %v", task, m.Key, err)
			}
			seen[m.Key] = true
			if m.SignedError != "" {
				signed++
			}
			if !strings.Contains(string(schema), "`"+m.Key+"`") {
				t.Errorf("schema.md does not name %s", m.Key)
			}
		}
		if want := map[Task]int{Binary: 1, Regression: 1}[task]; signed != want {
			t.Errorf("%s: %d signed errors, not %d", task, signed, want)
		}
	}
}

// A constant prediction has the value that the row states for it, in all measures in which that is known.
func TestMeasures_ConstantPrediction(t *testing.T) {
	for _, task := range allTasks {
		input := tableSample(rand.New(rand.NewPCG(3, 4)), task, 400, 0.6, 0.3)
		r := rand.New(rand.NewPCG(5, 6))
		input.Weight = make([]float64, 400)
		for i := range input.Weight {
			input.Weight[i] = r.Float64()
		}
		in := input.newMeasuredRows()
		prediction := newConstantPrediction(in, "nats")
		input.Models = []Model{constantModel(in)}
		constant := input.newMeasuredRows()
		g := facts.Grouping{Name: "g", Labels: []string{"a", "b"}, Index: make([]int32, 400)}
		for i := range 150 {
			g.Index[i] = 1
		}
		s, err := newStrata(t.Context(), constant, []facts.Grouping{g})
		if err != nil {
			t.Fatal(err)
		}
		for name, of := range map[string]*interval.Stratum{"all rows": s.All, "a group": &s.Groups[0][1]} {
			got := measureStratum(constant, 0, of)
			known := prediction.measure(of.Rows)
			for key, x := range known {
				if want := float64(got.Of[key]); !(math.Abs(float64(x)-want) <= 1e-12*max(1, math.Abs(want))) {
					t.Errorf("%s, %s, %s: %v, and by row %v", task, name, key, x, want)
				}
			}
			if least := map[Task]int{Binary: 6, Multiclass: 3, Regression: 3}[task]; len(known) < least {
				t.Errorf("%s, %s: only %d constants are known", task, name, len(known))
			}
		}
	}
}

// constantModel returns the best constant prediction of the rows.
func constantModel(in *measuredRows) Model {
	n := len(in.Target)
	m := Model{Name: "constant", Loss: make([]float64, n), Score: make([]float64, n)}
	sum, count := 0.0, make([]float64, 12)
	for i, y := range in.Target {
		if in.Task == Multiclass {
			count[int(y)] += in.Weight[i]
		}
		sum += in.Weight[i] * y
	}
	best := 0
	for c := range count {
		if count[c] > count[best] {
			best = c
		}
	}
	for i, y := range in.Target {
		switch in.Task {
		case Binary:
			m.Score[i] = (sum/float64(n) + 1) / 2
			m.Loss[i] = -math.Log(m.Score[i])
			if y < 0 {
				m.Loss[i] = -math.Log(1 - m.Score[i])
			}
		case Multiclass:
			m.Class, m.Place = append(m.Class, int32(best)), append(m.Place, 1)
			m.Score[i] = count[int(y)] / float64(n)
			m.Loss[i] = -math.Log(m.Score[i])
		default:
			m.Score[i] = sum / float64(n)
		}
	}
	return m
}

// A row in which any field is forgotten is found.
func TestMeasures_AForgottenFieldIsFound(t *testing.T) {
	for _, task := range allTasks {
		for _, row := range task.Measures() {
			for _, field := range reflect.VisibleFields(reflect.TypeFor[Measure]()) {
				without := row
				switch field.Name {
				case "value":
					without.value = nil
				case "interval", "derive":
					without.interval, without.derive = intervalStrategy{}, nil
				case "Low", "High":
					without.Low, without.High = 0, 0
				// optional; checkRow and the tests above check them where they are set
				case "rows", "isProportion", "Unit", "Criterion", "ifNegative", "IsRate", "SignedError", "Tile", "hasBaseline":
					continue
				default:
					reflect.ValueOf(&without).Elem().FieldByName(field.Name).SetZero()
				}
				if checkRow(&without) == nil {
					t.Errorf("%s without %s is accepted", row.Key, field.Name)
				}
			}
		}
	}
}

// tableSample returns n rows of a task that a model predicts with a skill between 0 and 1, or always wrongly for −1.
func tableSample(r *rand.Rand, task Task, n int, skill, positives float64) *Input {
	in := &Input{Task: task, Target: make([]float64, n)}
	m := Model{Name: "m", Loss: make([]float64, n), Score: make([]float64, n)}
	for i := range n {
		switch task {
		case Binary:
			in.Target[i] = -1
			if r.Float64() < positives {
				in.Target[i] = 1
			}
			m.Score[i] = skill*max(0, in.Target[i]) + (1-skill)*r.Float64()
			if skill < 0 {
				m.Score[i] = 1 - max(0, in.Target[i])
			}
		case Multiclass:
			const classes = 12
			in.Target[i] = float64(r.IntN(classes))
			right := r.Float64() < skill
			m.Class, m.Place = append(m.Class, int32(in.Target[i])), append(m.Place, 1)
			if m.Score[i] = 1; !right {
				m.Class[i], m.Place[i] = int32(int(in.Target[i]+1)%classes), int32(2+r.IntN(classes-1))
				m.Score[i] = 0.05
			}
			if skill < 0 {
				m.Place[i], m.Score[i] = classes, 0
			}
		default:
			in.Target[i] = 5 + r.NormFloat64() // above 0
			m.Score[i] = in.Target[i] + (1-skill)*(0.5+r.NormFloat64())
			if skill < 0 {
				m.Score[i] = in.Target[i] + 1e6
			}
		}
		m.Loss[i] = math.Abs(m.Score[i] - in.Target[i])
	}
	if task == Multiclass {
		for c := range 12 {
			in.Classes = append(in.Classes, fmt.Sprint(c))
		}
		for i := range n {
			m.Loss[i] = 1 - m.Score[i]
		}
	}
	in.Models = []Model{m}
	return in
}

// measured returns the measures of all rows.
func measured(t *testing.T, input *Input) Values {
	t.Helper()
	in := input.newMeasuredRows()
	s, err := newStrata(t.Context(), in, nil)
	if err != nil {
		t.Fatal(err)
	}
	return measureStratum(in, 0, s.All)
}

// A better model has a better value of every measure with a direction.
func TestMeasures_Direction(t *testing.T) {
	for _, task := range allTasks {
		r := rand.New(rand.NewPCG(31, 7))
		good, poor := measured(t, tableSample(r, task, 4000, 0.9, 0.4)), measured(t, tableSample(r, task, 4000, 0.2, 0.4))
		for _, m := range task.Measures() {
			a, okA := good.Get(m.Key)
			b, okB := poor.Get(m.Key)
			if !okA || !okB {
				t.Fatalf("%s is undefined", m.Key)
			}
			if m.Better == More && !(a > b) || m.Better == Less && !(a < b) {
				t.Errorf("%s, %s: a good model has %v, a poor one %v, and the better direction is %q", task, m.Key, a, b, m.Better)
			}
		}
	}
}

// Every value lies within the bounds, and extreme models reach each finite bound and pass 10 where there is none.
func TestMeasures_BoundsAreReached(t *testing.T) {
	for _, task := range allTasks {
		r := rand.New(rand.NewPCG(32, 7))
		var samples []Values
		for _, skill := range []float64{1, -1, 0, 0.3, 0.7} {
			for _, positives := range []float64{0.01, 0.5} {
				samples = append(samples, measured(t, tableSample(r, task, 900, skill, positives)))
			}
		}
		for _, score := range []float64{0, 1} { // constant scores of one class
			for _, target := range []float64{-1, 1} {
				in := tableSample(r, task, 50, 0.5, 0.5)
				for i := range in.Target {
					switch task {
					case Binary:
						in.Target[i], in.Models[0].Score[i] = target, score
					case Regression:
						in.Models[0].Score[i] = in.Target[i] + 1e6*target
					}
					in.Models[0].Loss[i] = 1e6 * target
				}
				samples = append(samples, measured(t, in))
			}
		}
		for _, m := range task.Measures() {
			low, high := math.Inf(1), math.Inf(-1)
			for _, v := range samples {
				if x, ok := v.Get(m.Key); ok {
					low, high = min(low, x), max(high, x)
				}
			}
			if low < m.Low || high > m.High {
				t.Errorf("%s, %s: values from %v to %v, beyond the bounds %v and %v", task, m.Key, low, high, m.Low, m.High)
			}
			if reached := low <= m.Low+0.05 || math.IsInf(m.Low, -1) && low < -10; !reached {
				t.Errorf("%s, %s: no value below %v, and the lower bound is %v", task, m.Key, low, m.Low)
			}
			if reached := high >= m.High-0.05 || math.IsInf(m.High, 1) && high > 10; !reached {
				t.Errorf("%s, %s: no value above %v, and the upper bound is %v", task, m.Key, high, m.High)
			}
		}
	}
}

// The derivative of a measure by the weight of a row is what differences of its values are.
func TestMeasures_DerivativeIsThatOfTheValue(t *testing.T) {
	const h = 1e-6
	for _, task := range allTasks {
		r := rand.New(rand.NewPCG(33, 7))
		in := tableSample(r, task, 60, 0.4, 0.4)
		in.Weight = make([]float64, len(in.Target))
		for i := range in.Weight {
			in.Weight[i] = 0.5 + r.Float64()
		}
		c := newInfluenceColumns(in.newMeasuredRows(), []float64{0.5}, 0)
		row, sums := make([]float64, c.Width()), make([]float64, c.Width())
		for i := range in.Target {
			clear(row)
			c.Fill(row, int32(i))
			for j, x := range row {
				sums[j] += x
			}
		}
		for q := range task.Measures() {
			m := &task.Measures()[q]
			if m.derive == nil {
				continue
			}
			influence, influences := c.Influence(m.quantityOf(0, -1), sums), make([]float64, 1)
			for i := range in.Target {
				clear(row)
				c.Fill(row, int32(i))
				influence.StoreIn(influences, row, 1)
				got := influences[0]
				w := in.Weight[i]
				in.Weight[i] = w * (1 + h)
				up, _ := measured(t, in).Get(m.Key)
				in.Weight[i] = w * (1 - h)
				down, _ := measured(t, in).Get(m.Key)
				in.Weight[i] = w
				if want := (up - down) / (2 * h); !(math.Abs(got-want) <= 1e-7*(1+math.Abs(want))) {
					t.Errorf("%s, %s: row %d has the influence %v, by differences %v", task, m.Key, i, got, want)
					break
				}
			}
		}
	}
}

// A proportion times its number of rows is a whole number of rows.
func TestMeasures_ProportionsCountRows(t *testing.T) {
	for _, task := range allTasks {
		r := rand.New(rand.NewPCG(34, 7))
		for range 20 {
			n := 20 + r.IntN(50)
			v := measured(t, tableSample(r, task, n, 0.2, 0.4))
			for _, m := range task.Measures() {
				of := m.rowsOf(&v, float64(n))
				if of < 0 || of > float64(n) {
					t.Errorf("%s depends on %v of %d rows", m.Key, of, n)
				}
				x, ok := v.Get(m.Key)
				if hits := x * of; ok && m.isProportion && math.Abs(hits-math.Round(hits)) > 1e-9 {
					t.Errorf("%s of %d rows is %v: %v of %v rows", m.Key, n, x, hits, of)
				}
			}
		}
	}
}
