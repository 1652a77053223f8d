package store_test

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"maps"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"rebatedesk/affiliate"
	whos "rebatedesk/people"
	"rebatedesk/store"
	"rebatedesk/store/audit"
	"rebatedesk/store/people"
	"rebatedesk/store/records"
	"rebatedesk/store/storetest"
	"rebatedesk/store/sums"
)

// answerLines turns an answer into lines in no order: pointers are followed.
func answerLines(value any) []string {
	v := reflect.ValueOf(value)
	switch v.Kind() {
	case reflect.Slice:
		var lines []string
		for i := range v.Len() {
			lines = append(lines, plain(v.Index(i).Interface()))
		}
		slices.Sort(lines)
		return lines
	case reflect.Map:
		var lines []string
		for entries := v.MapRange(); entries.Next(); {
			inner := answerLines(entries.Value().Interface())
			lines = append(lines, plain(entries.Key().Interface())+": "+strings.Join(inner, "; "))
		}
		slices.Sort(lines)
		return lines
	}
	return []string{plain(value)}
}

func plain(value any) string {
	switch v := value.(type) {
	case sums.CoinFigures:
		return fmt.Sprint(v.Coin, *v.LineFigures)
	case sums.ProductSums:
		return fmt.Sprint(v.InviteeKey, v.Product, v.Coin, *v.LineFigures)
	case *records.Difference:
		return fmt.Sprint(v.Noticed, v.Account, v.InviteCode, v.New, v.Recoded, deref(v.Was), deref(v.Became))
	case records.Restatement:
		return fmt.Sprint(v.Noticed, v.Account, deref(v.Was), deref(v.Became))
	}
	return fmt.Sprint(value)
}

func deref(c *affiliate.Commission) any {
	if c == nil {
		return "none"
	}
	return *c
}

func listed[T any](list iter.Seq2[T, error]) (any, error) {
	var all []T
	for one, err := range list {
		if err != nil {
			return nil, err
		}
		all = append(all, one)
	}
	return all, nil
}

