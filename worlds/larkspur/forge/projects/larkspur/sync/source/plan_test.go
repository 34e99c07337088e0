package sync

import (
	"strings"
	"testing"
)

func TestAPlanBecomesOpenJobs(t *testing.T) {
	plan := `[{"who":"Elke","name":"deliver","start":0,"minutes":60,"due":10},{"who":null,"name":"sweep","start":60,"minutes":30,"due":24}]`
	records, err := ReadPlan(strings.NewReader(plan), nine)
	if err != nil {
		t.Fatal(err)
	}
	if len(records) != 2 || records[0].Value != "open, 60 minutes, Elke" || records[1].Value != "open, 30 minutes" {
		t.Errorf("got %v", records)
	}
}

func TestThePrintedPlanIsRefused(t *testing.T) {
	if _, err := ReadPlan(strings.NewReader("08:00  sweep\n"), nine); err == nil {
		t.Error("the printed plan was taken for JSON")
	}
}
