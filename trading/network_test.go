package trading_test

import (
	"context"
	"errors"
	"net/http"
	"slices"
	"testing"
	"time"

	"rebatedesk/store/storetest"
	"rebatedesk/trading"
)

// cutDesk is a desk that reaches the database of the fixture through a network that can be
// cut. The desk of the fixture reaches it directly, as another process does.
type cutDesk struct {
	*fixture
	cut  *storetest.Cut
	desk *trading.Desk
}

func openCutDesk(t *testing.T) *cutDesk {
	t.Helper()
	f := openFixture(t, nil)
	place, cut := storetest.NewCut(t, f.path)
	return &cutDesk{f, cut, f.deskOn(openStore(t, place, f.now), nil)}
}

// prepareAndSend does what a user does with two pages: the form and its review.
func (c *cutDesk) prepareAndSend(draft trading.Draft) error {
	in, err := c.desk.Prepare(context.Background(), trader, draft)
	if err == nil {
		_, err = c.desk.Send(context.Background(), trader, in.ID)
	}
	return err
}

// settles requires, once the database is back, that an order call is stored as what it was:
// never sent; sent, with its outcome; or unknown, which nothing but a user or the exchange
// ends. before is the number of calls that the exchange had received before it.
func (c *cutDesk) settles(draft trading.Draft, before int) (state trading.IntentState) {
	c.Helper()
	ctx := context.Background()
	if err := c.desk.Settle(ctx); err != nil {
		c.Fatal(err)
	}
	sent := c.sent() - before
	in, err := c.fixture.desk.Intent(ctx, draft.ID)
	if errors.Is(err, trading.ErrNoIntent) || err == nil && in.Orders[0].State == trading.IntentDrafted {
		if sent != 0 {
			c.Fatalf("%d calls were made of an order that was not claimed", sent)
		}
		if err := c.prepareAndSend(draft); err != nil {
			c.Fatal(err)
		}
		if in, err = c.fixture.desk.Intent(ctx, draft.ID); err != nil || !isDone(in) || c.sent() != before+1 {
			c.Errorf("sent again by its user, it is %+v after %d calls (%v)", in, c.sent()-before, err)
		}
		return trading.IntentDrafted
	}
	if err != nil {
		c.Fatal(err)
	}
	switch {
	case sent > 1:
		c.Errorf("%d calls were made", sent)
	case sent == 1 && !isDone(in):
		c.Errorf("the exchange accepted it, and it is %+v", in)
	case sent == 1:
		state = trading.IntentPlaced
	case in.Orders[0].State == trading.IntentNotSent:
		state = trading.IntentNotSent
	default:
		state = trading.IntentUnknown
		c.becomesUnknown(in.ID)
	}
	if err := c.prepareAndSend(draft); err != nil || c.sent() != before+sent {
		c.Errorf("sent again, %d more calls were made (%v)", c.sent()-before-sent, err)
	}
	return state
}

// becomesUnknown requires that an order in flight, of which no outcome is known, is shown as
// unknown in time, blocks others like it, and is ended by its user.
func (c *cutDesk) becomesUnknown(id string) {
	c.Helper()
	ctx := context.Background()
	c.after.Add(int64(2 * time.Minute))
	shown, err := c.fixture.desk.Unknowns(ctx)
	if err != nil || !slices.ContainsFunc(shown, func(in trading.Intent) bool { return in.ID == id }) {
		c.Errorf("it is not shown as unknown: %+v (%v)", shown, err)
	}
	if err := c.desk.Settle(ctx); err != nil {
		c.Fatal(err)
	}
	found, err := c.fixture.desk.Resolve(ctx, trader, id)
	if err != nil {
		c.Fatal(err)
	}
	c.tellsTheTruth(found.Intent)
	for _, o := range found.Intent.Orders {
		if o.State != trading.IntentUnknown {
			c.Errorf("it was never sent, and became %+v", o)
		}
		if _, err := c.fixture.desk.Decide(ctx, trader, id, o.N, false, "It is not at the exchange."); err != nil {
			c.Error(err)
		}
	}
}

// isDone reports whether the exchange is known to have accepted all orders of an intent.
func isDone(in trading.Intent) bool {
	return !slices.ContainsFunc(in.Orders, func(o trading.Order) bool {
		return o.State != trading.IntentPlaced && o.State != trading.IntentCancelled
	})
}

// claimed is how many requests before the call to the exchange a desk begins to claim an
// order, at most.
const claimed = 32

