package sums

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"rebatedesk/affiliate"
	"rebatedesk/store"
	"rebatedesk/store/records"
)

// PeerKey names the records that show what is usual for a record: those of the same invitee,
// product and source up to the end of its reporting day.
type PeerKey struct {
	Account affiliate.Account
	UID     affiliate.UID
	Product affiliate.Product
	Source  affiliate.Source
	Day     affiliate.Day
}

// Peer holds the amounts of a record that show its rate.
type Peer struct{ Fee, Rate, Commission affiliate.Number }

// Limits of the peers of a record.
const (
	PeerDays  = 90 // reporting days, the last of them that of the record
	MostPeers = 50 // the newest of these days
)

// peersAtOnce is how many keys one statement has: its text grows with them.
const peersAtOnce = 100

// Peers returns the peers of each key, at most [MostPeers], in no order, as known at the
// instant asOf or, if asOf is unknown, now. The index by UID answers each key, so the cost
// does not depend on how much an invitee trades. The caller must have got the records of the
// keys from a filter: nothing else limits the peers to members.
func Peers(ctx context.Context, r *store.Tx, keys []PeerKey, asOf affiliate.Millis) (map[PeerKey][]Peer, error) {
	ids, err := accountIDs(ctx, r)
	if err != nil {
		return nil, err
	}
	peers := make(map[PeerKey][]Peer, len(keys))
	for some := range slices.Chunk(keys, peersAtOnce) {
		if err := readPeers(ctx, r, some, asOf, ids, peers); err != nil {
			return nil, fmt.Errorf("reading what is usual for records: %w", err)
		}
	}
	return peers, nil
}

func readPeers(ctx context.Context, r *store.Tx, keys []PeerKey, asOf affiliate.Millis, ids map[affiliate.Account]int64, peers map[PeerKey][]Peer) error {
	parts := make([]string, len(keys))
	var args []any
	for i, key := range keys {
		span := affiliate.Days{First: key.Day - PeerDays + 1, Last: key.Day}.Range(r.ReportingZone())
		var w store.Where
		w.Add(`c.uid = ? AND c.deal_time_ms >= ? AND c.deal_time_ms < ?`, key.UID, int64(affiliate.MillisOf(span.From)), int64(affiliate.MillisOf(span.To)))
		w.Add(`c.account_id = ? AND c.product = ? AND c.source = ?`, ids[key.Account], key.Product, key.Source)
		records.OpenRows(&w, asOf)
		n := strconv.Itoa(i)
		parts[i] = store.ForMembers(`SELECT p` + n + `.n, p` + n + `.fee, p` + n + `.rate, p` + n + `.commission FROM (
			SELECT ` + n + ` AS n, c.fee, c.rate, c.commission FROM commissions c WHERE ` + w.String() + `
			ORDER BY c.deal_time_ms DESC, c.id DESC LIMIT ` + strconv.Itoa(MostPeers) + `) p` + n)
		args = append(args, w.Args...)
	}
	rows, err := r.QueryContext(ctx, strings.Join(parts, "\nUNION ALL\n"), args...)
	if err != nil {
		return err
	}
	defer rows.Close()
	for rows.Next() {
		var n int
		var p Peer
		if err := rows.Scan(&n, &p.Fee, &p.Rate, &p.Commission); err != nil {
			return err
		}
		peers[keys[n]] = append(peers[keys[n]], p)
	}
	return rows.Err()
}

// EqualRecords counts, for each of some records that occurs more than once, the records that
// the exchange sent with the same content: the record itself and its twins. They are those
// known at the instant asOf or, if asOf is unknown, now. The caller must have got the records
// from a filter: nothing else limits the answer to members.
func EqualRecords(ctx context.Context, r *store.Tx, of []records.CommissionRow, asOf affiliate.Millis) (map[AccountRecord]int, error) {
	asked := make(map[AccountRecord]bool, len(of))
	for i := range of {
		asked[RecordOf(of[i])] = true
	}
	counts := map[AccountRecord]int{}
	err := eachOfMoments(ctx, r, of, func(w *store.Where) { records.OpenRows(w, asOf) }, func(found EarlierRecord) {
		if key := (AccountRecord{found.Account, found.Key()}); asked[key] {
			counts[key]++
		}
	})
	if err != nil {
		return nil, fmt.Errorf("looking for equal records: %w", err)
	}
	for key, n := range counts {
		if n == 1 {
			delete(counts, key)
		}
	}
	return counts, nil
}

// EarlierRecord is a record of a trade that the exchange later replaced or took back.
type EarlierRecord struct {
	affiliate.Commission
	Account affiliate.Account
	Ended   affiliate.Millis // when a read found that it is no longer so
}

