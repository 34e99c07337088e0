package sync

import (
	"testing"
	"time"
)

func TestADeletionIsRememberedForAMonth(t *testing.T) {
	store := NewStore()
	store.Apply(Record{Key: "sweep", Tablet: "shop", At: nine})
	store.Apply(tick("mow", "shop", 0))
	if swept := store.Sweep(nine.Add(Kept)); swept != 0 {
		t.Errorf("%d forgotten too early", swept)
	}
	if swept := store.Sweep(nine.Add(Kept + time.Minute)); swept != 1 {
		t.Errorf("%d forgotten", swept)
	}
	if left := store.Since(0); len(left) != 1 || left[0].Key != "mow" {
		t.Errorf("left: %v", left)
	}
}
