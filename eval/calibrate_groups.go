package eval

import "github.com/drotrain/drotrain/eval/internal/measure"

// Reliability curves by group: the groups that have one, and the fewest rows of
// a bin.
const (
	MaxCurves   = 9
	rowsPerBin  = 15
	fewestParts = 2
)

// calibrateGroups gives the worst groups of the headline grouping that have
// rows enough a reliability curve for each model.
func (e *Evaluation) calibrateGroups(in *Input, strata *measure.Strata) {
	g := e.Headline()
	if g == nil || in.Task != Binary {
		return
	}
	at := make(map[string]*measure.Stratum)
	for s := range g.Groups {
		at[g.Groups[s].Label] = &strata.Groups[len(in.Groups)-1][s]
	}
	drawn := 0
	for _, h := range g.WorstFirst() {
		parts := min(measure.Bins, h.N/rowsPerBin)
		if !h.Sufficient || parts < fewestParts || drawn == MaxCurves {
			continue
		}
		drawn++
		for k, m := range in.Models {
			h.Models[k].Calibration = measure.Calibrate(in.rows, m.Score, at[h.Label].Order[k], parts)
		}
	}
}