// EarlierRecords returns, by trade, what the exchange stated of the trades of some records
// before, the oldest first. It holds what had ended at the instant asOf or, if asOf is unknown,
// now. The caller must have got the records from a filter: nothing else limits the answer to
// members.
func EarlierRecords(ctx context.Context, r *store.Tx, of []records.CommissionRow, asOf affiliate.Millis) (map[TradeKey][]EarlierRecord, error) {
	asked := make(map[TradeKey]bool, len(of))
	for i := range of {
		asked[TradeOf(of[i].Account, &of[i].Commission)] = true
	}
	earlier := map[TradeKey][]EarlierRecord{}
	ended := func(w *store.Where) {
		if asOf.Known() {
			w.Add(`c.closed_ms <= ?`, int64(asOf))
		} else {
			w.Add(`c.closed_ms IS NOT NULL`)
		}
	}
	err := eachOfMoments(ctx, r, of, ended, func(found EarlierRecord) {
		if key := TradeOf(found.Account, &found.Commission); asked[key] {
			earlier[key] = append(earlier[key], found)
		}
	})
	if err != nil {
		return nil, fmt.Errorf("looking for earlier records: %w", err)
	}
	for _, list := range earlier {
		slices.SortStableFunc(list, func(a, b EarlierRecord) int { return cmp.Compare(a.Ended, b.Ended) })
	}
	return earlier, nil
}

// TradeKey is what the records of one trade have in common.
type TradeKey struct {
	Account affiliate.Account
	At      affiliate.Millis
	UID     affiliate.UID
	Product affiliate.Product
	Symbol  string
	Source  affiliate.Source
	Coin    affiliate.Coin
}

// TradeOf returns the trade of a record.
func TradeOf(account affiliate.Account, c *affiliate.Commission) TradeKey {
	return TradeKey{account, c.DealTime, c.UID, c.Product, c.Symbol, c.Source, c.Coin}
}

// eachOfMoments reads the rows with the account, invitee and instant of some records that meet
// a further condition.
func eachOfMoments(ctx context.Context, r *store.Tx, of []records.CommissionRow, condition func(*store.Where), see func(EarlierRecord)) error {
	ids, err := accountIDs(ctx, r)
	if err != nil {
		return err
	}
	names, err := r.AccountNames(ctx)
	if err != nil {
		return err
	}
	type moment struct {
		account affiliate.Account
		uid     affiliate.UID
		at      affiliate.Millis
	}
	var moments []moment
	seen := map[moment]bool{}
	for i := range of {
		m := moment{of[i].Account, of[i].UID, of[i].DealTime}
		if !seen[m] {
			seen[m] = true
			moments = append(moments, m)
		}
	}
	for some := range slices.Chunk(moments, peersAtOnce) {
		var args []any
		parts := make([]string, len(some))
		for i, m := range some {
			parts[i] = `c.uid = ? AND c.deal_time_ms = ? AND c.account_id = ?`
			args = append(args, m.uid, int64(m.at), ids[m.account])
		}
		var w store.Where
		w.Add(`(`+strings.Join(parts, ` OR `)+`)`, args...)
		condition(&w)
		if err := eachOfTrades(ctx, r, w, names, see); err != nil {
			return err
		}
	}
	return nil
}

// AccountRecord is a record of an account with its numbers in canonical form: equal records
// have the same.
type AccountRecord struct {
	Account affiliate.Account
	Record  affiliate.Commission
}

// RecordOf returns the record of a row.
func RecordOf(row records.CommissionRow) AccountRecord {
	return AccountRecord{row.Account, row.Commission.Key()}
}

func eachOfTrades(ctx context.Context, r *store.Tx, w store.Where, names map[int64]affiliate.Account, see func(EarlierRecord)) error {
	rows, err := r.QueryContext(ctx, store.ForMembers(`SELECT c.account_id, coalesce(c.closed_ms, 0), `+records.CommissionColumnList("c.")+` FROM commissions c WHERE `+w.String()), w.Args...)
	if err != nil {
		return err
	}
	defer rows.Close()
	var account int64
	var found EarlierRecord
	targets := append([]any{&account, &found.Ended}, records.CommissionTargets(&found.Commission)...)
	for rows.Next() {
		if err := rows.Scan(targets...); err != nil {
			return err
		}
		found.Account = names[account]
		see(found)
	}
	return rows.Err()
}

// accountIDs returns the row IDs of accounts by name.
func accountIDs(ctx context.Context, r *store.Tx) (map[affiliate.Account]int64, error) {
	names, err := r.AccountNames(ctx)
	ids := make(map[affiliate.Account]int64, len(names))
	for id, name := range names {
		ids[name] = id
	}
	return ids, err
}
