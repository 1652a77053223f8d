package site

import (
	"bufio"
	"context"
	"net/http"
	"strings"
	"testing"
	"time"
)

// Stream is a stream of the console as a browser reads it.
type Stream struct {
	Status int
	Events chan string // names, and after a space the data
	Close  context.CancelFunc
}

// Stream opens a stream of a page.
func (v *Visitor) Stream(query string) *Stream {
	v.Helper()
	ctx, cancel := context.WithCancel(context.Background())
	v.Cleanup(cancel)
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, v.Address+"/console/stream?"+query, nil)
	if err != nil {
		v.Fatal(err)
	}
	request.Header.Set("Cookie", v.Cookie())
	request.Header.Set("HX-Request", "true")
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		v.Fatal(err)
	}
	s := &Stream{Status: response.StatusCode, Events: make(chan string, 1000), Close: cancel}
	go func() {
		defer close(s.Events)
		defer response.Body.Close()
		name, data := "", ""
		lines := bufio.NewScanner(response.Body)
		lines.Buffer(nil, 1<<22)
		for lines.Scan() {
			switch line := lines.Text(); {
			case line == "":
				s.Events <- name + " " + data
				name, data = "", ""
			case strings.HasPrefix(line, "event: "):
				name = line[len("event: "):]
			case strings.HasPrefix(line, "data: "):
				data += line[len("data: "):]
			}
		}
	}()
	return s
}

// Until returns the first event that begins with a word and holds a text.
func (s *Stream) Until(t testing.TB, name, holds string, within time.Duration) string {
	t.Helper()
	limit := time.After(within)
	for {
		select {
		case event, ok := <-s.Events:
			if !ok {
				t.Fatalf("the stream ended before %s with %q", name, holds)
			}
			if strings.HasPrefix(event, name+" ") && strings.Contains(event, holds) {
				return event
			}
		case <-limit:
			t.Fatalf("no %s with %q within %v", name, holds, within)
		}
	}
}
