package simulator

import (
	"maps"
	"net"
	"net/http"
	"slices"
	"strconv"
	"time"
)

const (
	jsonType = "application/json;charset=UTF-8"
	htmlType = "text/html"
)

// reply is a response, decided under the lock and sent without it.
type reply struct {
	status      int
	contentType string
	header      map[string]string
	body        []byte
	fault       Fault         // transport fault, if any
	announced   int           // Content-Length, if it differs from that of the body
	delay       time.Duration // wait before anything is sent
}

func isTransport(f Fault) bool { return slices.Contains(transportFaults, f) }

// breaks replaces the answer if the fault lets nothing of the real answer through, and
// reports whether it does.
func (s *Simulator) breaks(out *reply, route route, r *http.Request, rule FaultRule) bool {
	switch out.fault {
	case RateLimited:
		*out = s.refusal(*out, route, errTooMany)
	case ServerError, ExecutedError:
		*out = s.refusal(*out, route, errSystem)
		out.status = [...]int{500, 503, 504}[s.triggers.random.IntN(3)]
		if out.status == http.StatusGatewayTimeout {
			out.body = nil
		}
	case HTMLOK, ExecutedHTMLOK:
		out.contentType = htmlType
		out.body = []byte("<!DOCTYPE html><html><head><title>Just a moment...</title></head><body>Checking your browser</body></html>")
	case HTMLError, ExecutedHTML:
		out.status, out.contentType = http.StatusBadGateway, htmlType
		out.body = []byte("<html><head><title>502 Bad Gateway</title></head><body><center><h1>502 Bad Gateway</h1></center></body></html>")
	case Redirected:
		if rule.Location == "" {
			rule.Location = r.URL.RequestURI()
		}
		out.status = http.StatusTemporaryRedirect
		out.header = maps.Clone(out.header)
		if out.header == nil {
			out.header = map[string]string{}
		}
		out.header["Location"] = rule.Location
	case Dropped, Reset:
	default:
		return false
	}
	return true
}

// damaged applies the faults that spoil a real answer in transit.
func (s *Simulator) damaged(out reply, rule FaultRule) reply {
	random := s.triggers.random
	switch out.fault {
	case Truncated:
		whole := len(out.body)
		out.body = out.body[:1+random.IntN(max(1, whole-1))]
		if random.IntN(2) == 0 { // otherwise the length fits and only the JSON ends early
			out.announced = whole
		}
	case Slow:
		out.delay = rule.Delay
		if out.delay == 0 {
			out.delay = time.Duration(50+random.IntN(250)) * time.Millisecond
		}
	}
	return out
}

// send writes the reply. Any failure from here on concerns only the client, which has gone.
func (out reply) send(w http.ResponseWriter, r *http.Request) {
	if out.fault == Reset || out.fault == Dropped {
		tearDown(w)
	}
	if out.delay > 0 {
		select {
		case <-time.After(out.delay):
		case <-r.Context().Done():
			return
		}
	}
	header := w.Header()
	for name, value := range out.header {
		header.Set(name, value)
	}
	header.Set("Content-Type", out.contentType)
	header.Set("Content-Length", strconv.Itoa(max(out.announced, len(out.body))))
	w.WriteHeader(out.status)
	// A body shorter than announced makes net/http close the connection in the middle,
	// which is intended.
	_, _ = w.Write(out.body)
}

// tearDown ends the connection with a reset instead of an answer.
func tearDown(w http.ResponseWriter) {
	if hijacker, ok := w.(http.Hijacker); ok {
		if conn, _, err := hijacker.Hijack(); err == nil {
			if tcp, ok := conn.(*net.TCPConn); ok {
				_ = tcp.SetLinger(0) // without it the connection ends in order, which is a failure for the client as well
			}
			_ = conn.Close() // no client is left to receive the error
		}
	}
	panic(http.ErrAbortHandler)
}
