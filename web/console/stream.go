package console

import (
	"bufio"
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"maps"
	"net"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/a-h/templ"
	"github.com/gofiber/fiber/v2"

	"rebatedesk/access"
	"rebatedesk/affiliate"
	"rebatedesk/exchange/weex"
	"rebatedesk/market"
	"rebatedesk/reports/query"
	"rebatedesk/trading"
	"rebatedesk/web/handler"
	"rebatedesk/web/templates/console/frame"
)

// streamPath is the address of the streams that keep pages up to date.
const streamPath = "/console/stream"

const (
	// Heartbeat is the longest silence of a stream. A page that hears nothing for twice as
	// long says that it is out of date.
	Heartbeat = 5 * time.Second
	// streamPatience is how long a reader may take for one message.
	streamPatience = 20 * time.Second
	// pace is the shortest time between two messages about the same page: what changes
	// meanwhile is told at once.
	pace = 500 * time.Millisecond
)

// LivePart is one message about a part of a page.
type LivePart struct {
	Name, Event string
	Content     []byte
	Digest      string // tells two states of the part apart
}

// PartOf draws a part of a page.
func PartOf(ctx context.Context, name string, component templ.Component) (LivePart, error) {
	content, err := handler.PartOfStream(ctx, component)
	return LivePart{name, "part", content, Digest(content)}, err
}

// Digest tells two states of a part apart.
func Digest(content []byte) string {
	sum := sha256.Sum256(content)
	return base64.RawURLEncoding.EncodeToString(sum[:9])
}

// mostHad is the longest state of parts that a page may hand to its stream.
const mostHad = 400

// toldBy reads the state of the parts that a page hands to its stream, each name:digest. Anything
// else tells nothing, and then all is told again.
func toldBy(had string) map[string]string {
	told := map[string]string{}
	if len(had) > mostHad {
		return told
	}
	for part := range strings.SplitSeq(strings.Clone(had), ",") {
		if name, state, ok := strings.Cut(part, ":"); ok {
			told[name] = state
		}
	}
	return told
}

// Live is a page that a stream keeps up to date.
type Live struct {
	// Watch opens the reader of what the page shows.
	Watch func(ctx context.Context) (*market.Reader, error)
	// News writes what differs from what the browser has.
	News func(ctx context.Context) error
}

// StreamAddress is the address of the stream for a page with parameters of its own.
func StreamAddress(page string, account affiliate.Account, values url.Values) string {
	values.Set("page", page)
	values.Set(AccountParam, string(account))
	return streamPath + "?" + values.Encode()
}

// Stream sends news of one page to a browser as server-sent events, until the browser closes it,
// the session ends, or its user may no longer see the console. A reader who is slower than the
// news gets the newest state and not what was in between.
func (s *Base) Stream(c *fiber.Ctx) error {
	who, err := s.Caller(c)
	if err != nil {
		return err
	}
	account := affiliate.Account(c.Query(AccountParam))
	client, ok := s.Console.Client(account)
	if !ok {
		return &query.ParamError{Param: AccountParam, Value: string(account), Problem: "is no account in use"}
	}
	t := &Teller{zone: s.Zone, Account: account, client: client, User: s.Reader(c), Trades: s.TradingMode() != trading.Off && s.May(c, access.MayTrade),
		Told: toldBy(c.Query("had")), fills: fillMarksIn(c.Query("fills"))}
	page := c.Query("page")
	begin := s.Lives[page]
	if begin == nil {
		return &query.ParamError{Param: "page", Value: page, Problem: "is none of market, ticket, orders and overview"}
	}
	if t.live, err = begin(c, t); err != nil || c.Method() == fiber.MethodHead {
		return err
	}
	leave, err := s.streams.enter(who.User)
	if err != nil {
		return err
	}
	session := liveSession{access: s.Access, secret: who.Secret, from: s.Client(c)}
	session.from.Background = true
	c.Set(fiber.HeaderContentType, "text/event-stream")
	c.Set("X-Accel-Buffering", "no")
	conn := c.Context().Conn()
	c.Context().SetBodyStreamWriter(func(w *bufio.Writer) {
		defer leave()
		t.w = w
		err := s.Guarded("stream of the console", func() error { return t.tell(s.Leaving, s.Market, &s.Bell, conn, session) })
		if err != nil {
			s.Log.Debug("a stream of the console ended", "error", err)
		}
	})
	return nil
}

// liveSession is the session of a stream.
type liveSession struct {
	access *access.Service
	secret string
	from   access.Origin
}

// ended reports why the stream has to end, if it has to.
func (l liveSession) ended(ctx context.Context) string {
	p, err := l.access.BySession(ctx, l.secret, l.from)
	switch {
	case err != nil || p.State != access.Full:
		return "Your session has ended. Sign in again."
	case !p.May(access.MayConsole) || !p.Bound.Everything():
		return "You may no longer see the console."
	}
	return ""
}

