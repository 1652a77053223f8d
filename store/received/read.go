package received

import (
	"bufio"
	"bytes"
	"context"
	"crypto/sha256"
	"database/sql"
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"iter"
	"time"

	"github.com/klauspost/compress/zstd"

	"rebatedesk/affiliate"
	"rebatedesk/store"
)

// SliceLine is a slice that was written, with the fingerprint of its answers.
type SliceLine struct {
	Slice, Run int64
	Account    affiliate.Account
	Stream     affiliate.Stream
	Days       affiliate.Days   // UTC
	Through    affiliate.Millis // how far the reading is reliable, by the exchange's clock
	Written    affiliate.Millis // the stamp: opened_ms and closed_ms of the rows that it changed

	SHA256   string // hexadecimal; empty: written by a version that kept no fingerprints, or nothing was requested
	Answers  int64
	Bytes    int64
	Request  string // the first one
	Requests int64  // all, also those that failed or belong to a reading that was repeated
	Kept     bool   // the bodies are there

	First, Last                 affiliate.Millis // our clock
	ExchangeFirst, ExchangeLast affiliate.Millis // the exchange's; unknown if it does not say

	Records, Opened, Closed int64
}

// SliceFilter narrows the slices to read. Zero fields do not.
type SliceFilter struct {
	Account affiliate.Account
	Kind    affiliate.StreamKind
	Product affiliate.Product // of the streams that have one
	Run     int64
	Slice   int64
	Days    affiliate.Days   // UTC days; slices that have one of them
	AsOf    affiliate.Millis // written by then
}

// SliceLines lists the slices that were written, in the order in which that happened.
func SliceLines(ctx context.Context, r *store.Tx, of SliceFilter) iter.Seq2[SliceLine, error] {
	var w store.Where
	w.Add(`s.error = ''`)
	if of.Account != "" {
		w.Add(`a.name = ?`, of.Account)
	}
	if of.Kind != "" {
		w.Add(`s.stream = ?`, of.Kind)
	}
	if of.Product != "" {
		w.Add(`s.product IN ('', ?)`, of.Product)
	}
	if of.Run != 0 {
		w.Add(`s.run_id = ?`, of.Run)
	}
	if of.Slice != 0 {
		w.Add(`s.id = ?`, of.Slice)
	}
	if of.Days != (affiliate.Days{}) {
		span := of.Days.Range(time.UTC)
		w.Add(`s.from_ms < ? AND s.to_ms > ?`, int64(affiliate.MillisOf(span.To)), int64(affiliate.MillisOf(span.From)))
	}
	if of.AsOf.Known() {
		w.Add(`s.ended_ms <= ?`, int64(of.AsOf))
	}
	return func(yield func(SliceLine, error) bool) {
		var print []byte
		var from, to, exchangeFirst, exchangeLast int64
		rows := store.Sequence(ctx, r, "reading the fingerprints of answers", func(l *SliceLine) []any {
			return []any{&l.Slice, &l.Run, &l.Account, &l.Stream.Kind, &l.Stream.Product, &from, &to, &l.Through, &l.Written, &l.Requests,
				&l.Records, &l.Opened, &l.Closed, &print, &l.Answers, &l.Bytes, &l.Request, &l.First, &l.Last, &exchangeFirst, &exchangeLast, &l.Kept}
		}, `
			SELECT s.id, s.run_id, a.name, s.stream, s.product, s.from_ms, s.to_ms, s.through_ms, s.ended_ms, s.requests, s.records, s.opened, s.closed,
				f.fingerprint, coalesce(f.answers, 0), coalesce(f.bytes, 0), coalesce(f.request, ''), coalesce(f.first_ms, 0), coalesce(f.last_ms, 0),
				coalesce(f.exchange_first_ms, 0), coalesce(f.exchange_last_ms, 0), k.slice_id IS NOT NULL
			FROM slices s JOIN runs r ON r.id = s.run_id JOIN accounts a ON a.id = r.account_id
			LEFT JOIN slice_answers f ON f.slice_id = s.id LEFT JOIN kept_answers k ON k.slice_id = s.id
			WHERE `+w.String()+` ORDER BY s.ended_ms, s.id`, w.Args...)
		for l, err := range rows {
			if err == nil {
				l.SHA256 = hex.EncodeToString(print)
				l.Days = affiliate.Days{First: dayOf(from), Last: dayOf(to - 1)}
				l.ExchangeFirst, l.ExchangeLast = affiliate.Millis(exchangeFirst), affiliate.Millis(exchangeLast)
			}
			if !yield(l, err) {
				return
			}
		}
	}
}

func dayOf(ms int64) affiliate.Day { return affiliate.DayOf(affiliate.Millis(ms).Time(), time.UTC) }

