package store

// WithoutMemory is a reader of the same state that works everything out anew.
func (r *Reader) WithoutMemory() *Reader {
	anew := *r
	anew.memory = newMemory(0, 0)
	return &anew
}
