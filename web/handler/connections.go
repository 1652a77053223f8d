package handler

import (
	"net"
	"sync"
	"sync/atomic"
	"time"
)

// FirstByteGrace is how long a stopping server waits for the first byte of a
// connection that has sent none yet.
const FirstByteGrace = 500 * time.Millisecond

// Listener tracks its connections. Browsers open some in advance and send nothing on
// them; a stopping server would wait for each of these as long as for the slowest
// client.
type Listener struct {
	net.Listener
	mutex sync.Mutex
	conns map[*conn]struct{}
}

// conn is a connection that records whether anything was read from it and can be
// watched until it ends.
type conn struct {
	net.Conn
	used   atomic.Bool
	closed func(*conn)
	ahead  []byte // read while the connection was watched
	end    error  // occurred while the connection was watched
}

func NewListener(ln net.Listener) *Listener {
	return &Listener{Listener: ln, conns: map[*conn]struct{}{}}
}

// Accept returns the next connection.
func (l *Listener) Accept() (net.Conn, error) {
	accepted, err := l.Listener.Accept()
	if err != nil {
		return nil, err
	}
	c := &conn{Conn: accepted, closed: l.forget}
	l.mutex.Lock()
	defer l.mutex.Unlock()
	l.conns[c] = struct{}{}
	return c, nil
}

func (l *Listener) forget(c *conn) {
	l.mutex.Lock()
	defer l.mutex.Unlock()
	delete(l.conns, c)
}

// CloseUnused closes the connections from which nothing was ever read.
func (l *Listener) CloseUnused() {
	var unused []*conn
	l.mutex.Lock()
	for c := range l.conns {
		if !c.used.Load() {
			unused = append(unused, c)
		}
	}
	l.mutex.Unlock()
	for _, c := range unused {
		_ = c.Close() // an error means that it is already closed
	}
}

// watch calls gone when the client closes the connection, until stop is called. No
// other goroutine may read meanwhile. Bytes from the client are kept for the next Read.
func (c *conn) watch(gone func()) (stop func()) {
	if c.SetReadDeadline(time.Time{}) != nil {
		return func() {} // closed by us
	}
	var stopping atomic.Bool
	done := make(chan struct{})
	go func() {
		defer close(done)
		var b [1]byte
		n, err := c.Read(b[:])
		c.ahead = append(c.ahead, b[:n]...)
		if err != nil && !stopping.Load() {
			c.end = err
			gone()
		}
	}()
	return func() {
		stopping.Store(true)
		// The server sets a separate deadline before it reads again.
		_ = c.SetReadDeadline(time.Unix(1, 0)) // an error means that it is closed and the read has ended
		<-done
	}
}

// Read marks the connection as used.
func (c *conn) Read(b []byte) (int, error) {
	if len(c.ahead) > 0 {
		n := copy(b, c.ahead)
		c.ahead = c.ahead[n:]
		return n, nil
	}
	if c.end != nil {
		return 0, c.end
	}
	n, err := c.Conn.Read(b)
	if n > 0 {
		c.used.Store(true)
	}
	return n, err
}

// Close closes the connection.
func (c *conn) Close() error {
	c.closed(c)
	return c.Conn.Close()
}
