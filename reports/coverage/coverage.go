package coverage

import (
	"slices"
	"time"

	"github.com/shopspring/decimal"

	"rebatedesk/affiliate"
	"rebatedesk/store/records"
)

// DayState is the collection state of a reporting day, over all streams on which a report
// is based.
type DayState string

// States of a day.
const (
	DayMissing   DayState = "not collected"
	DayPartial   DayState = "partly collected" // some streams, or only up to an hour
	DayCollected DayState = "collected"
	DayRunning   DayState = "running"      // today: read, and nothing missing so far
	DayFresh     DayState = "not read yet" // begun so recently that no read of it is due
	DayFuture    DayState = "not begun"
	DayFailed    DayState = "failed"
)

// Due reports whether the day should have been read by now.
func (s DayState) Due() bool { return s != DayFresh && s != DayFuture }

// Doubtful reports whether commission may be missing from the day.
func (s DayState) Doubtful() bool { return s == DayMissing || s == DayPartial || s == DayFailed }

// Tells reports whether a sum of the day is known. Zero is not known while commission may
// be missing or has yet to be earned: it is shown as unknown then, never as zero.
func (s DayState) Tells(sum decimal.Decimal) bool {
	return !sum.IsZero() || !s.Doubtful() && s.Due()
}

// Coverage says how completely the range of a report is collected.
type Coverage struct {
	Wanted    int              // days of the range that are due: those that have begun, except one that began a moment ago
	Collected int              // of these, collected up to their end or up to the last read
	Through   affiliate.Millis // everything in range before this instant has been read; unknown if some stream was not read
	Gaps      []Gap            // missing days, oldest first, adjacent ones joined
	Begun     bool             // something in range was read, of any stream
	FirstRead affiliate.Millis // when something in range was first read, possibly after the instant of the query; unknown: never
	Beyond    int              // days that were never read and that the exchange does not return
	LastRun   RunLine
	Limits    []Limit // of accounts whose records of commission do not say everything
	accounts  int     // of the question
}

// Limit names an account whose records of commission cover more than an instant, or lack fields.
type Limit struct {
	Account affiliate.Account
	Sheet   *affiliate.Sheet
}

// accountsOf counts the accounts of the streams.
func (c *Map) accountsOf() int {
	var names []affiliate.Account
	for _, s := range c.Streams {
		if !slices.Contains(names, s.Account) {
			names = append(names, s.Account)
		}
	}
	return len(names)
}

// SheetOf returns the sheet of an account with limits, nil if it has none.
func (c Coverage) SheetOf(account affiliate.Account) *affiliate.Sheet {
	for _, l := range c.Limits {
		if l.Account == account {
			return l.Sheet
		}
	}
	return nil
}

// NoFees reports whether no account of the question tells fees.
func (c Coverage) NoFees() bool {
	return c.accounts > 0 && len(c.Limits) == c.accounts && !slices.ContainsFunc(c.Limits, func(l Limit) bool { return l.Sheet.Fees })
}

// limits lists the accounts with limits, each once.
func (c *Map) limits() (list []Limit) {
	for _, s := range c.Streams {
		sheet := c.Sheets[s.Account]
		if s.Stream.Kind != affiliate.Commissions || sheet == nil || !sheet.Limited() || slices.ContainsFunc(list, func(l Limit) bool { return l.Account == s.Account }) {
			continue
		}
		list = append(list, Limit{s.Account, sheet})
	}
	return list
}

// Complete reports whether every stream was read and no due day is missing. The
// hours since the last read of the running day are not due. A range without due days,
// or one the exchange no longer lists, has no gaps either, but it is not complete.
func (c Coverage) Complete() bool { return len(c.Gaps) == 0 && c.Wanted > 0 && c.Through.Known() }

// Unreadable returns how many records could not be read, and whether nothing else is missing.
func (c Coverage) Unreadable() (records int, alone bool) {
	alone = len(c.Gaps) > 0
	for _, gap := range c.Gaps {
		records += gap.Quarantined
		alone = alone && gap.Quarantined > 0
	}
	return records, alone
}

// With merges the coverage of a second source. The result is complete if both are.
func (c Coverage) With(other Coverage) Coverage {
	c.Gaps = slices.Concat(c.Gaps, other.Gaps)
	if !other.Complete() && len(other.Gaps) == 0 {
		c.Through = 0 // nothing of the other one was read
	}
	c.Begun = c.Begun || other.Begun
	c.FirstRead = firstOf(c.FirstRead, other.FirstRead)
	return c
}

