package eval

// Reliability curves by group: the groups that have one, and the fewest rows of
// a bin.
const (
	maxCurves   = 9
	rowsPerBin  = 15
	fewestParts = 2
)

// calibrateGroups gives the worst groups of the headline grouping that have
// rows enough a reliability curve for each model.
func (e *Evaluation) calibrateGroups(in *Input, strata *strata) {
	g := e.headline()
	if g == nil || in.Task != Binary {
		return
	}
	at := make(map[string]*stratum)
	for s := range g.Groups {
		at[g.Groups[s].Label] = &strata.groups[len(in.Groups)-1][s]
	}
	drawn := 0
	for _, h := range g.worstFirst() {
		parts := min(bins, h.N/rowsPerBin)
		if !h.Sufficient || parts < fewestParts || drawn == maxCurves {
			continue
		}
		drawn++
		for k, m := range in.Models {
			h.Models[k].Calibration = calibrate(in.rows, m.Score, at[h.Label].order[k], parts)
		}
	}
}
