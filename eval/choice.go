package eval

// A Choice describes how the level of robustness was chosen: the models that were tried with their out-of-fold
// estimates.
type Choice struct {
	Criterion  string      `json:"criterion"` // what was to fall: "worst group’s risk"
	Reason     string      `json:"reason"`
	Chosen     int         `json:"chosen"` // index
	Candidates []Candidate `json:"candidates"`
}

// A Candidate is one of the models that were tried, ERM first. Risks are mean losses.
type Candidate struct {
	Family  string `json:"family"` // those of one kind, from mild to strong
	Name    string `json:"name"`
	Average Num    `json:"average"`
	Value   Num    `json:"value"` // what was to fall
	SE      Num    `json:"se"`    // of its change from the plain average, paired by rows
	RiseSE  Num    `json:"rise_se"`
	Allowed bool   `json:"allowed"` // worth its cost
}

// Best returns the chosen candidate, or nil if the choice is inconsistent.
func (c *Choice) Best() *Candidate {
	if c.Chosen < 0 || c.Chosen >= len(c.Candidates) {
		return nil
	}
	return &c.Candidates[c.Chosen]
}
