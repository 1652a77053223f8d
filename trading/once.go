package trading

import "sync"

// once lets one of several simultaneous callers for the same ID do the work, and gives the
// others its result.
type once struct {
	mu    sync.Mutex
	doing map[string]*deed
}

type deed struct {
	done   chan struct{}
	intent Intent
	err    error
}

func (o *once) do(id string, work func() (Intent, error)) (Intent, error) {
	o.mu.Lock()
	if d := o.doing[id]; d != nil {
		o.mu.Unlock()
		<-d.done
		return d.intent, d.err
	}
	if o.doing == nil {
		o.doing = map[string]*deed{}
	}
	d := &deed{done: make(chan struct{}), err: errBroken}
	o.doing[id] = d
	o.mu.Unlock()
	defer func() {
		o.mu.Lock()
		delete(o.doing, id)
		o.mu.Unlock()
		close(d.done)
	}()
	d.intent, d.err = work()
	return d.intent, d.err
}

// busy reports whether work for an ID is in progress.
func (o *once) busy(id string) bool {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.doing[id] != nil
}