// Telling lists the slices that explain the state of some days: of each stream and day the
// newest one, and each that opened or closed a row. The others found what was known.
func Telling(ctx context.Context, r *store.Tx, of SliceFilter) ([]SliceLine, error) {
	type streamDay struct {
		account affiliate.Account
		stream  affiliate.Stream
		day     affiliate.Day
	}
	var all []SliceLine
	newest := map[streamDay]int{}
	for l, err := range SliceLines(ctx, r, of) {
		if err != nil {
			return nil, err
		}
		for day := max(l.Days.First, of.Days.First); day <= l.Days.Last && (of.Days == (affiliate.Days{}) || day <= of.Days.Last); day++ {
			newest[streamDay{l.Account, l.Stream, day}] = len(all)
		}
		all = append(all, l)
	}
	tells := make([]bool, len(all))
	for _, i := range newest {
		tells[i] = true
	}
	var telling []SliceLine
	for i, l := range all {
		if tells[i] || l.Opened+l.Closed > 0 {
			telling = append(telling, l)
		}
	}
	return telling, nil
}

// ErrNotKept says that the bodies of a slice are not there: they were not kept, or no longer.
var ErrNotKept = errors.New("the answers of this slice are not kept")

// Visit calls visit for each answer of a slice with its body, in the order of the fingerprint.
// A body is valid during the call. An error of visit ends it.
func Visit(ctx context.Context, r *store.Tx, slice int64, visit func(KeptAnswer, []byte) error) error {
	var bodies, requests []byte
	err := r.QueryRowContext(ctx, `SELECT bodies, requests FROM kept_answers WHERE slice_id = ?`, slice).Scan(&bodies, &requests)
	if errors.Is(err, sql.ErrNoRows) {
		return ErrNotKept
	}
	if err == nil {
		err = unpack(bodies, requests, visit)
	}
	if err != nil {
		return fmt.Errorf("reading the answers of slice %d: %w", slice, err)
	}
	return nil
}

// FingerprintOf computes the fingerprint of the bodies of a slice again.
func FingerprintOf(ctx context.Context, r *store.Tx, slice int64) (f Digest, err error) {
	h := sha256.New()
	err = Visit(ctx, r, slice, func(_ KeptAnswer, body []byte) error { return writeBody(h, body) })
	h.Sum(f[:0])
	return f, err
}

var errDifferent = errors.New("the bodies and their index differ in number")

// unpack reads what a recorder packed.
func unpack(bodies, requests []byte, visit func(KeptAnswer, []byte) error) error {
	index, err := zstd.NewReader(bytes.NewReader(requests), zstd.WithDecoderConcurrency(1))
	if err != nil {
		return err
	}
	defer index.Close()
	packed, err := zstd.NewReader(bytes.NewReader(bodies), zstd.WithDecoderConcurrency(1))
	if err != nil {
		return err
	}
	defer packed.Close()
	lines, content := json.NewDecoder(index), bufio.NewReader(packed)
	var body bytes.Buffer
	for {
		var length [8]byte
		if _, err := io.ReadFull(content, length[:]); err == io.EOF {
			if lines.More() {
				return errDifferent
			}
			return nil
		} else if err != nil {
			return err
		}
		body.Reset()
		if _, err := io.CopyN(&body, content, int64(binary.BigEndian.Uint64(length[:]))); err != nil {
			return err
		}
		var each KeptAnswer
		if err := lines.Decode(&each); err == io.EOF {
			return errDifferent
		} else if err != nil {
			return err
		}
		if each.Bytes != int64(body.Len()) {
			return errDifferent
		}
		if err := visit(each, body.Bytes()); err != nil {
			return err
		}
	}
}

// Stock is how much is kept.
type Stock struct {
	Fingerprints int64            // slices with one
	Slices       int64            // whose bodies are kept
	Bytes        int64            // that they take, compressed
	Oldest       affiliate.Millis // when the oldest was kept; unknown if there is none
}

// ReadStock counts what is kept.
func ReadStock(ctx context.Context, r *store.Tx) (s Stock, err error) {
	err = r.QueryRowContext(ctx, `
		SELECT (SELECT count(*) FROM slice_answers), count(*), CAST(coalesce(sum(size), 0) AS BIGINT), coalesce(min(kept_ms), 0) FROM kept_answers`).
		Scan(&s.Fingerprints, &s.Slices, &s.Bytes, &s.Oldest)
	if err != nil {
		return Stock{}, fmt.Errorf("counting the answers that are kept: %w", err)
	}
	return s, nil
}

// KeptSlices lists the slices whose bodies are kept, with their fingerprints only.
func KeptSlices(ctx context.Context, r *store.Tx) (list []SliceLine, err error) {
	var print []byte
	rows := store.Sequence(ctx, r, "reading which answers are kept", func(l *SliceLine) []any { return []any{&l.Slice, &print} },
		`SELECT k.slice_id, f.fingerprint FROM kept_answers k JOIN slice_answers f ON f.slice_id = k.slice_id ORDER BY k.slice_id`)
	for l, err := range rows {
		if err != nil {
			return nil, err
		}
		l.SHA256 = hex.EncodeToString(print)
		list = append(list, l)
	}
	return list, nil
}
