package site

import (
	"context"
	"encoding/csv"
	"fmt"
	"math/big"
	"net/url"
	"slices"
	"strings"
	"time"

	"rebatedesk/affiliate"
	"rebatedesk/reports"
	"rebatedesk/reports/invitees"
	"rebatedesk/reports/query"
	"rebatedesk/store/records"
)

// Invitees runs the query of the page on the service.
func (f *Pipeline) Invitees(query url.Values) invitees.List {
	f.Helper()
	list, err := reports.Ask(context.Background(), f.Service, f.InviteeQuestion(query), invitees.MakeList)
	if err != nil {
		f.Fatalf("%s: %v", query.Encode(), err)
	}
	return list
}

func (f *Pipeline) InviteeQuestion(asked url.Values) query.Query {
	f.Helper()
	basis, err := f.Service.Basis(context.Background())
	if err != nil {
		f.Fatal(err)
	}
	basis.Sorts, basis.Order = invitees.Sorts, query.Sort{Field: "commission", Descending: true}
	basis.States, basis.Tags = invitees.StateChoices(), true
	q, err := query.Parse(asked, basis)
	if err != nil {
		f.Fatalf("%s: %v", asked.Encode(), err)
	}
	return q
}

// CoinRats holds sums by coin, computed independently of the program.
type CoinRats map[affiliate.Coin]*big.Rat

func (c CoinRats) Add(coin affiliate.Coin, amount string) {
	value, ok := new(big.Rat).SetString(amount)
	if !ok {
		panic(amount + " is not a number")
	}
	if c[coin] == nil {
		c[coin] = new(big.Rat)
	}
	c[coin].Add(c[coin], value)
}

func (c CoinRats) String() string {
	var words []string
	for coin, sum := range c {
		words = append(words, fmt.Sprint(coin, "=", sum.RatString()))
	}
	slices.Sort(words)
	return strings.Join(words, " ")
}

// Exported returns one column of a file.
func (f *Pipeline) Exported(path string, column int) []string {
	f.Helper()
	a := Get(f.TB, f.Address+path)
	rows, err := csv.NewReader(strings.NewReader(a.Body)).ReadAll()
	if err != nil || a.StatusCode != 200 {
		f.Fatalf("%s: status %d, %v", path, a.StatusCode, err)
	}
	values := []string{}
	for _, row := range rows[1:] {
		values = append(values, row[column])
	}
	return values
}

// ReadElsewhere stores a reading in which another account lists the UID too.
func (f *Pipeline) ReadElsewhere(account affiliate.Account, uid affiliate.UID) {
	f.Helper()
	now := time.UnixMilli(f.Clock.Load()).UTC()
	today := affiliate.DayOf(now, time.UTC)
	slice := records.Slice{Account: account, Stream: affiliate.Stream{Kind: affiliate.Invitees}, Days: affiliate.Days{First: today - 3, Last: today},
		Started: now, Through: affiliate.MillisOf(now)}
	them := []affiliate.Invitee{{UID: uid, RegisterTime: affiliate.MillisOf(now.Add(-time.Hour)), InviteCode: "elsewhere"}}
	if _, err := records.ReplaceInvitees(context.Background(), f.Store, slice, them); err != nil {
		f.Fatal(err)
	}
}
