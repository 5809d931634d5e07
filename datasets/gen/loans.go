package main

import (
	"math"
	"math/rand/v2"

	"github.com/drotrain/drotrain/data"
)

// A period holds the differences between the two tables of simulated loans.
type period struct {
	name      string
	rows      int
	stream    uint64  // number of the random stream
	growth    float64 // added to the logarithm of the income
	education string  // level of the purpose "education"
	west      float64 // added to the log-odds of a denial in the west
	undecided int     // number of rows at the end whose outcome is not yet known
}

var periods = []period{
	{name: "loans", rows: 2000, stream: 1, education: "education"},
	{name: "loans-next", rows: 1000, stream: 2, growth: 0.3, education: "studies", west: 2, undecided: 40},
}

// simulate returns random loan applications for a period. loans.md, which describes the data set, explains the
// mechanism.
func simulate(p period) []data.Column {
	const seed = 2026
	rng := rand.New(rand.NewPCG(seed, p.stream))
	number := func(name, kind string) data.Column {
		return data.Column{Name: name, Type: kind, Kind: data.Numeric, Integer: kind == "int32",
			Number: make([]float64, p.rows)}
	}
	word := func(name string, levels ...string) data.Column {
		return data.Column{Name: name, Type: "string", Kind: data.Categorical, Code: make([]int32, p.rows), Level: levels}
	}
	income, debt, term, age := number("income", "double"), number("debt_ratio", "double"), number("term",
		"int32"), number("age", "int32")
	purpose := word("purpose", "car", "home", p.education, "business")
	region, sex := word("region", "north", "south", "east", "west"), word("sex", "female", "male")
	deny := word("deny", "no", "yes")
	if p.undecided > 0 {
		deny.Null = make([]bool, p.rows)
	}
	pick := func(shares ...float64) int32 {
		u := rng.Float64()
		for i, s := range shares[:len(shares)-1] {
			if u -= s; u < 0 {
				return int32(i)
			}
		}
		return int32(len(shares) - 1)
	}
	round := func(x, unit float64) float64 { return math.Round(x/unit) * unit }
	for i := range p.rows {
		base := math.Exp(3.7 + 0.4*rng.NormFloat64()) // income before growth, in thousands
		ratio := 0.1 + 0.6*(rng.Float64()+rng.Float64())/2
		income.Number[i] = round(base*math.Exp(p.growth)*1000, 100)
		debt.Number[i] = math.Round(ratio*1000) / 1000
		term.Number[i] = float64(12 * (1 + rng.IntN(5)))
		age.Number[i] = float64(21 + rng.IntN(49))
		purpose.Code[i] = pick(0.4, 0.25, 0.2, 0.15)
		region.Code[i] = pick(0.35, 0.25, 0.2, 0.2)
		sex.Code[i] = pick(0.45, 0.55)

		slope := 5.0
		if region.Code[i] == 1 { // region 1 is the south
			slope = 14
		}
		odds := -1.6 + slope*(debt.Number[i]-0.4) - 1.2*(math.Log(base)-3.7) + 0.012*(term.Number[i]-36)
		odds += []float64{0, -0.4, 0.3, 0.8}[purpose.Code[i]]
		if region.Code[i] == 3 {
			odds += p.west
		}
		if rng.Float64() < 1/(1+math.Exp(-odds)) {
			deny.Code[i] = 1
		}
		if i >= p.rows-p.undecided {
			deny.Null[i] = true
		}
	}
	return []data.Column{deny, income, debt, term, purpose, region, sex, age}
}
