package storetest

import (
	"encoding/binary"
	"io"
	"net"
	"net/url"
	"sync"
	"testing"
)

// Cut is a network in front of a PostgreSQL server that can be cut at a request.
type Cut struct {
	mu       sync.Mutex
	left     int  // requests until the cut; 0: none is planned
	answered bool // the server carries out the last request, and its answer is lost
}

// NewCut returns the URL of a database through a network that can be cut.
func NewCut(t testing.TB, place string) (string, *Cut) {
	t.Helper()
	u, err := url.Parse(place)
	Done(t, err)
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	Done(t, err)
	c, to := &Cut{}, u.Host
	var open sync.WaitGroup
	open.Go(func() {
		for {
			client, err := listener.Accept()
			if err != nil {
				return
			}
			open.Go(func() { c.serve(client, to) })
		}
	})
	t.Cleanup(func() {
		listener.Close()
		open.Wait()
	})
	u.Host = listener.Addr().String()
	return u.String(), c
}

// At plans the cut at the n-th request from now on: before the server receives it, or after
// the server has carried it out.
func (c *Cut) At(n int, answered bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.left, c.answered = n, answered
}

// Happened reports whether the planned cut has happened, and plans none.
func (c *Cut) Happened() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	happened := c.left == 0
	c.left = 0
	return happened
}

// passes counts a request.
func (c *Cut) passes() (cut, answered bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.left == 0 {
		return false, false
	}
	c.left--
	return c.left == 0, c.answered
}

// serve passes on messages until one side ends, or at the cut.
func (c *Cut) serve(client net.Conn, to string) {
	defer client.Close()
	server, err := net.Dial("tcp", to)
	if err != nil {
		return
	}
	var answers sync.WaitGroup
	defer answers.Wait()
	defer server.Close()
	var deaf sync.Mutex // held when the client is to hear nothing more
	answers.Go(func() {
		defer client.Close()
		part := make([]byte, 32<<10)
		for {
			n, err := server.Read(part)
			if n > 0 {
				if !deaf.TryLock() {
					return // the server has answered what the client will not hear
				}
				_, failed := client.Write(part[:n])
				deaf.Unlock()
				if failed != nil {
					return
				}
			}
			if err != nil {
				return
			}
		}
	})
	for begun := false; ; begun = true {
		message, err := readMessage(client, begun)
		if err != nil {
			return
		}
		// A statement of its own, the execution of a prepared one, the end of a COPY.
		if begun && (message[0] == 'Q' || message[0] == 'E' || message[0] == 'c') {
			if cut, answered := c.passes(); cut && !answered {
				return
			} else if cut {
				deaf.Lock()
				// With Sync, the server carries out and answers what it has.
				if _, err := server.Write(append(message, 'S', 0, 0, 0, 4)); err == nil {
					answers.Wait()
				}
				return
			}
		}
		if _, err := server.Write(message); err != nil {
			return
		}
	}
}

// readMessage reads a message of the protocol. The first of a connection has no type.
func readMessage(r io.Reader, typed bool) ([]byte, error) {
	head := make([]byte, 4, 5)
	if typed {
		head = head[:5]
	}
	if _, err := io.ReadFull(r, head); err != nil {
		return nil, err
	}
	rest := make([]byte, int(binary.BigEndian.Uint32(head[len(head)-4:]))-4)
	_, err := io.ReadFull(r, rest)
	return append(head, rest...), err
}
