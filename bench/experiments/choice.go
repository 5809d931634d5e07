package main

import (
	"context"
	"encoding/csv"
	"flag"
	"fmt"
	"io"
	"math/rand/v2"
	"strconv"

	"github.com/drotrain/drotrain/internal/atomicfile"
	"github.com/drotrain/drotrain/train"
)

func init() {
	register("choice", "how often another model than ERM is delivered, and what that does on fresh rows", choiceSimulation)
}

// choiceSimulation prints, for each design in the study of regret, how often the default delivers a model other
// than ERM, and the changes in the worst group's risk and the average risk in the population.
func choiceSimulation(ctx context.Context, fs *flag.FlagSet, args []string) error {
	draws := fs.Int("draws", 20, "samples of every design")
	criterion := fs.String("select", "", "criterion of the choice; empty: the default")
	write := fs.String("write", "", "CSV file of the results; empty: none")
	if err := parse(fs, args); err != nil {
		return err
	}
	rows := [][]string{{"design", "rows", "group_is_feature", "no_gain", "criterion", "draws", "replaced",
		"worst_group_change_percent", "se", "worse_if_replaced", "average_change_percent"}}
	fmt.Println("| design | no gain | ERM replaced | worse then | worst group, % | SE | average, % |")
	fmt.Println("|---|---|--:|--:|--:|--:|--:|")
	for index, d := range adviceDesigns() {
		if *criterion == "worst-group-accuracy" && !d.classes {
			continue
		}
		p := d.newPopulation(rand.New(rand.NewPCG(uint64(index), 0x706f70)))
		replaced, worse := 0, 0
		worst, average := make([]float64, *draws), make([]float64, *draws)
		for draw := range *draws {
			m, _, delivered, err := d.fit(ctx, *criterion, d.rows, uint64(1000*index+draw))
			if err != nil {
				return err
			}
			standard, _, err := m.Variant(train.VariantERM)
			if err != nil {
				return err
			}
			before, err := p.criteria(ctx, standard, d.classes)
			if err != nil {
				return err
			}
			after, err := p.criteria(ctx, delivered, d.classes)
			if err != nil {
				return err
			}
			worst[draw] = 100 * (after["worst-group"]/before["worst-group"] - 1)
			average[draw] = 100 * (after["average"]/before["average"] - 1)
			if delivered == m && m.Config.Average != "plain" {
				if replaced++; worst[draw] > 0 {
					worse++
				}
			}
		}
		mean, se := meanAndError(worst)
		cost, _ := meanAndError(average)
		fmt.Printf("| %s | %t | %d of %d | %d | %+.3f | %.3f | %+.3f |\n", d.name, d.noGain, replaced, *draws, worse, mean,
			se, cost)
		number := func(v float64) string { return strconv.FormatFloat(v, 'f', 4, 64) }
		rows = append(rows, []string{d.name, strconv.Itoa(d.rows), strconv.FormatBool(!d.unnamed),
			strconv.FormatBool(d.noGain), *criterion, strconv.Itoa(*draws), strconv.Itoa(replaced), number(mean), number(se),
			strconv.Itoa(worse), number(cost)})
	}
	if *write == "" {
		return nil
	}
	return atomicfile.Write(*write, true, func(w io.Writer) error {
		out := csv.NewWriter(w)
		return out.WriteAll(rows)
	})
}
