package design

// Block returns the rows [lo, hi) of m in double precision, row after row. For a Dense matrix they are its own
// entries, which must not be changed; otherwise they are copies, stored in buffer if it is long enough. It panics if
// the range is not one of rows of m.
func Block(m Matrix, buffer []float64, lo, hi int) []float64 {
	if dense, ok := m.(*Dense); ok {
		return dense.x[lo*dense.d : hi*dense.d]
	}
	_, d := m.Dims()
	if size := (hi - lo) * d; cap(buffer) < size {
		buffer = make([]float64, size)
	} else {
		buffer = buffer[:size]
	}
	for i := lo; i < hi; i++ {
		m.RowTo(buffer[(i-lo)*d:(i-lo+1)*d], i)
	}
	return buffer
}
