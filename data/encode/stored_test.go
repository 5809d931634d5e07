package encode

import (
	"encoding/json"
	"math"
	"reflect"
	"strings"
	"testing"

	"github.com/drotrain/drotrain/data/internal/datatest"
	"github.com/drotrain/drotrain/design"
)

// denseEncoder returns an encoder of dense vectors with a null, a constant entry and a number beside them.
func denseEncoder(t *testing.T) *Encoder {
	t.Helper()
	var x []float32
	var y, z []int64
	for i := range 40 {
		x = append(x, float32(i*i%7), 1, float32(i%5)/3, float32(i%3)-40)
		y, z = append(y, int64(i%2)), append(z, int64(i*3%11))
	}
	x[4*7+2] = float32(math.NaN())
	f := openFrame(t, datatest.WriteArray(t, "z.npy", "<i8", "(40,)", z)+","+datatest.WriteArray(t, "X.npy", "<f4",
		"(40, 4)", x)+","+datatest.WriteArray(t, "y.npy", "<i8", "(40,)", y))
	defer f.Close()
	fitted := fitRows(t, f, nil, nil, Spec{Target: "y", Impute: "mean", Intercept: true},
		Sink{Storage: design.AutoStorage})
	fitted.Encoder.MakeProfile(fitted.Train, fitted.TrainReport, fitted.Storage)
	return fitted.Encoder
}

// A file has one input for dense vectors, from which the same encoder is read; files of earlier versions have an input
// for each entry, and give the same encoder too.
func TestEncoder_StoresVectorsAsOneInput(t *testing.T) {
	e := denseEncoder(t)
	now, err := json.Marshal(e)
	if err != nil {
		t.Fatal(err)
	}
	earlier, err := json.Marshal((*plainEncoder)(e))
	if err != nil {
		t.Fatal(err)
	}
	var file struct {
		Inputs []struct {
			Name, Kind            string
			Index                 []int
			Shifts, Scales, Fills []float64
		}
		Columns []Coding
		Profile struct{ Inputs []map[string]any }
	}
	if err := json.Unmarshal(now, &file); err != nil {
		t.Fatal(err)
	}
	x := file.Inputs[1]
	if len(file.Inputs) != 2 || x.Name != "x" || x.Kind != "vector" || !reflect.DeepEqual(x.Index, []int{0, 2, 3}) ||
		len(x.Shifts) != 3 || len(x.Scales) != 3 || len(x.Fills) != 3 {
		t.Errorf("the inputs are %+v", file.Inputs)
	}
	if len(file.Columns) != 2 || len(file.Profile.Inputs) != 2 {
		t.Errorf("%d encoded columns and %d profiles are stored, not 2", len(file.Columns), len(file.Profile.Inputs))
	}
	for name, stored := range map[string][]byte{"now": now, "earlier": earlier} {
		var read Encoder
		if err := json.Unmarshal(stored, &read); err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		if err := read.Validate(); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		if again, _ := json.Marshal((*plainEncoder)(&read)); string(again) != string(earlier) {
			t.Errorf("%s: read back as %s, not %s", name, again, earlier)
		}
	}
}

// Arrays of vectors that do not fit each other are an error of the file.
func TestEncoder_DamagedVectors(t *testing.T) {
	e := denseEncoder(t)
	for want, change := range map[string]func(in map[string]any){
		"3 indices, 2 shifts":  func(in map[string]any) { in["shifts"] = in["shifts"].([]any)[:2] },
		"indices must ascend":  func(in map[string]any) { in["index"] = []int{0, 3, 2} },
		"the encoded column 7": func(in map[string]any) { in["first"] = 7 },
		"no indices":           func(in map[string]any) { in["index"] = []int{} },
	} {
		b, err := json.Marshal(e)
		if err != nil {
			t.Fatal(err)
		}
		var file map[string]any
		if err := json.Unmarshal(b, &file); err != nil {
			t.Fatal(err)
		}
		change(file["inputs"].([]any)[1].(map[string]any))
		b, _ = json.Marshal(file)
		var read Encoder
		if err := json.Unmarshal(b, &read); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", want, err)
		}
	}
}
