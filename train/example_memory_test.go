package train_test

import (
	"context"
	"fmt"
	"log"

	"github.com/drotrain/drotrain/data"
	"github.com/drotrain/drotrain/train"
	"github.com/drotrain/drotrain/train/level"
)

// Train on rows in memory: structs become a table, and a RowSet lists the training and hold-out rows.
func ExampleFitFrame() {
	type flat struct {
		Rent float64 `drotrain:"rent"`
		Size float64 `drotrain:"size"`
		Site string  `drotrain:"site"`
	}
	var flats []flat
	for i := range 120 {
		size, site := float64(30+i%40), []string{"north", "south"}[i%7%2]
		rent := 9*size + float64(i%5)
		if site == "south" {
			rent += 120
		}
		flats = append(flats, flat{rent, size, site})
	}
	frame, err := data.FromStructs(flats)
	if err != nil {
		log.Fatal(err)
	}
	cfg := train.DefaultConfig()
	cfg.Target, cfg.Protect, cfg.NoBaseline = "rent", level.At(0.5), true
	cfg.Rows = &train.RowSet{}
	for i := range flats {
		if i%4 == 0 {
			cfg.Rows.Holdout = append(cfg.Rows.Holdout, i)
		} else {
			cfg.Rows.Train = append(cfg.Rows.Train, i)
		}
	}
	model, err := train.FitFrame(context.Background(), frame, cfg)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(model.TrainRows, model.HoldoutRows, model.Result.Certified)
	// Output: 90 30 true
}