// Gap is a stretch of days of one stream that is not collected.
type Gap struct {
	Account affiliate.Account
	Stream  affiliate.Stream
	Days    affiliate.Days // UTC days
	Reason  string         // the last error, or what could not be read; empty if not tried yet

	Quarantined int // records that could not be read; 0: the days were not read, or not to their end
}

// RunLine is the outcome of the newest collection run.
type RunLine struct {
	Started  affiliate.Millis // unknown: no run yet
	Finished affiliate.Millis // unknown: the run is still running, or it died
	Records  int64
	Error    string // empty if it was stopped with the program, which is no failure
	Stopped  bool   // before its end, with the program
}

// EmptyKind is the reason why a report is empty. Each reason has its own text.
type EmptyKind string

// Reasons for an empty report.
const (
	EmptyNotCollected EmptyKind = "not-collected" // the range has not been read yet
	EmptyTruly        EmptyKind = "empty"         // the range was read and has no records
	EmptyFiltered     EmptyKind = "filtered"      // the filters exclude everything
	EmptyFailed       EmptyKind = "failed"        // collection of the range failed
	EmptyFuture       EmptyKind = "future"        // the range has not begun
	EmptyBefore       EmptyKind = "before"        // the range ends before the oldest day to be collected
	EmptyThen         EmptyKind = "then"          // at the earlier instant of the question the range had not been read
)

// Map holds how far each UTC day of some streams was read.
type Map struct {
	days    map[coverKey]records.CoverageDay
	now     time.Time
	zone    *time.Location
	Streams []AccountStream
	begins  time.Time     // nothing earlier was ever to be collected; zero = not known
	Lag     time.Duration // how long after its end a day must be read again
	// Refused has the streams that the exchange does not give, with the first UTC day that it
	// gives; 0 = none.
	Refused map[AccountStream]affiliate.Day
	// Sheets say what the exchanges of accounts give, as far as that is known.
	Sheets map[affiliate.Account]*affiliate.Sheet
}

// reach returns how far back the exchange lists a stream; 0 = as far as it has records.
func (c *Map) reach(stream AccountStream) time.Duration {
	if sheet := c.Sheets[stream.Account]; sheet != nil {
		return sheet.Of(stream.Stream).Reach
	}
	if stream.Stream.Kind == affiliate.Invitees {
		return inviteeReach
	}
	return 0
}

// listed returns up to which instant the exchange lists records of a stream.
func (c *Map) listed(stream AccountStream) time.Time {
	if sheet := c.Sheets[stream.Account]; sheet != nil {
		return sheet.KnownUntil(stream.Stream.Kind, c.now)
	}
	return c.now
}

// since cuts off the time before the first instant to be collected. Windows are whole UTC
// days, so in other zones only a part of the first reporting day is to be collected.
func (c *Map) since(span affiliate.Range) affiliate.Range {
	first := affiliate.DayOf(c.begins, c.zone).Range(c.zone)
	if !c.begins.IsZero() && !span.From.Before(first.From) && span.From.Before(c.begins) && span.To.After(c.begins) {
		span.From = c.begins
	}
	return span
}

// inviteeReach is how far back the exchange lists registrations (4.18). Only a part of the
// oldest day can be read.
const inviteeReach = 365 * 24 * time.Hour

// beyond reports whether the exchange does not return a day: it is older than the exchange lists
// records of the stream, or refused. Records read in time are kept and count.
func (c *Map) beyond(stream AccountStream, day affiliate.Day) bool {
	known := c.days[coverKey{stream, day}]
	if first, refused := c.Refused[stream]; refused && (first == 0 || day < first) {
		return !known.Through.Known() || !known.Whole()
	}
	reach := c.reach(stream)
	return reach > 0 && !known.Through.Known() && day.Start(time.UTC).Before(c.now.Add(-reach))
}

// AccountStream is a stream of one account.
type AccountStream struct {
	Account affiliate.Account
	Stream  affiliate.Stream
}

type coverKey struct {
	AccountStream
	day affiliate.Day
}

// freshEnough is how long a new day may remain unread before it counts as a gap.
const freshEnough = time.Hour

// NewMap returns a map from the collection log of some streams.
func NewMap(streams []AccountStream, list []records.CoverageDay, begins, now time.Time, zone *time.Location) *Map {
	c := &Map{days: make(map[coverKey]records.CoverageDay, len(list)), now: now, zone: zone, Streams: streams, begins: begins}
	for _, d := range list {
		if stream := (AccountStream{d.Account, d.Stream}); slices.Contains(streams, stream) {
			c.days[coverKey{stream, d.Day}] = d
		}
	}
	return c
}

