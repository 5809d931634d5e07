package score

import "testing"

func TestScorer_CodesThatLostTheirZeros(t *testing.T) {
	term := &scoredTerm{Term: Term{Column: "zip", Kind: Categorical, Levels: []string{"02134", "10001"}},
		byText: map[string]int{"02134": 0, "10001": 1}}
	for _, test := range []struct {
		name  string
		value any
		fails bool
	}{
		{"text without its zero", "2134", true},
		{"number without its zero", 2134.0, true},
		{"zero too many", "010001", true},
		{"text with zeros behind a point", "2134.0", true},
		{"text with a fraction", "2134.5", false},
		{"exact", "02134", false},
		{"another code", "777", false},
		{"another number", 777.0, false},
	} {
		t.Run(test.name, func(t *testing.T) {
			var err error
			if v, isNumber := test.value.(float64); isNumber {
				_, err = term.numberCell(v)
			} else {
				_, err = term.textCell(test.value.(string))
			}
			if (err != nil) != test.fails {
				t.Errorf("error %v, want one: %v", err, test.fails)
			}
		})
	}
}