// Teller tells one browser what is new.
type Teller struct {
	w       *bufio.Writer
	live    Live
	Account affiliate.Account
	client  *weex.Client
	zone    *time.Location
	User    string
	Trades  bool // the reader may send orders

	Told  map[string]string // what the browser has of each part
	fills fillMarks         // own fills that the page knows; nil: it is not told of any
}

// Budget is how much of the exchange's limit is used, as a part of a page.
func (t *Teller) Budget() templ.Component {
	return frame.Budget(frame.View{Budget: BudgetOf(t.client), Zone: t.zone})
}

// tell writes messages until ctx ends, the session ends or the browser has gone.
func (t *Teller) tell(ctx context.Context, feed *market.Feed, bell *bell, conn net.Conn, session liveSession) error {
	watch, err := t.live.Watch(ctx)
	if err != nil {
		return err
	}
	defer watch.Close()
	rung, leave := bell.listen()
	defer leave()
	beat := time.NewTicker(feed.Every(Heartbeat))
	defer beat.Stop()
	for {
		if conn != nil {
			if err := conn.SetWriteDeadline(time.Now().Add(streamPatience)); err != nil {
				return err
			}
		}
		if why := session.ended(ctx); why != "" {
			return t.end(why)
		}
		if err := t.Write("beat", fmt.Appendf(nil, "%d", time.Now().UnixMilli())); err != nil {
			return err
		}
		if err := t.live.News(ctx); err != nil {
			return err
		}
		if err := t.w.Flush(); err != nil {
			return err
		}
		select {
		case <-time.After(feed.Every(pace)):
		case <-ctx.Done():
			return t.end("")
		}
		select {
		case <-watch.Changed():
		case <-rung:
		case <-beat.C:
		case <-ctx.Done():
			return t.end("")
		}
	}
}

// end tells the browser why the stream ends; without a reason it may come back.
func (t *Teller) end(why string) error {
	if why != "" {
		if err := t.Write("end", []byte(why)); err != nil {
			return err
		}
	}
	return t.w.Flush()
}

// Parts writes components that differ from what the browser has.
func (t *Teller) Parts(ctx context.Context, components ...templ.Component) error {
	for i, component := range components {
		part, err := PartOf(ctx, fmt.Sprintf("part %d", i), component)
		if err != nil {
			return err
		}
		if err := t.Part(part); err != nil {
			return err
		}
	}
	return nil
}

// Part writes a part of the page unless the browser has it.
func (t *Teller) Part(part LivePart) error {
	if t.Told[part.Name] == part.Digest {
		return nil
	}
	t.Told[part.Name] = part.Digest
	return t.Write(part.Event, part.Content)
}

// Write writes one message.
func (t *Teller) Write(event string, data []byte) error {
	fmt.Fprintf(t.w, "event: %s\n", event)
	for line := range bytes.SplitSeq(data, []byte("\n")) {
		fmt.Fprintf(t.w, "data: %s\n", line)
	}
	_, err := t.w.WriteString("\n") // the errors of a bufio.Writer stay
	return err
}

// Limits of streams: of one user, who may have several browsers, and of all users together.
const (
	streamsOfUser = 8
	streamsOfAll  = 400
)

// streams counts the open streams.
type streams struct {
	mutex sync.Mutex
	users map[string]int
	all   int
}

// enter takes a place for a stream of a user. The caller must leave.
func (s *streams) enter(user string) (leave func(), err error) {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	switch {
	case s.users[user] >= streamsOfUser:
		return nil, handler.NewProblem(fiber.StatusTooManyRequests, "Too many pages of this user are kept up to date at once: close some. This one can be reloaded by hand.")
	case s.all >= streamsOfAll:
		return nil, handler.NewProblem(fiber.StatusServiceUnavailable, "Too many pages are kept up to date at once. This one can be reloaded by hand.")
	}
	if s.users == nil {
		s.users = map[string]int{}
	}
	s.users[user]++
	s.all++
	return sync.OnceFunc(func() {
		s.mutex.Lock()
		defer s.mutex.Unlock()
		s.all--
		if s.users[user]--; s.users[user] == 0 {
			delete(s.users, user)
		}
	}), nil
}

// bell wakes streams when an order was prepared or sent here, or sending was stopped.
type bell struct {
	Rings     atomic.Uint64
	mutex     sync.Mutex
	listeners map[chan struct{}]struct{}
}

// Ring wakes all streams.
func (b *bell) Ring() {
	b.Rings.Add(1)
	b.mutex.Lock()
	defer b.mutex.Unlock()
	for heard := range b.listeners {
		select {
		case heard <- struct{}{}:
		default: // it was told already and has not looked yet
		}
	}
}

