package coverage

import (
	"time"

	"rebatedesk/affiliate"
)

// StreamSettlement counts the UTC days of a stream, of which a part lies in some reporting days, by how
// far and how finally they are known.
type StreamSettlement struct {
	AccountStream
	Days     int
	Whole    int // read up to their end, or up to that of the reporting days
	Settled  int // of these, read after the exchange had stopped changing them
	Verified int // of these, found the same by two readings in a row
	Failed   int // the last try failed, and they are not read; or records of them could not be read
	Missing  int // not read
	Beyond   int // the exchange does not give them
	LastRead affiliate.Millis
}

// UnsettledKind says why days are not known finally.
type UnsettledKind string

// Reasons in the order in which the days come to be known.
const (
	UnsettledMissing    UnsettledKind = "missing"    // not collected; see Cause
	UnsettledUnreadable UnsettledKind = "unreadable" // records could not be read; see Cause
	UnsettledEarly      UnsettledKind = "early"      // the exchange may still change them; see Until
	UnsettledUnread     UnsettledKind = "unread"     // not read again since it has stopped changing them
	UnsettledChanged    UnsettledKind = "changed"    // the last reading changed them, and none has confirmed it
)

// UnsettledDays is a stretch of UTC days of one stream that are not known finally.
type UnsettledDays struct {
	AccountStream
	Kind  UnsettledKind
	Days  affiliate.Days
	Cause string           // the last error of days that are missing, empty: not tried yet; or what could not be read
	Until affiliate.Millis // when the exchange stops changing the last of days that are early
}

// Settled returns how finally the reporting days are known by one stream, and what they lack. A
// stream that needs no second look lacks only days that are missing.
func (c *Map) Settled(stream AccountStream, days affiliate.Days, second bool) (sum StreamSettlement, lacks []UnsettledDays) {
	sum.AccountStream = stream
	span := days.Range(c.zone)
	utc := UTCDays(span)
	for day := utc.First; day <= utc.Last; day++ {
		whole := day.Range(time.UTC)
		until := earlier(span.To, whole.To)
		known := c.days[coverKey{stream, day}]
		sum.Days++
		sum.LastRead = max(sum.LastRead, known.LastRead)
		lack := UnsettledDays{AccountStream: stream, Days: affiliate.Days{First: day, Last: day}}
		final := affiliate.MillisOf(until.Add(affiliate.Settling))
		read := known.Through.Known() && known.Through >= affiliate.MillisOf(until) && known.Quarantined == 0
		if read {
			sum.Whole++
			if known.Agreed >= 2 {
				sum.Verified++
			}
		}
		switch {
		case known.Quarantined > 0:
			sum.Failed++
			lack.Kind, lack.Cause = UnsettledUnreadable, known.Error
		case !read && c.beyond(stream, day):
			sum.Beyond++
			continue
		case !read && known.Failed.Known():
			sum.Failed++
			lack.Kind, lack.Cause = UnsettledMissing, known.Error
		case !read:
			sum.Missing++
			lack.Kind = UnsettledMissing
		case known.LastRead < final && affiliate.MillisOf(c.now) < final:
			lack.Kind, lack.Until = UnsettledEarly, final
		case known.LastRead < final:
			lack.Kind = UnsettledUnread
		case known.Agreed < 2 && !known.ReadOnce():
			lack.Kind = UnsettledChanged
		default:
			sum.Settled++
			continue
		}
		if second || lack.Kind == UnsettledMissing || lack.Kind == UnsettledUnreadable {
			lacks = joinLack(lacks, lack)
		}
	}
	return sum, lacks
}

// joinLack appends a day to a list, or to the stretch at its end.
func joinLack(lacks []UnsettledDays, next UnsettledDays) []UnsettledDays {
	if n := len(lacks); n > 0 && lacks[n-1].Kind == next.Kind && lacks[n-1].Cause == next.Cause && lacks[n-1].Days.Last == next.Days.First-1 {
		lacks[n-1].Days.Last, lacks[n-1].Until = next.Days.Last, next.Until
		return lacks
	}
	return append(lacks, next)
}
