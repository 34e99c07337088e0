package sync

import (
	"testing"
	"time"
)

func tick(key, tablet string, after time.Duration) Record {
	return Record{Key: key, Value: "done", Tablet: tablet, At: nine.Add(after)}
}

func TestWhatIsAcceptedIsNumberedInOrder(t *testing.T) {
	store := NewStore()
	store.Apply(tick("water ferns", "shop", 0))
	store.Apply(tick("sweep", "glass", time.Minute))
	changes := store.Since(0)
	if len(changes) != 2 || changes[0].Key != "water ferns" || changes[1].Number != 2 {
		t.Errorf("got %v", changes)
	}
	if rest := store.Since(1); len(rest) != 1 || rest[0].Key != "sweep" {
		t.Errorf("after 1: %v", rest)
	}
}

func TestAnOldRecordIsNotAccepted(t *testing.T) {
	store := NewStore()
	if !store.Apply(tick("sweep", "shop", time.Minute)) || store.Apply(tick("sweep", "glass", 0)) {
		t.Error("an older record replaced a newer one")
	}
	if store.Last() != 1 {
		t.Errorf("the refused record took a number: %d", store.Last())
	}
}
