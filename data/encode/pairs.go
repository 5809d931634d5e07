package encode

// A pairIndex numbers pairs of codes in the order in which they are found.
type pairIndex struct {
	second int     // number of codes of the second kind
	near   []int32 // number plus one of the pair (a, b) at index a·second + b; 0 means not found
	far    map[[2]int32]int32
	found  int32
}

// maxNearPairs is the maximum length of pairIndex.near; other pairs are in a map.
const maxNearPairs = 1 << 20

// numberOf returns the number of a pair, and whether it has not been found before. The codes must not be negative, and b
// must be less than p.second.
func (p *pairIndex) numberOf(a, b int32) (number int32, isNew bool) {
	at := int(a)*p.second + int(b)
	if at < len(p.near) && p.near[at] > 0 {
		return p.near[at] - 1, false
	}
	return p.find(a, b, at)
}

// find works like numberOf for a pair that is new or far; at is its index in near.
func (p *pairIndex) find(a, b int32, at int) (number int32, isNew bool) {
	if at < maxNearPairs {
		if at >= len(p.near) {
			p.near = append(p.near, make([]int32, at+1-len(p.near))...)
		}
		p.found++
		p.near[at] = p.found
		return p.found - 1, true
	}
	if number, known := p.far[[2]int32{a, b}]; known {
		return number, false
	}
	if p.far == nil {
		p.far = map[[2]int32]int32{}
	}
	p.found++
	p.far[[2]int32{a, b}] = p.found - 1
	return p.found - 1, true
}