// memberReadings are all readings of records and invitees that take a filter.
func memberReadings(days affiliate.Days, before affiliate.Millis) map[string]func(context.Context, *store.Tx, records.CommissionFilter) (any, error) {
	type reading = func(context.Context, *store.Tx, records.CommissionFilter) (any, error)
	invitee := func(f records.CommissionFilter) records.InviteeFilter {
		return records.InviteeFilter{Account: f.Account, UID: f.UID, Code: f.Code, Members: f.Members, AsOf: f.AsOf}
	}
	all := map[string]reading{
		"days": func(ctx context.Context, r *store.Tx, f records.CommissionFilter) (any, error) {
			return sums.ByDay(ctx, r, f)
		},
		"UTC days": func(ctx context.Context, r *store.Tx, f records.CommissionFilter) (any, error) {
			return sums.UTCDaySums(ctx, r, f)
		},
		"invitees": func(ctx context.Context, r *store.Tx, f records.CommissionFilter) (any, error) {
			return sums.ByInvitee(ctx, r, f)
		},
		"figures": func(ctx context.Context, r *store.Tx, f records.CommissionFilter) (any, error) {
			return sums.FiguresOfInvitees.Read(ctx, r, f)
		},
		"products": func(ctx context.Context, r *store.Tx, f records.CommissionFilter) (any, error) {
			return sums.ProductsOfInvitees.Read(ctx, r, f)
		},
		"pairs": func(ctx context.Context, r *store.Tx, f records.CommissionFilter) (any, error) {
			return sums.BySymbol(ctx, r, f)
		},
		"codes": func(ctx context.Context, r *store.Tx, f records.CommissionFilter) (any, error) {
			f.Coin = "USDT"
			return sums.ByCodeDay(ctx, r, f)
		},
		"months": func(ctx context.Context, r *store.Tx, f records.CommissionFilter) (any, error) {
			return sums.ByMonth(ctx, r, f)
		},
		"traders": func(ctx context.Context, r *store.Tx, f records.CommissionFilter) (any, error) {
			return sums.ActiveTraders(ctx, r, f)
		},
		"day traders": func(ctx context.Context, r *store.Tx, f records.CommissionFilter) (any, error) {
			return sums.TradersByDay(ctx, r, f)
		},
		"week": func(ctx context.Context, r *store.Tx, f records.CommissionFilter) (any, error) {
			return sums.TradersByWeek(ctx, r, f)
		},
		"unpaid": func(ctx context.Context, r *store.Tx, f records.CommissionFilter) (any, error) {
			return sums.Unpaid(ctx, r, f)
		},
		"no amount": func(ctx context.Context, r *store.Tx, f records.CommissionFilter) (any, error) {
			return sums.DatesWithoutAmount(ctx, r, f)
		},
		"no code": func(ctx context.Context, r *store.Tx, f records.CommissionFilter) (any, error) {
			return sums.UnknownCodes(ctx, r, f)
		},
		"coins": func(ctx context.Context, r *store.Tx, f records.CommissionFilter) (any, error) {
			return sums.Coins(ctx, r, f.Members)
		},
		"code list": func(ctx context.Context, r *store.Tx, f records.CommissionFilter) (any, error) {
			return records.Codes(ctx, r, f.Members, 0)
		},
		"code of": func(ctx context.Context, r *store.Tx, f records.CommissionFilter) (any, error) {
			return sums.InviteeCodes(ctx, r, invitee(f))
		},
		"steps": func(ctx context.Context, r *store.Tx, f records.CommissionFilter) (any, error) {
			return sums.StepsOfInvitees(ctx, r, invitee(f), days.Range(time.UTC))
		},
		"counts": func(ctx context.Context, r *store.Tx, f records.CommissionFilter) (any, error) {
			return records.CountInvitees(ctx, r, invitee(f), days.Range(time.UTC))
		},
		"activity": func(ctx context.Context, r *store.Tx, f records.CommissionFilter) (any, error) {
			a, err := sums.ActivityOfInvitees.Read(ctx, r, f)
			if err != nil {
				return nil, err
			}
			days := map[sums.InviteeKey]string{}
			for key, own := range sums.JoinActivity(a) {
				days[key] = fmt.Sprint(own.Days, answerLines(own.Coins))
			}
			return days, nil
		},
		"invitee days": func(ctx context.Context, r *store.Tx, f records.CommissionFilter) (any, error) {
			var lines [2][]string
			half := 0
			err := sums.EachInviteeDay(ctx, r, f, func() func(*sums.InviteeDay) error {
				own := &lines[half]
				half++
				return func(d *sums.InviteeDay) error {
					*own = append(*own, fmt.Sprint(d.InviteeKey, d.Product, d.Source, d.Coin, d.Day, *d.LineFigures))
					return nil
				}
			})
			return slices.Concat(lines[0], lines[1]), err
		},
		"of invitees": func(ctx context.Context, r *store.Tx, f records.CommissionFilter) (any, error) {
			return sums.ByInviteeDay(ctx, r, f, []sums.InviteeKey{{Account: "main", UID: "49317700"}, {Account: "second", UID: "49317705"}})
		},
		"of dates": func(ctx context.Context, r *store.Tx, f records.CommissionFilter) (any, error) {
			return sums.RecordsOfDates(ctx, r, f, []sums.InviteeDate{{InviteeKey: sums.InviteeKey{Account: "main", UID: "49317700"}, Day: days.First + 3}, {InviteeKey: sums.InviteeKey{Account: "main", UID: "49317703"}, Day: days.First + 4}})
		},
		"last": func(ctx context.Context, r *store.Tx, f records.CommissionFilter) (any, error) {
			f.UID = "49317705"
			return sums.LastCommission(ctx, r, f)
		},
		"cohorts": func(ctx context.Context, r *store.Tx, f records.CommissionFilter) (any, error) {
			return cohorts(ctx, r, f, sums.CohortMonth)
		},
		"restatements": func(ctx context.Context, r *store.Tx, f records.CommissionFilter) (any, error) {
			return listed(records.Restatements(ctx, r, f))
		},
		"differences": func(ctx context.Context, r *store.Tx, f records.CommissionFilter) (any, error) {
			return listed(records.Differences(ctx, r, f, before, f.AsOf))
		},
		"invitee list": func(ctx context.Context, r *store.Tx, f records.CommissionFilter) (any, error) {
			return listed(records.Invitees(ctx, r, invitee(f)))
		},
		"all invitees": func(ctx context.Context, r *store.Tx, f records.CommissionFilter) (any, error) {
			list, err := records.ReadAllInvitees(ctx, r, f.Members)
			if err != nil {
				return nil, err
			}
			return listed(list.At(ctx, r))
		},
		"history": func(ctx context.Context, r *store.Tx, f records.CommissionFilter) (any, error) {
			row, changes, found, err := records.InviteeHistory(ctx, r, records.InviteeFilter{Account: "second", UID: "49317704", Members: f.Members, AsOf: f.AsOf})
			return fmt.Sprint(row, changes, found), err
		},
		"records": func(ctx context.Context, r *store.Tx, f records.CommissionFilter) (any, error) {
			return listed(records.Commissions(ctx, r, f, records.CommissionOrder{Column: "time"}, 0, 0))
		},
		"page": func(ctx context.Context, r *store.Tx, f records.CommissionFilter) (any, error) {
			return listed(records.Commissions(ctx, r, f, records.CommissionOrder{Column: "time", Descending: true}, 20, 10))
		},
		"greatest": func(ctx context.Context, r *store.Tx, f records.CommissionFilter) (any, error) {
			return listed(records.Commissions(ctx, r, f, records.CommissionOrder{Column: "commission", Descending: true}, 20, 3))
		},
	}
	for i, p := range []sums.PivotQuestion{
		{Rows: sums.AxisInvitee, Columns: sums.AxisMonth}, {Rows: sums.AxisCode, Columns: sums.AxisWeek}, {Rows: sums.AxisSymbol, Columns: sums.AxisProduct},
		{Rows: sums.AxisSymbol, Columns: sums.AxisInvitee}, {Rows: sums.AxisDay, Columns: sums.AxisCoin}, {Rows: sums.AxisAccount, Columns: sums.AxisCode},
	} {
		p.Figure = "commission"
		all[fmt.Sprint("pivot ", i)] = func(ctx context.Context, r *store.Tx, f records.CommissionFilter) (any, error) {
			f.Coin = "USDT"
			return p.Reading().Read(ctx, r, f)
		}
	}
	return all
}

