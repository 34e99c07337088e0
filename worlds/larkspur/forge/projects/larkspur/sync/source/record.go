// Package sync keeps the records of a site's tablets in step.
package sync

import "time"

// A Record is one thing that a tablet can change.
type Record struct {
	Key    string    `json:"key"`
	Value  string    `json:"value"`
	Tablet string    `json:"tablet"`
	At     time.Time `json:"at"`
}

// Later says whether r is to be kept over other: the later change wins, and of two at the same moment
// the one of the tablet whose name is greater, so that every tablet decides alike.
func (r Record) Later(other Record) bool {
	if r.At.Equal(other.At) {
		return r.Tablet > other.Tablet
	}
	return r.At.After(other.At)
}
