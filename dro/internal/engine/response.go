package engine

// Multipliers holds ν and τ of a best response.
type Multipliers struct {
	Nu, Tau float64
	Known   bool
}

// A Response is the best response of a dual to losses with its risk. It is a value: an evaluation returns it, and what
// depends on the response, such as a derivative or a bound, takes it.
type Response struct {
	Multipliers           // ν and τ; only τ for a dual that is no Adversary
	Y           []float64 // n: weights of the samples
	Groups      []float64 // weights over groups that Y results from; nil: none, or unknown
	Risk        float64   // R(f)
	Total       float64   // sum of the reference weights of the samples, for a dual that has some
	Ranks       *Ranks    // of a risk by ranks; else nil

	adopted bool // Y are other weights, in place of those that the multipliers determine
}

// Ranks holds the samples with reference weights in ascending order of their losses, in blocks among whose samples
// weight moves when losses change.
type Ranks struct {
	Order []int32   // samples
	Start []int32   // first position of every block, and the number of positions
	Moves []float64 // n: the derivative of a weight with respect to its loss at fixed levels; nil: 0
}

// Blocks returns the number of blocks.
func (r *Ranks) Blocks() int { return max(0, len(r.Start)-1) }

// Block returns the samples of block b.
func (r *Ranks) Block(b int) []int32 { return r.Order[r.Start[b]:r.Start[b+1]] }
