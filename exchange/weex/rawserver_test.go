package weex

import (
	"rebatedesk/exchange"

	"bufio"
	"io"
	"net"
	"net/http"
	"strconv"
	"sync"
	"testing"
)

// rawExchange is a TCP server without a fixed protocol: it passes each connection to
// serve. It counts the requests that arrived completely, which an exchange would execute.
type rawExchange struct {
	URL      string
	listener net.Listener
	serve    func(*rawConn)
	stop     chan struct{} // closed when the test ends

	mu       sync.Mutex
	executed []string // bodies of the requests
	conns    sync.WaitGroup
}

// rawConn is one connection to the server.
type rawConn struct {
	*net.TCPConn
	exchange *rawExchange
	buffer   *bufio.Reader
}

func listenRaw(t *testing.T, serve func(*rawConn)) *rawExchange {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	x := &rawExchange{URL: "http://" + l.Addr().String(), listener: l, serve: serve, stop: make(chan struct{})}
	x.conns.Go(x.accept)
	t.Cleanup(x.close)
	return x
}

func (x *rawExchange) accept() {
	for {
		conn, err := x.listener.Accept()
		if err != nil {
			return
		}
		x.conns.Go(func() {
			defer conn.Close()
			x.serve(&rawConn{conn.(*net.TCPConn), x, bufio.NewReader(conn)})
		})
	}
}

func (x *rawExchange) close() {
	close(x.stop)
	x.listener.Close()
	x.conns.Wait()
}

// seen returns how many requests arrived completely, and whether one of them arrived
// twice.
func (x *rawExchange) seen() (n int, twice bool) {
	x.mu.Lock()
	defer x.mu.Unlock()
	once := map[string]bool{}
	for _, body := range x.executed {
		twice = twice || once[body]
		once[body] = true
	}
	return len(x.executed), twice
}

// execute reads one complete request, or returns false if none arrived.
func (w *rawConn) execute() bool {
	r, err := http.ReadRequest(w.buffer)
	if err != nil {
		return false
	}
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return false
	}
	w.exchange.mu.Lock()
	defer w.exchange.mu.Unlock()
	w.exchange.executed = append(w.exchange.executed, r.Method+" "+r.URL.Path+" "+string(body))
	return true
}

// say writes a text; the client may have disconnected.
func (w *rawConn) say(text string) { _, _ = io.WriteString(w, text) }

// reset resets the connection.
func (w *rawConn) reset() {
	_ = w.SetLinger(0) // fails only if the connection is already closed
	w.Close()
}

// packed returns a complete HTTP answer.
func packed(status, body string, headers ...string) string {
	head := "HTTP/1.1 " + status + "\r\nContent-Type: application/json\r\n"
	for _, h := range headers {
		head += h + "\r\n"
	}
	return head + "Content-Length: " + strconv.Itoa(len(body)) + "\r\n\r\n" + body
}

// replies answers every request on a connection with this text.
func replies(text string) func(*rawConn) {
	return func(w *rawConn) {
		for w.execute() {
			w.say(text)
		}
	}
}

// once reads one request and then calls then.
func once(then func(*rawConn)) func(*rawConn) {
	return func(w *rawConn) {
		if w.execute() {
			then(w)
		}
	}
}

// dialRaw returns a client of the server.
func dialRaw(t *testing.T, x *rawExchange, change ...func(*exchange.Config)) *Client {
	t.Helper()
	return dial(t, serve(t, says(500, ``)), append([]func(*exchange.Config){func(c *exchange.Config) { c.BaseURL = x.URL }}, change...)...)
}

// orderCalls holds the five order calls as functions of one type, each with a successful
// answer and its outcome.
var orderCalls = []struct {
	name, ok string
	want     OutcomeState
	do       func(*Client) Outcome
}{
	{"place", wrap(`{"orderId":7,"clientOrderId":"mine-1"}`), Placed, func(c *Client) Outcome { return c.PlaceOrder(background, pair, goodOrder) }},
	{"batch place", wrap(`{"resultList":[{"orderId":7,"clientOrderId":"mine-1"}]}`), Placed, func(c *Client) Outcome {
		return c.PlaceOrders(background, pair, []NewOrder{goodOrder})[0]
	}},
	{"cancel", wrap(`{"order_id":"7","client_oid":null,"result":true,"err_code":null,"err_msg":null}`), Cancelled, func(c *Client) Outcome {
		return c.CancelOrder(background, pair, OrderRef{OrderID: "7"})
	}},
	{"batch cancel", wrap(`{"successList":["7"],"failureList":[]}`), Cancelled, func(c *Client) Outcome {
		return c.CancelOrders(background, pair, OrderRefs{OrderIDs: []string{"7"}})[0]
	}},
	{"trigger", `{"client_oid":null,"order_id":"7"}`, Placed, func(c *Client) Outcome { return c.PlaceTrigger(background, goodTrigger) }},
}

// cut removes the last third of a text.
func cut(text string) string { return text[:len(text)*2/3] }
