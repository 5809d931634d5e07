package eval_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"github.com/drotrain/drotrain/eval"
	"github.com/drotrain/drotrain/eval/internal/evaltest"
	"github.com/drotrain/drotrain/internal/goldentest"
)

// adversaries are those of the losses of the last model, by rows and by groups.
func adversaries(in eval.Input) map[string]any {
	last := in.Models[len(in.Models)-1]
	out := make(map[string]any)
	n := len(last.Loss)
	for penalty, prices := range map[string][]float64{"kl": {0.05, 0.5}, "chi2": {0.5, 20}} {
		for _, nu := range prices {
			a := eval.AdversaryInput{Model: last.Name, Rows: in.Split, Loss: last.Loss, Groups: in.Groups, Columns: in.Columns, RowWeight: in.Weight, Top: 3}
			if nu == 0.5 {
				a.ShowRows, a.Top, a.Rows = true, 0, ""
				for i := range n {
					a.Order, a.RowID = append(a.Order, int32((i+n/2)%n)), append(a.RowID, 1000+i)
				}
			}
			if nu == 20 {
				a.Top, a.OverGroups = -1, true
			}
			name := fmt.Sprintf("%s %g", penalty, nu)
			got, worst, err := eval.Holders(a, penalty, nu)
			if err != nil {
				out[name] = err.Error()
				continue
			}
			out[name] = []any{got, worst}
		}
	}
	return out
}

// Everything that is measured of small tables, and of who holds the worst case, is what it
// was: in few lines each, which say where another number or text stands, and the words in full.
func TestEvaluationsAreRecorded(t *testing.T) {
	var out strings.Builder
	for _, table := range evaltest.Tables(t) {
		e, err := eval.Evaluate(t.Context(), table.Input)
		if err != nil {
			t.Fatalf("%s: %v", table.Name, err)
		}
		var written bytes.Buffer
		if err := e.WriteJSON(&written); err != nil {
			t.Fatal(err)
		}
		fmt.Fprintf(&out, "# %s\n%s\n", table.Name, spokenOf(e))
		out.WriteString(goldentest.Condensed(t, written.Bytes()))
		held, err := json.Marshal(adversaries(table.Input))
		if err != nil {
			t.Fatal(err)
		}
		out.WriteString(goldentest.Condensed(t, held))
	}
	goldentest.Text(t, filepath.Join("testdata", "recorded.txt"), out.String())
}
