package sync

import (
	"encoding/json"
	"fmt"
	"io"
	"time"
)

// A Step is one line of Trellis's plan, as `trellis --json` writes it.
type Step struct {
	Who     *string `json:"who"`
	Name    string  `json:"name"`
	Start   int     `json:"start"`
	Minutes int     `json:"minutes"`
	Due     int     `json:"due"`
}

// ReadPlan turns a plan into records that tablets show as open jobs.
func ReadPlan(plan io.Reader, made time.Time) ([]Record, error) {
	var steps []Step
	if err := json.NewDecoder(plan).Decode(&steps); err != nil {
		return nil, fmt.Errorf("the plan is not what trellis --json writes: %w", err)
	}
	records := make([]Record, 0, len(steps))
	for _, step := range steps {
		value := fmt.Sprintf("open, %d minutes", step.Minutes)
		if step.Who != nil {
			value += ", " + *step.Who
		}
		records = append(records, Record{Key: step.Name, Value: value, Tablet: "plan", At: made})
	}
	return records, nil
}
