package console

import (
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"

	"rebatedesk/affiliate"
	"rebatedesk/exchange"
	"rebatedesk/market"
	"rebatedesk/web/templates/console/frame"
)

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
func (m fillMark) knows(f exchange.Fill) bool {
	return f.Created < m.at || f.Created == m.at && slices.Contains(m.ids, fillDigest(f))
}

// past returns the mark after an answer of the exchange.
func (m fillMark) past(list []exchange.Fill) fillMark {
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

func fillDigest(f exchange.Fill) string {
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
func (m fillMarks) fresh(q market.Quote) (list []exchange.Fill) {
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
	var list []exchange.Fill
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