// If the connection to the database is cut at any request while an order is prepared and
// sent, for a moment or for longer, the exchange receives it at most once. What the exchange
// accepted is stored once the database is back.
func TestConnectionIsCutAroundAnOrder(t *testing.T) {
	storetest.PostgresOnly(t)
	t.Parallel()
	for name, stride := range map[string]struct{ momentary, lasting int }{"place": {1, 4}, "cancel": {0, 3}, "batch": {0, 5}, "trigger": {0, 5}} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c := openCutDesk(t)
			states := map[trading.IntentState]int{}
			var draft trading.Draft
			var before int
			next := func() {
				c.after.Add(int64(time.Minute)) // the same order is meant
				draft = kinds[name].draft(c.fixture)
				draft.ID, draft.Again = trading.NewID(), true
				before = c.sent()
			}
			next()
			first, called := c.cut.Requests(), 0
			c.answers(func(_ http.ResponseWriter, r *http.Request) bool {
				if called == 0 && ordering(r.URL.Path) {
					called = c.cut.Requests() - first
				}
				return false
			})
			if err := c.prepareAndSend(draft); err != nil {
				t.Fatal(err)
			}
			next()
			cuts := 0
			sweep := func(stride int, lasting bool) {
				cuts += c.cut.Each(func(n int) int {
					if n += stride; n < called-claimed {
						n += 8 // checks, which only read
					}
					return n
				}, lasting, func() {
					_ = c.prepareAndSend(draft) // the exchange and the database tell what became of it
				}, func(at storetest.Break) {
					c.cut.Mend()
					states[c.settles(draft, before)]++
					if t.Failed() {
						t.Fatal(at)
					}
					next()
				})
				next()
			}
			if stride.momentary > 0 {
				// How many requests come before the claim is not always the same, as a connection may be
				// new, so that one sweep can pass the claim by.
				for range 3 {
					if sweep(stride.momentary, false); states[trading.IntentUnknown] > 0 {
						break
					}
				}
				if states[trading.IntentUnknown] == 0 {
					t.Errorf("none of %d cuts lost the answer to a claim", cuts)
				}
			}
			sweep(stride.lasting, true)
			if cuts < 16 || states[trading.IntentDrafted] == 0 || states[trading.IntentPlaced] == 0 {
				t.Errorf("%d cuts: %v", cuts, states)
			}
			t.Logf("the call is made after %d requests; %d cuts: %v", called, cuts, states)
		})
	}
}

// A process loses its database when the exchange has accepted an order, and dies. The next
// one calls the order unknown, and finds it at the exchange.
func TestOrderOfADeadNodeWithoutADatabase(t *testing.T) {
	storetest.PostgresOnly(t)
	t.Parallel()
	f := openFixture(t, nil)
	place, cut := storetest.NewCut(t, f.path)
	dying := f.nodeAt(place, "dying")
	desk := f.deskOn(dying, nil)
	f.answers(func(_ http.ResponseWriter, r *http.Request) bool {
		if ordering(r.URL.Path) {
			cut.At(storetest.Break{Request: 1, Lasting: true})
		}
		return false
	})
	in := f.prepare(f.limit())
	if got, err := desk.Send(context.Background(), trader, in.ID); err == nil {
		t.Errorf("without a database it is %+v", got)
	}
	if err := dying.Close(); err != nil { // nothing renews its lease any more, as after a kill
		t.Fatal(err)
	}
	for end := time.Now().Add(time.Minute); f.stateOf(in.ID) == trading.IntentSending && time.Now().Before(end); {
		f.openOn(f.store)
	}
	if state := f.stateOf(in.ID); state != trading.IntentUnknown {
		t.Errorf("after the death of its process it is %s", state)
	}
	f.send(in.ID)
	found, err := f.desk.Resolve(context.Background(), trader, in.ID)
	if err != nil || found.Intent.Orders[0].State != trading.IntentPlaced || f.sent() != 1 {
		t.Errorf("it is %+v after %d calls (%v)", found.Intent.Orders, f.sent(), err)
	}
}

// If the server of the database is killed before an order is sent, nothing is sent; if it is
// killed while the exchange works on the order, the outcome is stored once it is back.
func TestServerIsKilledAroundAnOrder(t *testing.T) {
	t.Parallel()
	server := storetest.NewServer(t)
	f := openFixtureAt(t, server.Empty(), nil)
	for _, at := range []struct {
		sending bool // the server is killed while the order is sent; otherwise while it is checked
		calls   int
	}{{false, 0}, {true, 1}} {
		draft := f.limit()
		draft.Again = true
		in, before, killed := f.prepare(draft), f.sent(), false
		f.answers(func(_ http.ResponseWriter, r *http.Request) bool {
			if !killed && ordering(r.URL.Path) == at.sending {
				killed = true
				server.Kill()
			}
			return false
		})
		if got, err := f.desk.Send(context.Background(), trader, in.ID); err == nil || !killed {
			t.Errorf("without a database it is %+v", got)
		}
		if n := f.sent() - before; n != at.calls {
			t.Errorf("%d calls were made, want %d", n, at.calls)
		}
		server.Wake()
		if err := f.desk.Settle(context.Background()); err != nil {
			t.Error(err)
		}
		if state, want := f.stateOf(in.ID), map[bool]trading.IntentState{true: trading.IntentPlaced, false: trading.IntentDrafted}[at.sending]; state != want {
			t.Errorf("it is %s, want %s", state, want)
		}
		if got := f.send(in.ID); !isDone(got) || f.sent() != before+1 {
			t.Errorf("in the end it is %+v after %d calls", got.Orders, f.sent()-before)
		}
	}
}
