package matrix

import (
	"math"
	"math/rand/v2"
	"runtime"
	"slices"
	"testing"
)

// Places finds the rank of every member and no other index, wherever the members are.
func TestPlaces_RankOfMembers(t *testing.T) {
	rng := rand.New(rand.NewPCG(4, 1))
	for _, width := range []int{1, 63, 64, 65, 1 << 16, 1<<16 + 1, 1 << 20, math.MaxInt32} {
		p := NewPlaces(width)
		var members []int32
		for range min(width, 500) {
			members = append(members, int32(rng.IntN(width)))
		}
		members = append(members, 0, int32(width-1))
		for _, m := range members {
			p.Add(m)
		}
		slices.Sort(members)
		members = slices.Compact(members)
		if got := p.SortMembers(); !slices.Equal(got, members) {
			t.Fatalf("width %d: members %v, want %v", width, got, members)
		}
		for range 2000 {
			m := int32(rng.IntN(width))
			if rng.IntN(2) == 0 {
				m = members[rng.IntN(len(members))]
			}
			rank, is := p.Find(m)
			want, wanted := slices.BinarySearch(members, m)
			if is != wanted || is && rank != want {
				t.Fatalf("width %d: index %d has the rank %d, member %v; want %d, %v", width, m, rank, is, want, wanted)
			}
		}
		if _, is := p.Find(math.MaxInt32 - 1); is != slices.Contains(members, math.MaxInt32-1) {
			t.Fatalf("width %d: the largest index is a member: %v", width, is)
		}
	}
}

// A few members take little memory, however large they are.
func TestPlaces_FewMembersTakeLittle(t *testing.T) {
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	p := NewPlaces(math.MaxInt32)
	p.Add(math.MaxInt32 - 1)
	p.SortMembers()
	runtime.ReadMemStats(&after)
	if got := after.TotalAlloc - before.TotalAlloc; got > 1<<20 {
		t.Errorf("%d bytes were allocated", got)
	}
}
