package design

import "github.com/drotrain/drotrain/internal/paged"

// In returns a matrix in memory, or paged, with a room for vectors of one entry a row; m
// itself where that is nil.
func In(room *paged.Room, m Matrix) Matrix {
	if room == nil {
		return m
	}
	return in{m, room}
}

type in struct {
	Matrix
	room *paged.Room
}

// Room is where vectors of one entry a row may lie.
func (m in) Room() *paged.Room { return m.room }

// MostSelected is the number of rows that Select can be asked for: no more than before.
func (m in) MostSelected() int {
	n, _ := m.Dims()
	return n / 16
}
