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

// Listener remembers its connections. Browsers open some in advance and send
// nothing on them; a stopping server would wait for each of these as long as
// for the slowest client.
type Listener struct {
	net.Listener
	mutex sync.Mutex
	conns map[*conn]struct{}
}

// conn is a connection that knows whether anything was read from it, and that can
// be watched for its end.
type conn struct {
	net.Conn
	used   atomic.Bool
	closed func(*conn)
	ahead  []byte // was read while it was watched
	end    error  // came while it was watched
}

func NewListener(ln net.Listener) *Listener {
	return &Listener{Listener: ln, conns: map[*conn]struct{}{}}
}

// Accept is the next connection.
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

// CloseUnused closes the connections that nothing was ever read from.
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
		_ = c.Close() // an error means that it is closed already
	}
}

// watch calls gone once the client has closed the connection, until stop is called.
// Nobody else may read meanwhile. What the client sends is kept for the next Read.
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
		// The server sets a deadline of its own before it reads again.
		_ = c.SetReadDeadline(time.Unix(1, 0)) // an error: it is closed, and the reading over
		<-done
	}
}

// Read notes that the connection is in use.
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
