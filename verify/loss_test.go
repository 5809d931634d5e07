package verify

import "testing"

// A quantile has a level between 0 and 1, both excluded; at 0 or 1 its slopes have one sign, and nothing would be
// proved.
func TestNewLoss_LevelOfQuantile(t *testing.T) {
	for level, valid := range map[string]bool{
		"0.5": true, "0.999": true, "0": false, "1": false, "-0.1": false, "1.1": false, "NaN": false, "": false,
		"half": false,
	} {
		if _, err := newLoss(&config{Loss: "quantile:" + level}, 1); (err == nil) != valid {
			t.Errorf("level %q: %v", level, err)
		}
	}
}
