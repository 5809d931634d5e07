package eval

// DrawRows resamples rows, however many there are.
func DrawRows(in *Input) { in.byRows = true }