// UTCDays returns the UTC days that a range touches.
func UTCDays(span affiliate.Range) affiliate.Days {
	return affiliate.Days{
		First: affiliate.DayOf(span.From, time.UTC),
		Last:  affiliate.DayOf(span.To.Add(-time.Nanosecond), time.UTC),
	}
}

// reading describes the part of a range that lies in one UTC day.
type reading struct {
	read   bool   // a part of it was read
	absent bool   // a part is missing although it has happened and is due
	cause  string // the reason, as far as it is known

	quarantined int // records that could not be read; only these are missing
}

// reading compares a UTC day of a stream with the range that touches it.
func (c *Map) reading(stream AccountStream, day affiliate.Day, span affiliate.Range) reading {
	utc := day.Range(time.UTC)
	from, until := later(span.From, utc.From), earlier(span.To, utc.To)
	known := c.days[coverKey{stream, day}]
	r := reading{read: known.Through > affiliate.MillisOf(from)}
	switch {
	case r.read && known.Quarantined > 0:
		r.absent, r.cause, r.quarantined = true, known.Error, known.Quarantined
	case c.beyond(stream, day):
	case c.listed(stream).Before(until):
		if r.absent = !r.read && c.listed(stream).Sub(from) >= freshEnough; r.absent {
			r.cause = known.Error
		}
	case known.Through < affiliate.MillisOf(until):
		r.absent, r.cause = true, known.Error
	case c.Lag > 0 && known.LastRead < affiliate.MillisOf(until.Add(c.Lag)):
		r.absent = true
		settled := until.Add(c.Lag)
		if words := settled.In(c.zone).Format("2 Jan 2006 15:04 MST"); c.now.Before(settled) {
			r.cause = "its last records may still be listed, until " + words
		} else {
			r.cause = "not read since " + words + ": its last records may be missing"
		}
	}
	return r
}

func earlier(a, b time.Time) time.Time {
	if a.Before(b) {
		return a
	}
	return b
}

func later(a, b time.Time) time.Time {
	if a.After(b) {
		return a
	}
	return b
}

// State returns the collection state of a reporting day, over all streams.
func (c *Map) State(day affiliate.Day) DayState {
	span := c.since(day.Range(c.zone))
	if !c.now.After(span.From) {
		return DayFuture
	}
	var lacking, failed, touched, unread int
	utc := UTCDays(span)
	for _, stream := range c.Streams {
		var read bool
		for d := utc.First; d <= utc.Last; d++ {
			r := c.reading(stream, d, span)
			read = read || r.read
			if r.absent {
				lacking++
				if r.cause != "" && r.quarantined == 0 {
					failed++
				}
			}
		}
		if read {
			touched++
		} else {
			unread++
		}
	}
	switch {
	case lacking == 0 && c.now.Before(span.To) && unread > 0:
		return DayFresh
	case lacking == 0 && c.now.Before(span.To):
		return DayRunning
	case lacking == 0:
		return DayCollected
	case failed > 0:
		return DayFailed
	case touched > 0:
		return DayPartial
	}
	return DayMissing
}

// ReadThrough reports whether a reporting day is over and was read up to its end, over all streams.
// Records of it that could not be read may be missing.
func (c *Map) ReadThrough(day affiliate.Day) bool {
	span := c.since(day.Range(c.zone))
	utc := UTCDays(span)
	for _, stream := range c.Streams {
		for d := utc.First; d <= utc.Last; d++ {
			if r := c.reading(stream, d, span); r.absent && r.quarantined == 0 {
				return false
			}
		}
	}
	return !c.now.Before(span.To)
}

// HourState returns the collection state of an hour of a reporting day, over all streams. What
// was read less than [ListingLag] after the hour may lack its last records, unless the day is
// read up to its end.
func (c *Map) HourState(hour affiliate.Range) DayState {
	day := c.State(affiliate.DayOf(hour.From, c.zone))
	span := c.since(hour)
	if !c.now.After(span.From) {
		return DayFuture
	}
	whole, begun := true, false
	utc := UTCDays(span)
	for _, stream := range c.Streams {
		for d := utc.First; d <= utc.Last; d++ {
			if c.beyond(stream, d) {
				continue
			}
			part := d.Range(time.UTC)
			from, until := later(span.From, part.From), earlier(span.To, part.To)
			known := c.days[coverKey{stream, d}]
			begun = begun || known.Through > affiliate.MillisOf(from)
			if known.Quarantined > 0 || !known.Whole() && known.Through < affiliate.MillisOf(until.Add(ListingLag)) {
				whole = false
			}
		}
	}
	open := day == DayRunning || day == DayFresh
	switch {
	case whole:
		return DayCollected
	case begun && open:
		return DayRunning
	case begun:
		return DayPartial
	case open:
		return DayFresh
	case day == DayFailed:
		return DayFailed
	}
	return DayMissing
}

