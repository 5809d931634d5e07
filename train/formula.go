package train

import (
	"encoding/json"
	"errors"
	"fmt"

	"github.com/drotrain/drotrain/train/score"
)

// Scorer returns a scorer of the robust model.
func (m *Model) Scorer() (*score.Scorer, error) {
	f, err := m.Formula()
	if err != nil {
		return nil, err
	}
	return score.New(f)
}

// Formula returns the robust model as a formula in the source columns; for more than two classes, it has one
// formula for each class. It returns an error if the model has no coefficients, or if its loss has a link that a
// formula cannot express.
func (m *Model) Formula() (*score.Formula, error) {
	if m == nil || m.Encoder == nil || len(m.ScoringCoefficients()) == 0 ||
		len(m.ScoringCoefficients()) != m.Encoder.D()*m.coefficientsPerColumn() {
		return nil, errors.New("train: the model has no coefficients: train or load a model")
	}
	if m.Classes() == nil {
		if _, err := m.link(); err != nil {
			return nil, err
		}
	}
	// only package score converts columns to terms, so the formula is made from the JSON of the model
	b, err := json.Marshal(Model{Schema: schema, Link: m.Link, Config: Config{Reading: m.Config.Reading},
		Encoder: m.Encoder, Coefficients: m.ScoringCoefficients()})
	if err != nil { // some number is not finite
		return nil, fmt.Errorf("train: the model is damaged: %w", err)
	}
	var d score.Document
	if err := json.Unmarshal(b, &d); err != nil {
		return nil, err
	}
	return d.Formula()
}
