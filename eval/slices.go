package eval

import "context"

// SliceSearch lists subgroups nobody named on which the risk is high.
type SliceSearch struct {
	Model     string  `json:"model"`
	Searched  int     `json:"conditions_tried"`
	MinRows   int     `json:"min_rows"`
	Found     []Slice `json:"found"`
	Method    string  `json:"method"`
	SearchN   int     `json:"search_rows"`
	ConfirmN  int     `json:"confirm_rows"`
	Confirmed int     `json:"confirmed"`
}

// A Slice is a condition on one or two columns.
type Slice struct {
	Condition string   `json:"condition"`
	SearchN   int      `json:"search_n"`
	Search    Num      `json:"search_risk"`  // where it was found: optimistic
	N         int      `json:"confirm_n"`    // on the other half:
	Risk      Num      `json:"confirm_risk"` // honest
	Rest      Num      `json:"rest_risk"`    // mean risk of the confirming rows outside the slice
	Interval  Interval `json:"excess_interval"`
	Confirmed bool     `json:"confirmed"` // the corrected interval of risk − rest lies above 0
}

func searchSlices(ctx context.Context, in *Input) (*SliceSearch, error) { return nil, ctx.Err() }
