package design

// Block returns the rows [lo, hi) of m in double precision, row after row. For a Dense matrix the result is a slice
// of its entries, which must not be changed; otherwise it is a copy, stored in buffer if buffer is long enough.
// Block panics if the range exceeds the rows of m.
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
