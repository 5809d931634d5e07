package eval

// Choice is how the level of robustness was chosen: every model that was tried, by what its
// losses on rows it was not fitted to say.
type Choice struct {
	Criterion  string      `json:"criterion"` // what was to fall: "worst group’s risk"
	Reason     string      `json:"reason"`
	Chosen     int         `json:"chosen"` // index
	Candidates []Candidate `json:"candidates"`
}

// Candidate is one model that was tried, the plain average first. Risks are mean losses.
type Candidate struct {
	Family  string `json:"family"` // those of one kind, from mild to strong
	Name    string `json:"name"`
	Average Num    `json:"average"`
	Value   Num    `json:"value"` // what was to fall
	SE      Num    `json:"se"`    // of its change from the plain average, paired by rows
	RiseSE  Num    `json:"rise_se"`
	Allowed bool   `json:"allowed"` // worth its cost
}

// Best returns the candidate chosen; nil where the choice is damaged.
func (c *Choice) Best() *Candidate {
	if c.Chosen < 0 || c.Chosen >= len(c.Candidates) {
		return nil
	}
	return &c.Candidates[c.Chosen]
}
