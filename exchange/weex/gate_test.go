package weex

import (
	"rebatedesk/exchange"

	"fmt"
	"math"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"
)

// net/http returns a connection to its pool before it passes on an answer without a body.
// The connection may already carry the next order when the previous call fails, whose
// outcome may depend only on its own request.
func TestGatesOfBusyConnections(t *testing.T) {
	const badRedirect = "HTTP/1.1 302 Found\r\nLocation: http://%zz/\r\nContent-Length: 0\r\n\r\n"
	x := listenRaw(t, replies(badRedirect))
	c := dialRaw(t, x, func(c *exchange.Config) { c.Budget = exchange.NewBudget(math.MaxInt32) })
	var sent atomic.Int64
	var mu sync.Mutex
	notSent := map[string]bool{}
	var workers sync.WaitGroup
	for range 8 {
		workers.Go(func() {
			for end := time.Now().Add(time.Second); time.Now().Before(end); {
				o := goodOrder
				o.ClientOrderID = fmt.Sprintf("id-%d-", sent.Add(1))
				got := c.PlaceOrder(background, pair, o)
				if got.State != Unknown && got.State != NotSent {
					t.Errorf("a redirect gives %+v", got)
				}
				mu.Lock()
				notSent[o.ClientOrderID] = got.State == NotSent
				mu.Unlock()
			}
		})
	}
	workers.Wait()
	x.mu.Lock()
	defer x.mu.Unlock()
	executed := map[string]int{}
	for _, body := range x.executed {
		_, rest, _ := strings.Cut(body, `"id-`)
		id, _, _ := strings.Cut(rest, `"`)
		executed["id-"+id]++
	}
	for id, times := range executed {
		if times > 1 || notSent[id] {
			t.Errorf("%s was executed %d times, and reported as not sent: %v", id, times, notSent[id])
		}
	}
	if len(executed) < 100 {
		t.Errorf("only %d of %d orders were executed", len(executed), sent.Load())
	}
}

var documentedCodes = []string{
	"40001", "40002", "40003", "40005", "40006", "40007", "40008", "40009", "40010", "40011", "40012", "40013", "40014", "40015",
	"40017", "40018", "40019", "40020", "40022", "40725", "40753", "40912", "40913", "429", "50003", "50004", "50005", "50007",
	"-1046", "-1047", "-1059", "-1142", "-1170", "-1171",
}

// An unknown code proves nothing about an order, whichever known family it resembles.
func TestUnknownCodesOfOrders(t *testing.T) {
	for _, code := range []string{"40010", "40725", "40015", "45001", "99999", "-1000", "-1006", "-1007", "500", "504", "50001", "FAILED_SOMEHOW"} {
		for _, status := range []int{200, 400, 404} {
			f := serve(t, says(status, fmt.Sprintf(`{"code":%q,"msg":"words","data":null}`, code)))
			if got := dial(t, f).PlaceOrder(background, pair, goodOrder); got.State != Unknown {
				t.Errorf("HTTP %d, code %s: %+v", status, code, got)
			}
		}
	}
	for _, code := range documentedCodes {
		meaning, known := knownCodes[code]
		if !known {
			t.Errorf("code %s is unknown", code)
		}
		f := serve(t, says(400, fmt.Sprintf(`{"code":%q,"msg":"words","data":null}`, code)))
		want := Refused
		if meaning.Class == exchange.ClassUpstream {
			want = Unknown
		}
		if got := dial(t, f).PlaceOrder(background, pair, goodOrder); got.State != want {
			t.Errorf("code %s: %+v, want %s", code, got, want)
		}
	}
}

// A batch answer with one id for two orders, or with an order that is both cancelled and
// not, is invalid.
func TestContradictoryBatches(t *testing.T) {
	two := []NewOrder{goodOrder, goodOrder}
	two[0].ClientOrderID, two[1].ClientOrderID = "a", "b"
	f := serve(t, says(200, wrap(`{"resultList":[{"orderId":7,"clientOrderId":"a"},{"orderId":7,"clientOrderId":"b"}]}`)))
	if got := states(dial(t, f).PlaceOrders(background, pair, two)); got != "unknown 7a, unknown 7b" {
		t.Error(got)
	}
	f = serve(t, says(200, wrap(`{"successList":["5"],"failureList":[{"orderId":"5","clientOid":"a","errMsg":"50005"}]}`)))
	if got := states(dial(t, f).CancelOrders(background, pair, OrderRefs{ClientOrderIDs: []string{"a", "b"}})); got != "unknown a, unknown b" {
		t.Error(got)
	}
}
