// Package ablate switches the heuristics of dro's Newton methods off, one by one, for the
// experiment that measures what each is worth and the tests that hold them to it. It is
// imported by dro and by bench, and imports nothing. Start reading at Off.
package ablate

// Off names what is switched off. It is set between solves, never during one.
var Off Switches

// Switches are the heuristics; true is without.
type Switches struct {
	WorkingSets     bool // solves on the samples that the adversary rests on
	Coresets        bool // solves on samples drawn by weight
	SampledHessians bool // Hessians of some of the samples
	Renewal         bool // steps in the Hessian of an earlier point while they do well
	Distrust        bool // more samples where their Hessian served badly
	BFGS            bool // corrections of a Hessian by the steps since it was formed
	Prefixes        bool // growing prefixes of the samples
	Rent            bool // conjugate gradients that give way to a formed Hessian
	Continuation    bool // penalties that fall to the one asked for
}

// Each returns the switches one at a time, by name.
func Each() []struct {
	Name string
	Off  Switches
} {
	return []struct {
		Name string
		Off  Switches
	}{
		{"working sets", Switches{WorkingSets: true}},
		{"coresets", Switches{Coresets: true}},
		{"sampled Hessians", Switches{SampledHessians: true}},
		{"renewal", Switches{Renewal: true}},
		{"distrust", Switches{Distrust: true}},
		{"BFGS corrections", Switches{BFGS: true}},
		{"prefixes", Switches{Prefixes: true}},
		{"rent or buy", Switches{Rent: true}},
		{"continuation", Switches{Continuation: true}},
	}
}
