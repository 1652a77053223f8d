package summaries

import (
	"sync"
	"time"
)

// Limits of the mails that are kept for their frames.
const (
	draftKept  = 15 * time.Second
	draftsMost = 8
)

// draftsKept keeps the mail of a preview until its frame asks for it, moments later. A mail takes
// long to make, and so it is made once: its subject and its frame are of the same state.
type draftsKept struct {
	mutex sync.Mutex
	list  []keptDraft // the oldest first
}

type keptDraft struct {
	key     string // the reader, and the fields of the form as in the address
	content []byte
	made    time.Time
}

func (d *draftsKept) keep(key string, content []byte) {
	d.mutex.Lock()
	defer d.mutex.Unlock()
	if len(d.list) == draftsMost {
		d.list = append(d.list[:0], d.list[1:]...)
	}
	d.list = append(d.list, keptDraft{key, content, time.Now()})
}

// take returns the mail of a key and forgets it; nil if none was made just now.
func (d *draftsKept) take(key string) []byte {
	d.mutex.Lock()
	defer d.mutex.Unlock()
	for i := len(d.list) - 1; i >= 0; i-- {
		if kept := d.list[i]; kept.key == key {
			d.list = append(d.list[:i], d.list[i+1:]...)
			if time.Since(kept.made) < draftKept {
				return kept.content
			}
			return nil
		}
	}
	return nil
}