// Summary returns the coverage of the reporting days.
func (c *Map) Summary(days affiliate.Days) Coverage {
	sum := Coverage{Limits: c.limits(), accounts: c.accountsOf()}
	asked := days
	days.Last = min(days.Last, affiliate.DayOf(c.now, c.zone))
	for day := days.First; day <= days.Last; day++ {
		state := c.State(day)
		if !state.Due() {
			continue
		}
		sum.Wanted++
		if state == DayCollected || state == DayRunning {
			sum.Collected++
		}
		if slices.ContainsFunc(c.Streams, func(s AccountStream) bool { return c.beyond(s, day) }) {
			sum.Beyond++
		}
	}
	span := c.since(asked.Range(c.zone))
	sum.Begun, sum.FirstRead = c.begun(span)
	if sum.Wanted == 0 {
		return sum
	}
	span = c.since(days.Range(c.zone))
	for i, stream := range c.Streams {
		sum.Gaps = append(sum.Gaps, c.Gaps(stream, days)...)
		if through := c.through(stream, span); i == 0 || through < sum.Through {
			sum.Through = through
		}
	}
	return sum
}

// begun reports whether any stream of the range was read, and when first.
func (c *Map) begun(span affiliate.Range) (begun bool, first affiliate.Millis) {
	utc := UTCDays(span)
	for _, stream := range c.Streams {
		for day := utc.First; day <= utc.Last; day++ {
			known := c.days[coverKey{stream, day}]
			begun = begun || known.Through > affiliate.MillisOf(later(span.From, day.Start(time.UTC)))
			first = firstOf(first, known.FirstRead)
		}
	}
	return begun, first
}

// firstOf returns the earlier of two instants, either of which may be unknown.
func firstOf(a, b affiliate.Millis) affiliate.Millis {
	if !a.Known() || b.Known() && b < a {
		return b
	}
	return a
}

// Gaps lists the missing reporting days of a stream. Adjacent UTC days with the same cause
// are joined.
func (c *Map) Gaps(stream AccountStream, days affiliate.Days) []Gap {
	var gaps []Gap
	for day := days.First; day <= min(days.Last, affiliate.DayOf(c.now, c.zone)); day++ {
		span := c.since(day.Range(c.zone))
		utc := UTCDays(span)
		for d := utc.First; d <= min(utc.Last, affiliate.DayOf(c.now, time.UTC)); d++ {
			r := c.reading(stream, d, span)
			if !r.absent {
				continue
			}
			if n := len(gaps); n > 0 && gaps[n-1].Days.Last == d {
				continue // its other part, in the previous reporting day, is missing too
			} else if n > 0 && gaps[n-1].Days.Last == d-1 && gaps[n-1].Reason == r.cause && (gaps[n-1].Quarantined > 0) == (r.quarantined > 0) {
				gaps[n-1].Days.Last = d
				gaps[n-1].Quarantined += r.quarantined
				continue
			}
			gaps = append(gaps, Gap{stream.Account, stream.Stream, affiliate.Days{First: d, Last: d}, r.cause, r.quarantined})
		}
	}
	return gaps
}

// through returns the instant up to which a stream was read without a hole since the
// beginning of span. It is unknown if the beginning was not read.
func (c *Map) through(stream AccountStream, span affiliate.Range) affiliate.Millis {
	var through affiliate.Millis
	utc := UTCDays(span)
	for day := utc.First; day <= utc.Last; day++ {
		if c.beyond(stream, day) {
			continue
		}
		known := c.days[coverKey{stream, day}]
		if !known.Through.Known() {
			break
		}
		if known.Quarantined > 0 {
			through = affiliate.MillisOf(day.Start(time.UTC)) // a record of the day is missing, at whatever time
			break
		}
		through = known.Through
		if !known.Whole() {
			break
		}
	}
	if through <= affiliate.MillisOf(span.From) {
		return 0
	}
	return min(through, affiliate.MillisOf(span.To))
}

// ListingLag is how long after it was earned a commission may first be listed by the
// exchange (4.17, 4.19). An earlier reading may lack the end of a day.
const ListingLag = time.Hour

// YearReach is how many days ago an invitee may have registered and still be listed by the
// exchange.
const YearReach = 364
