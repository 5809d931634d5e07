package measure

import (
	"cmp"
	"slices"
)

// A Heavy is the sum of the largest of some numbers, and how many these are.
type Heavy struct {
	Count int
	Mass  float64
}

// Heaviest returns the sum of the counts[i] largest of y, each y ≥ 0 and 1 ≤ counts[i] ≤ n,
// and the fewest of y that sum up to mass, or all. It sorts nothing: y is read once for
// every digit of its bits that ranks still differ in, six times at most, and the memory
// does not grow with n. Sums are exact but for their own rounding.
func Heaviest(y []float64, counts []int, mass float64) (of []Heavy, fewest Heavy) {
	of = make([]Heavy, len(counts))
	asked := make([]*rank, 0, len(counts)+1)
	for i, c := range counts {
		asked = append(asked, &rank{count: c, answer: &of[i]})
	}
	asked = append(asked, &rank{mass: mass * (1 - 1e-12), answer: &fewest}) // sums of equal numbers reach it but for rounding
	root := &digit{}
	open := map[*digit][]*rank{root: asked}
	for shift := (digits - 1) * digitBits; len(open) > 0; shift -= digitBits {
		for _, v := range y {
			root.add(orderedBits(v), v, shift)
		}
		next := map[*digit][]*rank{}
		for d, ranks := range open {
			for _, r := range ranks {
				if in := d.find(r, shift); in != nil {
					next[in] = append(next[in], r)
				}
			}
		}
		open = next
	}
	return of, fewest
}

// A rank is a question: the sum of the count largest, or, where count is 0, how many have so much mass.
type rank struct {
	count  int
	mass   float64
	sum    Summer // of what is heavier than the digit it is in
	above  int    // how many these are
	answer *Heavy
}

// A digit counts the numbers that share all digits before it, by its value.
type digit struct {
	count [1 << digitBits]int
	sum   [1 << digitBits]Summer
	child [1 << digitBits]*digit // of the digit after it, where a rank needs it
}

// add counts a number in the digit at shift, if the digits before it lead there.
func (d *digit) add(bits uint64, v float64, shift int) {
	for at := (digits - 1) * digitBits; d != nil; at -= digitBits {
		k := bits >> at & (1<<digitBits - 1)
		if at == shift {
			d.count[k]++
			d.sum[k].Add(v)
			return
		}
		d = d.child[k]
	}
}

// find answers r, or returns the next digit, which will.
func (d *digit) find(r *rank, shift int) *digit {
	for k := len(d.count) - 1; k >= 0; k-- {
		n, sum := d.count[k], r.sum
		if n == 0 {
			continue
		}
		sum.Add(d.sum[k].Sum())
		short := r.above+n < r.count
		if r.count == 0 {
			short = sum.Sum() < r.mass
		}
		switch {
		case short:
			r.above, r.sum = r.above+n, sum
			continue
		case n == 1 || r.above+n == r.count:
			*r.answer = Heavy{r.above + n, sum.Sum()}
			return nil
		case shift > 0:
			if d.child[k] == nil {
				d.child[k] = &digit{}
			}
			return d.child[k]
		}
		each := d.sum[k].Sum() / float64(n) // n equal numbers
		take := r.count - r.above
		if r.count == 0 {
			for take = max(1, int((r.mass-r.sum.Sum())/each)); r.sum.Sum()+float64(take)*each < r.mass && take < n; {
				take++
			}
		}
		*r.answer = Heavy{r.above + take, r.sum.Sum() + float64(take)*each}
		return nil
	}
	*r.answer = Heavy{r.above, r.sum.Sum()} // there is no more
	return nil
}

// Largest returns the positions of the count largest of y, the largest first: of equals
// those first where then is larger, unless it is nil, and the earlier of these.
func Largest(y, then []float64, count int) []int {
	count = min(count, len(y))
	if count < 1 {
		return nil
	}
	order := func(i, j int) int {
		o := cmp.Compare(y[j], y[i])
		if o == 0 && then != nil {
			o = cmp.Compare(then[j], then[i])
		}
		return cmp.Or(o, cmp.Compare(i, j))
	}
	top := make([]int, 0, 2*count)
	keep := func() {
		slices.SortFunc(top, order)
		top = top[:min(count, len(top))]
	}
	last := -1 // of those kept
	for i := range y {
		if last < 0 || order(i, last) < 0 {
			if top = append(top, i); len(top) == cap(top) {
				keep()
				last = top[count-1]
			}
		}
	}
	keep()
	return top
}