// listen returns a channel that receives a value after each ring. The caller must leave.
func (b *bell) listen() (heard chan struct{}, leave func()) {
	heard = make(chan struct{}, 1)
	b.mutex.Lock()
	defer b.mutex.Unlock()
	if b.listeners == nil {
		b.listeners = map[chan struct{}]struct{}{}
	}
	b.listeners[heard] = struct{}{}
	return heard, func() {
		b.mutex.Lock()
		defer b.mutex.Unlock()
		delete(b.listeners, heard)
	}
}

// fillMark is how far a page knows the own fills of a pair: those before an instant, and some of
// that instant.
type fillMark struct {
	at  affiliate.Millis
	ids []string // digests of the fills of that instant; their ids are foreign texts
}

// fillMarks are the marks of a page, by pair. The page hands them to its stream, so a page that
// was hidden is told what happened meanwhile, and no fill is told twice.
type fillMarks map[string]fillMark

// mostMarked is how many fills of one instant a mark names.
const mostMarked = 20

// knows reports whether a fill is up to the mark.
func (m fillMark) knows(f weex.Fill) bool {
	return f.Created < m.at || f.Created == m.at && slices.Contains(m.ids, fillDigest(f))
}

// past returns the mark after an answer of the exchange.
func (m fillMark) past(list []weex.Fill) fillMark {
	for _, f := range list {
		switch {
		case f.Created > m.at:
			m = fillMark{f.Created, []string{fillDigest(f)}}
		case f.Created == m.at && !m.knows(f) && len(m.ids) < mostMarked:
			m.ids = append(slices.Clone(m.ids), fillDigest(f))
		}
	}
	return m
}

func fillDigest(f weex.Fill) string {
	sum := sha256.Sum256([]byte(f.FillID))
	return base64.RawURLEncoding.EncodeToString(sum[:6])
}

// MarksOf returns the marks of a page that is drawn now. Fills that are not known yet count from
// now on.
func MarksOf(quotes ...market.Quote) fillMarks {
	marks := fillMarks{}
	for _, q := range quotes {
		switch {
		case affiliate.IsContract(q.Symbol): // the exchange lists no fills of contracts
		case q.Fills.Known():
			marks[q.Symbol] = fillMark{}.past(q.Fills.Value)
		default:
			marks[q.Symbol] = fillMark{at: affiliate.MillisOf(time.Now())}
		}
	}
	return marks
}

// QuotesOf returns what is known of the pairs of a list.
func QuotesOf[T any](list []T, of func(T) market.Quote) []market.Quote {
	quotes := make([]market.Quote, len(list))
	for i, one := range list {
		quotes[i] = of(one)
	}
	return quotes
}

// String writes the marks as a page hands them to its stream.
func (m fillMarks) String() string {
	var list []string
	for _, symbol := range slices.Sorted(maps.Keys(m)) {
		list = append(list, strings.Join(append([]string{symbol, strconv.FormatInt(int64(m[symbol].at), 36)}, m[symbol].ids...), "."))
	}
	return strings.Join(list, ",")
}

// mostMarks is the longest state of marks that a page may hand to its stream.
const mostMarks = 4000

// fillMarksIn reads what [fillMarks.String] wrote; nil if there is nothing. What is not understood
// is left out, and the fills of its pair then count from the first answer on.
func fillMarksIn(text string) fillMarks {
	if text == "" || len(text) > mostMarks {
		return nil
	}
	marks := fillMarks{}
	for one := range strings.SplitSeq(strings.Clone(text), ",") {
		parts := strings.Split(one, ".")
		if len(parts) < 2 || !IsPair(parts[0]) || len(parts) > 2+mostMarked {
			continue
		}
		if at, err := strconv.ParseInt(parts[1], 36, 64); err == nil {
			marks[parts[0]] = fillMark{affiliate.Millis(at), parts[2:]}
		}
	}
	return marks
}

// fresh returns the fills of a pair that the page was not told yet, and counts them as told. Of a
// pair without a mark the first answer tells nothing.
func (m fillMarks) fresh(q market.Quote) (list []weex.Fill) {
	if !q.Fills.Known() {
		return nil
	}
	mark, marked := m[q.Symbol]
	for _, f := range q.Fills.Value {
		if marked && !mark.knows(f) {
			list = append(list, f)
		}
	}
	m[q.Symbol] = mark.past(q.Fills.Value)
	return list
}

// liveFills are own fills as a page is told them.
type liveFills struct {
	Marks string `json:"marks"` // after them
	Count int    `json:"count"`
	Words string `json:"words"`
}

// FillNews tells the own fills that are new since the page was told last, summed up. They come
// from what the page reads anyway.
func (t *Teller) FillNews(quotes ...market.Quote) error {
	if t.fills == nil {
		return nil
	}
	var list []weex.Fill
	for _, q := range quotes {
		list = append(list, t.fills.fresh(q)...)
	}
	if len(list) == 0 {
		return nil
	}
	content, err := json.Marshal(liveFills{t.fills.String(), len(list), frame.FillWords(list, time.Now(), t.zone)})
	if err != nil {
		return err
	}
	return t.Write("fills", content)
}
