package eval

import (
	"strconv"
	"testing"

	"github.com/drotrain/drotrain/data/encode"
)

// A crossed group is named by its label, or by COLUMN=LABEL of every column in any order, also with commas, quotes,
// equal signs and separators in labels.
func TestGate_CrossedGroupsByName(t *testing.T) {
	regions := []string{"North, upper", `He said "hi"`, "C / D", "a=b", "sex=f"}
	in := Input{Task: Binary, Models: []Model{{Name: "m"}}}
	region := encode.Grouping{Name: "region", Labels: regions}
	sex := encode.Grouping{Name: "sex", Labels: []string{"f", "m"}}
	both := encode.Grouping{Name: "region × sex"}
	for _, r := range []string{"North, upper", `He said "hi"`, `"C / D"`, "a=b", "sex=f"} {
		both.Labels = append(both.Labels, r+" / f", r+" / m")
	}
	for i := range 200 {
		r, s := i%5, i/5%2
		region.Index, sex.Index, both.Index = append(region.Index, int32(r)), append(sex.Index, int32(s)), append(both.Index,
			int32(2*r+s))
		in.Target = append(in.Target, float64(1-2*(i%2)))
		in.Models[0].Score, in.Models[0].Loss = append(in.Models[0].Score, 0.5), append(in.Models[0].Loss, float64(2*r+s))
	}
	in.Groups = []encode.Grouping{region, sex, both}
	e, err := Evaluate(t.Context(), in)
	if err != nil {
		t.Fatal(err)
	}
	for r, label := range regions {
		for s, of := range []string{"f", "m"} {
			names := []string{both.Labels[2*r+s], "region=" + label + " / sex=" + of, "sex=" + of + " / region=" + label,
				"region=" + strconv.Quote(label) + " / sex=" + of}
			for _, name := range names {
				if label == "sex=f" && name != names[0] && name != names[3] {
					continue // ambiguous without quotes
				}
				h, err := e.groupNamed(name)
				if err != nil || float64(h.Models[0].Values.Risk()) != float64(2*r+s) {
					t.Errorf("%s: %v, %v", name, h, err)
				}
			}
		}
	}
	for _, name := range []string{"region=a=b", "region=none / sex=f", "region= / sex=f", "sex=f / region",
		"region=a=b / sex="} {
		if h, err := e.groupNamed(name); err == nil && len(h.Label) > 3 && name != "region=a=b" {
			t.Errorf("%s names %s", name, h.Label)
		}
	}
}
