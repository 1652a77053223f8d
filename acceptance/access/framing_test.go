package access_test

import (
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"testing"
	"time"

	"rebatedesk/acceptance/site"
	"rebatedesk/web"
)

// A request that gives its length in two ways is refused at every address and ends its
// connection. Two readers could disagree on whether the bytes after it are a second
// request, so they are not answered.
func TestLengthTwice(t *testing.T) {
	t.Parallel()
	address, _ := site.Serve(t, web.Options{Reports: site.SharedReports(t)})
	const behind = "GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n"
	for _, method := range []string{"GET", "POST", "DELETE"} {
		for _, path := range []string{"/healthz", "/login", "/console/proxy/main/api/v2/trade/orders", "/nowhere"} {
			for _, lengths := range []string{
				"Content-Length: 4\r\nTransfer-Encoding: chunked\r\n", "Transfer-Encoding: chunked\r\nContent-Length: 4\r\n",
				"content-length: 0\r\nTRANSFER-ENCODING: chunked\r\n", "Transfer-Encoding: identity\r\nContent-Length: 5\r\n",
			} {
				request := fmt.Sprintf("%s %s HTTP/1.1\r\nHost: localhost\r\n%s\r\n0\r\n\r\n", method, path, lengths)
				said := spoken(t, address, request+behind)
				if !strings.HasPrefix(said, "HTTP/1.1 400 ") || strings.Count(said, "HTTP/1.1 ") != 1 || !strings.Contains(said, "Connection: close") {
					t.Errorf("%q was answered with %q", request, said)
				}
				checkRawPolicy(t, said)
			}
		}
	}
	// If only one of the two lengths is given, both requests are answered.
	for _, one := range []string{"Content-Length: 0\r\n\r\n", "Transfer-Encoding: chunked\r\n\r\n0\r\n\r\n"} {
		said := spoken(t, address, "POST /login HTTP/1.1\r\nHost: localhost\r\n"+one+strings.Replace(behind, "\r\n\r\n", "\r\nConnection: close\r\n\r\n", 1))
		if strings.Count(said, "HTTP/1.1 ") != 2 || !strings.Contains(said, "HTTP/1.1 200 ") {
			t.Errorf("%q followed by a request was answered with %q", one, said)
		}
	}
}

// spoken sends bytes unchanged and returns everything that arrives until the server
// closes the connection.
func spoken(t *testing.T, address, text string) string {
	t.Helper()
	conn, err := net.Dial("tcp", strings.TrimPrefix(address, "http://"))
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	if err := conn.SetDeadline(time.Now().Add(site.Patience)); err != nil {
		t.Fatal(err)
	}
	if _, err := io.WriteString(conn, text); err != nil {
		t.Fatal(err)
	}
	said, err := io.ReadAll(conn)
	if err != nil {
		t.Fatalf("the connection ended with an error: %v after %q", err, said) // every other one would wait as long
	}
	return string(said)
}

func checkRawPolicy(t *testing.T, said string) {
	t.Helper()
	for name, want := range site.Policy {
		if line := "\r\n" + http.CanonicalHeaderKey(name) + ": " + want + "\r\n"; want != "" && !strings.Contains(said, line) {
			t.Errorf("an answer without %s: %q", name, said)
		}
	}
}
