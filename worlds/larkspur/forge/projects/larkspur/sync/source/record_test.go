package sync

import (
	"testing"
	"time"
)

var nine = time.Date(2025, 6, 5, 9, 0, 0, 0, time.UTC)

func TestTheLaterChangeWins(t *testing.T) {
	early := Record{Key: "water ferns", Tablet: "shop", At: nine}
	late := Record{Key: "water ferns", Tablet: "glass", At: nine.Add(time.Second)}
	if !late.Later(early) || early.Later(late) {
		t.Error("the later change does not win")
	}
}

func TestAtTheSameMomentTheNamesDecide(t *testing.T) {
	shop, glass := Record{Tablet: "shop", At: nine}, Record{Tablet: "glass", At: nine}
	if !shop.Later(glass) || glass.Later(shop) {
		t.Error("both or none of two equal moments win")
	}
}
