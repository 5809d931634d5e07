package data

// A Factor is a grouping as training saw it.
type Factor struct {
	Name    string   `json:"name"`    // "region", or "ethnicity × region"
	Sources []string `json:"sources"` // the columns that are crossed
	Kind    Kind     `json:"kind"`    // of a single column
	Labels  []string `json:"labels"`  // of the training rows, sorted

	// Named says that a Dataset calls the groups "column=label": the labels of a
	// single column say little on their own ("yes", "0").
	Named bool `json:"named,omitempty"`
}
