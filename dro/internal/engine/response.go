package engine

// Multipliers holds ν and τ of a best response.
type Multipliers struct {
	Nu, Tau float64
	Known   bool
}

// A Response is the best response of a dual to losses, with the risk. It is returned by an evaluation and passed to
// functions that compute results which depend on it, such as derivatives and bounds.
type Response struct {
	Multipliers           // ν and τ; only τ for a dual that is not an Adversary
	Y           []float64 // of length n: weights of the samples
	Groups      []float64 // weights over groups that Y results from; nil if there are none or they are unknown
	Risk        float64   // R(f)
	Total       float64   // sum of the reference weights of the samples, if the dual has any
	Ranks       *Ranks    // set for a risk that depends on ranks

	adopted bool // Y are weights other than those that the multipliers determine
}

// Ranks holds the samples with reference weights in ascending order of their losses, divided into blocks. When
// losses change, weight moves only between samples of a block.
type Ranks struct {
	Order []int32   // samples
	Start []int32   // first position of every block, followed by the number of positions
	Moves []float64 // n derivatives of a weight with respect to its loss at fixed levels; nil means 0
}

// Blocks returns the number of blocks.
func (r *Ranks) Blocks() int { return max(0, len(r.Start)-1) }

// Block returns the samples of block b.
func (r *Ranks) Block(b int) []int32 { return r.Order[r.Start[b]:r.Start[b+1]] }
