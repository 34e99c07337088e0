package sync

import "time"

// Kept is how long the store remembers that a record was deleted.
const Kept = 30 * 24 * time.Hour

// Deleted says whether the record only says that its key is gone.
func (r Record) Deleted() bool {
	return r.Value == ""
}

// Sweep forgets the deletions that are older than Kept and returns how many those were.
func (s *Store) Sweep(now time.Time) int {
	s.mu.Lock()
	defer s.mu.Unlock()
	swept := 0
	for key, change := range s.changes {
		if change.Deleted() && now.Sub(change.At) > Kept {
			delete(s.changes, key)
			swept++
		}
	}
	return swept
}
