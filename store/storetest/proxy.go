package storetest

import (
	"encoding/binary"
	"fmt"
	"io"
	"net"
	"net/url"
	"sync"
	"testing"
)

// Cut is a network in front of a PostgreSQL server that can be cut at a request: a statement
// of its own, the execution of a prepared one, or the end of a COPY.
type Cut struct {
	mu       sync.Mutex
	requests int // passed so far, those that were cut among them
	at       int // the request at which something is planned; 0: none
	plan     Break
	call     func() // at the cut; nil: nothing
	down     bool
	open     map[net.Conn]bool
}

// Break is a planned cut.
type Break struct {
	Request  int  // counted from 1
	Answered bool // the server carries the request out, and its answer is lost; otherwise the server never receives it
	Lasting  bool // all connections are cut, and new ones are refused, until [Cut.Mend]
}

func (b Break) String() string {
	return fmt.Sprintf("cut at request %d (carried out: %t, lasting: %t)", b.Request, b.Answered, b.Lasting)
}

// NewCut returns the URL of a database through a network that can be cut.
func NewCut(t testing.TB, place string) (string, *Cut) {
	t.Helper()
	u, err := url.Parse(place)
	Done(t, err)
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	Done(t, err)
	c, to := &Cut{open: map[net.Conn]bool{}}, u.Host
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

// At plans a cut at one of the next requests.
func (c *Cut) At(b Break) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.at, c.plan, c.call = c.requests+b.Request, b, nil
}

// Call plans a call of f at the n-th request from now on, which the server does not receive.
func (c *Cut) Call(n int, f func()) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.at, c.plan, c.call = c.requests+n, Break{}, f
}

// Happened reports whether the planned cut or call has happened, and plans none.
func (c *Cut) Happened() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	happened := c.at == 0
	c.at = 0
	return happened
}

// Mend ends a lasting cut.
func (c *Cut) Mend() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.down = false
}

// Each plans a cut at one request of work after the other, not carried out and carried out,
// until work makes fewer requests. The first is request 1, and next returns the one after a
// request. After each cut it calls check, for which a lasting one is not mended. It returns
// how many cuts there were.
func (c *Cut) Each(next func(request int) int, lasting bool, work func(), check func(Break)) (cuts int) {
	for _, answered := range []bool{false, true} {
		for n := 1; ; n = next(n) {
			b := Break{Request: n, Answered: answered, Lasting: lasting}
			c.At(b)
			if work(); !c.Happened() {
				break
			}
			check(b)
			cuts++
		}
	}
	return cuts
}

// Every returns the next request for [Cut.Each]: each one up to a request, and from then on
// every stride-th.
func Every(upTo, stride int) func(int) int {
	return func(request int) int {
		if request < upTo {
			return request + 1
		}
		return request + stride
	}
}

// passes counts a request, and returns the cut that happens at it, or nil.
func (c *Cut) passes() *Break {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.requests++
	if c.at != c.requests {
		return nil
	}
	c.at = 0
	if c.call != nil {
		c.call()
	}
	c.down = c.plan.Lasting
	plan := c.plan
	return &plan
}

// connects registers a connection, unless the network is cut.
func (c *Cut) connects(client net.Conn) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.down {
		return false
	}
	c.open[client] = true
	return true
}

// ends forgets a connection, and ends the others if the network is cut.
func (c *Cut) ends(client net.Conn) {
	c.mu.Lock()
	defer c.mu.Unlock()
	delete(c.open, client)
	if c.down {
		for other := range c.open {
			other.Close()
		}
	}
}

// serve passes on messages until one side ends, or at the cut.
func (c *Cut) serve(client net.Conn, to string) {
	defer client.Close()
	if !c.connects(client) {
		return
	}
	defer c.ends(client)
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
		if begun && (message[0] == 'Q' || message[0] == 'E' || message[0] == 'c') {
			if cut := c.passes(); cut != nil {
				if cut.Answered {
					deaf.Lock()
					// With Sync, the server carries out and answers what it has.
					if _, err := server.Write(append(message, 'S', 0, 0, 0, 4)); err == nil {
						answers.Wait()
					}
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

// Requests returns how many requests have passed so far.
func (c *Cut) Requests() int {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.requests
}