// A query limited to members answers as a store that holds only what is known of them, and a
// fenced transaction answers it.
func TestMembers(t *testing.T) {
	t.Parallel()
	storetest.Engines(t, "sets of rows in a statement", testMembers)
}

func testMembers(t *testing.T) {
	full, before := storetest.Shared(t, func(affiliate.Account, affiliate.UID) bool { return true })
	days := affiliate.Days{First: affiliate.NewDay(2026, time.May, 25), Last: affiliate.NewDay(2026, time.August, 2)}
	readings := memberReadings(days, before)
	for name, members := range map[string]affiliate.Members{
		"an account": affiliate.MembersOf([]affiliate.Account{"second"}, nil),
		"invitees":   affiliate.MembersOf(nil, map[affiliate.Account][]affiliate.UID{"main": {"49317700", "49317703", "49317713"}, "second": {"49317704"}}),
		"both":       affiliate.MembersOf([]affiliate.Account{"main"}, map[affiliate.Account][]affiliate.UID{"main": {"1"}, "second": {"49317705", "49317712"}}),
		"nobody":     affiliate.MembersOf(nil, nil),
	} {
		t.Run(name, func(t *testing.T) {
			own, _ := storetest.Shared(t, members.Has)
			fenced, alone := storetest.Reader(t, full).Fenced(), storetest.Reader(t, own)
			for i, f := range []records.CommissionFilter{
				{}, {Account: "second"}, {Coin: "USDT", Product: affiliate.Products()[0]}, {Code: "alpha,BETA"}, {UID: "49317704"}, {Symbol: "s1"},
				{UID: "49317700", Symbol: "S2"}, {Text: "a"}, {AsOf: before}, {AsOf: before, Code: "beta", Account: "second"},
			} {
				if i%oneIn(t, 3) != 0 {
					continue
				}
				f.Days = days
				for _, reading := range slices.Sorted(maps.Keys(readings)) {
					if f.UID != "" && reading == "of invitees" {
						continue // it asks for others
					}
					want, err := readings[reading](t.Context(), alone, f)
					if err != nil {
						t.Fatalf("%s of %+v alone: %v", reading, f, err)
					}
					limited := f
					limited.Members = members
					got, err := readings[reading](t.Context(), fenced, limited)
					if err != nil {
						t.Fatalf("%s of %+v: %v", reading, limited, err)
					}
					if !slices.Equal(answerLines(got), answerLines(want)) {
						t.Errorf("%s of %+v:\n%v, want\n%v", reading, limited, answerLines(got), answerLines(want))
					}
				}
			}
		})
	}
}

// A fenced transaction refuses every reading that forgets the members.
func TestFence(t *testing.T) {
	t.Parallel()
	storetest.Engines(t, "conditions of a fence in statements", testFence)
}

