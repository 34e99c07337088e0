package sync

import (
	"sort"
	"sync"
)

// A Change is a record the relay has accepted, with its number.
type Change struct {
	Number uint64 `json:"number"`
	Record
}

// A Store holds the latest record of every key and the number it was accepted under.
type Store struct {
	mu      sync.Mutex
	last    uint64
	changes map[string]Change
}

// NewStore returns an empty store.
func NewStore() *Store {
	return &Store{changes: map[string]Change{}}
}

// Apply takes a tablet's record. It says whether the record was accepted: an older one than the store has is not.
func (s *Store) Apply(record Record) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	known, found := s.changes[record.Key]
	if found && !record.Later(known.Record) {
		return false
	}
	s.last++
	s.changes[record.Key] = Change{s.last, record}
	return true
}

// Since returns what was accepted after a number, the oldest first.
func (s *Store) Since(number uint64) []Change {
	s.mu.Lock()
	defer s.mu.Unlock()
	found := []Change{}
	for _, change := range s.changes {
		if change.Number > number {
			found = append(found, change)
		}
	}
	sort.Slice(found, func(a, b int) bool { return found[a].Number < found[b].Number })
	return found
}

// Last returns the number of the latest change.
func (s *Store) Last() uint64 {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.last
}