func testFence(t *testing.T) {
	s, before := storetest.Shared(t, func(affiliate.Account, affiliate.UID) bool { return true })
	days := affiliate.Days{First: affiliate.NewDay(2026, time.May, 25), Last: affiliate.NewDay(2026, time.August, 2)}
	for name, read := range memberReadings(days, before) {
		r, err := s.Read(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		if answer, err := read(t.Context(), r.Fenced(), records.CommissionFilter{Days: days}); err == nil {
			t.Errorf("%s without members: answered with %v", name, answer)
		} else if name != "counts" && name != "last" && !errors.Is(err, store.ErrFenced) {
			t.Errorf("%s without members: %v", name, err)
		}
		r.Close()
	}
	fenced := storetest.Reader(t, s).Fenced()
	if _, err := people.Tags(t.Context(), fenced); !errors.Is(err, store.ErrFenced) {
		t.Errorf("tags are read: %v", err)
	}
	if _, err := fenced.Accounts(t.Context()); err != nil {
		t.Errorf("a table without invitees is not read: %v", err)
	}
}

// Members follow the codes and tags of now. A code that the exchange no longer tells stays.
func TestMembersOfBound(t *testing.T) {
	t.Parallel()
	storetest.Engines(t, "comparison of texts with odd characters", testMembersOfBound)
}

func testMembersOfBound(t *testing.T) {
	s, _ := storetest.Shared(t, func(affiliate.Account, affiliate.UID) bool { return true })
	storetest.Done(t, people.AddTag(t.Context(), s, "main", "49317713", "VIP", audit.Line{Actor: "ann"}))
	has := func(by ...affiliate.Binding) (list []string) {
		members, err := people.ReadBound(t.Context(), storetest.Reader(t, s), affiliate.BoundTo(by))
		storetest.Done(t, err)
		for _, account := range []affiliate.Account{"main", "second"} {
			for n := range 14 {
				if uid := affiliate.UID(fmt.Sprint(49317700 + n)); members.Has(account, uid) {
					list = append(list, string(account)+" "+string(uid))
				}
			}
		}
		return list
	}
	if got, want := has(affiliate.Binding{By: affiliate.BoundByCode, Name: "beta"}), []string{"main 49317701", "main 49317704", "main 49317707", "main 49317710",
		"second 49317700", "second 49317701", "second 49317703", "second 49317704", "second 49317706", "second 49317707", "second 49317709", "second 49317710"}; !slices.Equal(got, want) {
		t.Errorf("by code: %v, want %v", got, want)
	}
	if got := has(affiliate.Binding{By: affiliate.BoundByCode, Name: "BETA"}); got != nil {
		t.Errorf("by a code in another case: %v", got)
	}
	if got, want := has(affiliate.Binding{By: affiliate.BoundByTag, Name: "vip"}), []string{"main 49317713", "second 49317713"}; !slices.Equal(got, want) {
		t.Errorf("by tag: %v, want %v", got, want)
	}
	if got := has(affiliate.Binding{By: affiliate.BoundByAccount, Name: "second"}, affiliate.Binding{By: affiliate.BoundByTag, Name: "VIP"}); len(got) != 15 {
		t.Errorf("by account and tag: %v", got)
	}
	if got := has(); len(got) != 28 {
		t.Errorf("bound to nothing: %v", got)
	}
}

// A person has a tag and a code of ours wherever they are an invitee. Accounts that do not know
// any of these people are not touched.
func TestMembersOfBoundTouchNoOtherAccount(t *testing.T) {
	t.Parallel()
	storetest.Engines(t, "comparison of texts with odd characters", testMembersOfBoundTouchNoOtherAccount)
}

func testMembersOfBoundTouchNoOtherAccount(t *testing.T) {
	s, _ := storetest.Shared(t, func(account affiliate.Account, uid affiliate.UID) bool {
		switch uid {
		case "49317700": // listed, has commission
			return account == "main"
		case "49317713": // has commission
			return account == "second"
		}
		return true
	})
	by := audit.Line{Actor: "ann"}
	storetest.Done(t, people.AddTag(t.Context(), s, "main", "49317700", "listed", by))
	storetest.Done(t, people.AddTag(t.Context(), s, "second", "49317713", "traded", by))
	storetest.Done(t, people.Edit(t.Context(), s, whos.PersonEntry{UID: "49317713", Values: []whos.GivenValue{{Field: whos.FieldCode, Text: "OURS"}}}, store.AnyVersion, by))
	for _, c := range []struct {
		by      affiliate.BoundBy
		name    string
		touches []affiliate.Account
	}{
		{affiliate.BoundByTag, "listed", []affiliate.Account{"main"}},
		{affiliate.BoundByTag, "traded", []affiliate.Account{"second"}},
		{affiliate.BoundByCode, "OURS", []affiliate.Account{"second"}},
		{affiliate.BoundByTag, "nobody", nil},
	} {
		members, err := people.ReadBound(t.Context(), storetest.Reader(t, s), affiliate.BoundTo([]affiliate.Binding{{By: c.by, Name: c.name}}))
		storetest.Done(t, err)
		var got []affiliate.Account
		for _, account := range []affiliate.Account{"main", "second"} {
			if members.Touches(account) {
				got = append(got, account)
			}
		}
		if !slices.Equal(got, c.touches) {
			t.Errorf("%s %s touches %v, want %v", c.by, c.name, got, c.touches)
		}
	}
}
