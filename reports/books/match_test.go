package books

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"rebatedesk/affiliate"
)

// at reads an instant of March 2026: "5" is the start of the 5th, "5 08:10" a time of it.
func at(t testing.TB, text string) affiliate.Millis {
	t.Helper()
	day, clock, _ := strings.Cut(text, " ")
	if clock == "" {
		clock = "00:00"
	}
	for _, form := range []string{"2006-01-2 15:04", "2006-1-2 15:04"} {
		if instant, err := time.Parse(form, "2026-03-"+day+" "+clock); err == nil {
			return affiliate.MillisOf(instant)
		}
	}
	t.Fatalf("%q is no instant", text)
	return 0
}

func sumOf(t testing.TB, text string) (s affiliate.Sum) {
	t.Helper()
	if !s.Add(affiliate.Number(text)) {
		t.Fatalf("%q is no number", text)
	}
	return s
}

// scene is written as lines of text:
//
//	earn 1 12.5          commission of direct clients on the 1st
//	earn 1 12.5 sub BTC
//	change 1 3 -2        a change of the 1st's, noticed on the 3rd
//	bill 2 08:10 12.5    a payment
//	bill 2 08:10 12.5 rake_back_reward BTC
func scene(t testing.TB, text string) Input {
	t.Helper()
	in := Input{Now: at(t, "31"), EarnedKnown: always(account1, "other"), PaidKnown: always(account1, "other")}
	for i, line := range strings.Split(strings.TrimSpace(text), "\n") {
		words := strings.Fields(line)
		who := account1
		if words[0] == "other" {
			who, words = "other", words[1:]
		}
		word := func(n int, usual string) string {
			if n < len(words) {
				return words[n]
			}
			return usual
		}
		switch words[0] {
		case "earn":
			in.Earned = append(in.Earned, HourSum{who, affiliate.Coin(word(4, "USDT")), affiliate.Source(word(3, "direct")), at(t, words[1]+" 12:00"), sumOf(t, words[2])})
		case "change":
			in.Changes = append(in.Changes, Change{who, affiliate.Coin(word(5, "USDT")), affiliate.Source(word(4, "direct")), at(t, words[1]+" 12:10"), at(t, words[2]), sumOf(t, words[3])})
		case "bill":
			in.Bills = append(in.Bills, Bill{who, affiliate.Bill{
				Wallet: affiliate.SpotWallet, ID: fmt.Sprint(i), Coin: affiliate.Coin(word(5, "USDT")), Business: word(4, directReward),
				Amount: affiliate.Number(words[3]), Created: at(t, words[1]+" "+words[2]),
			}})
		default:
			t.Fatalf("%q", line)
		}
	}
	return in
}

// told writes the lines of books: the day, the coin and the kind if they are not the usual
// ones, earned, paid, the state, the number of bills, and what was restated.
func told(lines []Line) string {
	var text []string
	for i := range lines {
		l := &lines[i]
		s := l.From.Time().Format("2")
		if l.From == l.To {
			s = l.From.Time().Format("2 15:04")
		}
		if l.Account != account1 {
			s += " " + string(l.Account)
		}
		if l.Coin != "USDT" {
			s += " " + string(l.Coin)
		}
		if l.Kind != Direct {
			s += " " + string(l.Kind)
		}
		s += " " + l.Earned.String() + " " + l.Paid.String() + " " + string(l.State)
		if len(l.Bills) > 1 {
			s += fmt.Sprintf(" %d bills", len(l.Bills))
		}
		if r := l.Restated(); sign(r) != 0 {
			s += " restated " + r.String()
		}
		text = append(text, s)
	}
	return strings.Join(text, "; ")
}

func ruleOf(t testing.TB, text string) Rule {
	t.Helper()
	r, err := ParseRule(text)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func TestMatching(t *testing.T) {
	for _, c := range []struct{ name, scene, rule, want string }{
		{"on time", "earn 1 12.5\nbill 2 08:10 12.5", "", "1 12.5 12.5 matched"},
		{"trailing zeros", "earn 1 12.50\nbill 2 08:10 12.5000", "", "1 12.5 12.5 matched"},
		{"18 decimals", "earn 1 0.000000000000000001\nearn 2 7.123456789012345678\nbill 3 08:10 7.123456789012345678", "",
			"1 0.000000000000000001 0 missing; 2 7.123456789012345678 7.123456789012345678 matched"},
		{"20 digits", "earn 1 12345678901234567890.000000000000000001\nbill 2 08:10 12345678901234567890.000000000000000002", "",
			"1 12345678901234567890.000000000000000001 12345678901234567890.000000000000000002 over"},
		{"early", "earn 1 12.5\nbill 2 03:00 12.5", "", "1 12.5 12.5 matched"},
		{"late", "earn 1 12.5\nbill 6 03:00 12.5", "", "1 12.5 12.5 late"},
		{"at the last instant", "earn 1 12.5\nbill 2 09:00 12.5", "", "1 12.5 12.5 matched"},
		{"after the last instant", "earn 1 12.5\nbill 2 09:01 12.5", "", "1 12.5 12.5 late"},
		{"before the end of the period", "earn 1 12.5\nbill 1 23:00 12.5", "", "1 12.5 0 missing; 1 23:00 0 12.5 unexplained"},
		{"not paid", "earn 1 12.5", "", "1 12.5 0 missing"},
		{"nothing to pay", "earn 1 0\nearn 2 4\nearn 2 -4", "", ""},
		{"not due", "earn 30 12.5\nearn 31 3", "", "30 12.5 0 pending; 31 3 0 pending"},
		{"paid before it is due", "earn 30 12.5\nbill 31 00:00 12.5", "", "30 12.5 12.5 matched"},
		{"paid, and not listed yet", "earn 29 12.5\nbill 30 08:10 12.6\nbill 30 08:11 4 direct BTC", "", "29 12.5 12.6 pending"},
		{"paid, and nothing listed yet", "earn 1 2\nbill 2 08:10 2\nbill 30 08:10 12.6", "", "1 2 2 matched; 29 0 12.6 pending"},
		{"listed long since", "earn 27 12.5\nbill 28 08:10 12.6\nbill 27 08:10 3", "", "27 12.5 12.6 over; 27 08:10 0 3 unexplained"},
		{"two parts", "earn 1 10\nbill 2 08:10 4\nbill 2 08:20 6", "", "1 10 10 matched 2 bills"},
		{"two halves", "earn 1 10\nbill 2 08:10 5\nbill 2 08:10 5", "", "1 10 10 matched 2 bills"},
		{"short", "earn 1 10\nbill 2 08:10 9", "", "1 10 9 short"},
		{"the rest later", "earn 1 10\nbill 2 08:10 9\nbill 7 12:00 1", "", "1 10 10 late 2 bills"},
		{"the rest in two parts is no guess", "earn 1 10\nbill 2 08:10 8\nbill 7 12:00 1\nbill 8 12:00 1", "",
			"1 10 8 short; 7 12:00 0 1 unexplained; 8 12:00 0 1 unexplained"},
		{"over", "earn 1 10\nbill 2 08:10 11", "", "1 10 11 over"},
		{"too much is taken back", "earn 1 10\nbill 2 08:10 11\nbill 9 09:00 -1", "", "1 10 10 matched 2 bills"},
		{"a part is taken back", "earn 1 10\nbill 2 08:10 10\nbill 9 09:00 -1", "", "1 10 10 matched; 9 09:00 0 -1 unexplained"},
		{"taken back before the payment", "earn 3 10\nbill 2 08:10 -1\nbill 4 08:10 11", "", "2 08:10 0 -1 unexplained; 3 10 11 over"},
		{"twice at once", "earn 1 10\nbill 2 08:10 10\nbill 2 08:10 10", "", "1 10 20 twice 2 bills"},
		{"twice later", "earn 1 10\nearn 2 11\nbill 2 08:10 10\nbill 3 08:10 11\nbill 3 08:11 10", "", "1 10 20 twice 2 bills; 2 11 11 matched"},
		{"three times", "earn 1 10\nbill 2 08:10 10\nbill 2 08:10 10\nbill 5 08:10 10", "", "1 10 30 twice 3 bills"},
		{"twice and taken back", "earn 1 10\nbill 2 08:10 10\nbill 2 08:10 10\nbill 5 08:10 -10", "", "1 10 10 matched 3 bills"},
		{"equal days", "earn 1 10\nearn 2 10\nearn 3 10\nbill 2 08:10 10\nbill 4 08:10 10", "", "1 10 10 matched; 2 10 0 missing; 3 10 10 matched"},
		{"two equal strays", "earn 1 10\nbill 2 08:10 10\nbill 9 12:00 3\nbill 9 12:00 3", "",
			"1 10 10 matched; 9 12:00 0 3 unexplained; 9 12:00 0 3 unexplained"},
		{"a late payment in the time of another period", "earn 1 10\nearn 4 7\nbill 5 08:10 10", "", "1 10 10 late; 4 7 0 missing"},
		{"a stray beside the payment", "earn 1 10\nbill 2 08:10 10\nbill 2 08:20 3", "", "1 10 10 matched; 2 08:20 0 3 unexplained"},
		{"a stray beside a payment that is short", "earn 1 10\nbill 2 08:10 9\nbill 2 12:10 3", "", "1 10 9 short; 2 12:10 0 3 unexplained"},
		{"lowered after the payment", "earn 1 10\nchange 1 5 -2\nbill 2 08:10 12", "", "1 10 12 over restated -2"},
		{"lowered and taken back", "earn 1 10\nchange 1 5 -2\nbill 2 08:10 12\nbill 9 08:00 -2", "", "1 10 10 matched 2 bills restated -2"},
		{"lowered to nothing", "earn 1 0\nchange 1 5 -12\nbill 2 08:10 12", "", "1 0 12 over restated -12"},
		{"raised after the payment", "earn 1 15\nchange 1 5 3\nbill 2 08:10 12", "", "1 15 12 short restated 3"},
		{"raised, and the rest paid", "earn 1 15\nchange 1 5 3\nbill 2 08:10 12\nbill 9 08:00 3", "", "1 15 15 matched 2 bills restated 3"},
		{"noticed after a payment that contained it", "earn 1 15\nchange 1 5 3\nbill 2 08:10 15", "", "1 15 15 matched"},
		{"paid between two changes", "earn 1 15\nchange 1 5 3\nchange 1 6 1\nbill 2 08:10 14", "", "1 15 14 short restated 1"},
		{"changed before the payment", "earn 1 15\nchange 1 2 3\nbill 2 08:10 12", "", "1 15 12 short"},
		{"twice after it was lowered", "earn 1 10\nchange 1 5 -2\nbill 2 08:10 12\nbill 2 08:10 12", "", "1 10 24 twice 2 bills restated -2"},
		{"twice after it was lowered, and once taken back", "earn 1 10\nchange 1 5 -2\nbill 2 08:10 12\nbill 2 08:10 12\nbill 9 09:00 -12", "", "1 10 12 over 3 bills restated -2"},
		{"below zero", "earn 1 -3", "", "1 -3 0 over"},
		{"below zero with a bill", "earn 1 -3\nbill 2 08:10 2", "", "1 -3 0 over; 2 08:10 0 2 unexplained"},
		{"coin without commission", "earn 1 3 direct BTC\nbill 2 08:10 3", "", "1 BTC 3 0 missing; 2 08:10 0 3 unexplained"},
		{"another type", "earn 1 3\nbill 2 08:10 3 airdrop_reward", "", "1 3 0 missing"},
		{"kinds apart", "earn 1 3\nearn 1 4 sub\nbill 2 08:10 3\nbill 2 08:10 4 rake_back_reward", "", "1 3 3 matched; 1 sub 4 4 matched"},
		{"the type of the other kind", "earn 1 3 sub\nbill 2 08:10 3", "", "1 sub 3 0 missing; 2 08:10 0 3 unexplained"},
		{"an unknown source", "earn 1 3\nearn 1 4 9\nbill 2 08:10 7", "", "1 7 7 matched"},
		{"kinds together", "earn 1 3\nearn 1 4 sub\nbill 2 08:10 7", "day+8h together", "1 all 7 7 matched"},
		{"one type for two kinds", "earn 1 3\nearn 1 4 sub\nbill 2 08:10 4\nbill 2 08:10 3", "day+8h apart direct=r sub=r",
			"1 3 0 missing; 1 sub 4 0 missing"},
		{"one type for two kinds", "earn 1 3\nearn 1 4 sub\nbill 2 08:10 4 r\nbill 2 08:10 3 r", "day+8h apart direct=r sub=r",
			"1 3 3 matched; 1 sub 4 4 matched"},
		{"one type for two kinds, one short", "earn 1 3\nearn 1 400 sub\nbill 2 08:10 399 r\nbill 2 08:10 2 r", "day+8h apart direct=r sub=r",
			"1 3 2 short; 1 sub 400 399 short"},
		{"a week", "earn 2 3\nearn 8 4\nbill 10 10:05 7", "week+1d10h together", "2 all 7 7 matched"},
		{"a month", "earn 1 3\nearn 30 4", "month+2h apart", "1 7 0 pending"},
		{"a longer time", "earn 1 3\nbill 2 19:10 2", "day+8h within 12h apart", "1 3 2 short"},
		{"a delay of more than a period", "earn 1 3\nearn 2 4\nbill 3 08:10 3\nbill 4 08:10 4", "day+32h apart", "1 3 3 matched; 2 4 4 matched"},
	} {
		t.Run(c.name, func(t *testing.T) {
			rule := ruleOf(t, "day+8h apart")
			if c.rule != "" {
				rule = ruleOf(t, c.rule)
			}
			books := Make(scene(t, c.scene), []Fixed{{Account: account1, Rule: rule}})
			if got := told(books.Lines); got != c.want {
				t.Errorf("got  %s\nwant %s", got, c.want)
			}
		})
	}
}

// What is not collected is pending, and never missing or short.
func TestPending(t *testing.T) {
	const text = "earn 1 10\nearn 2 11\nearn 3 12\nbill 3 08:10 9\nbill 4 08:10 12\nbill 6 08:10 5"
	rules := []Fixed{{Account: account1, Rule: ruleOf(t, "day+8h apart")}}
	known := func(from, to string) map[affiliate.Account][]Stretch {
		return map[affiliate.Account][]Stretch{account1: {{at(t, from), at(t, to)}}}
	}
	for _, c := range []struct {
		name         string
		earned, paid map[affiliate.Account][]Stretch
		want         string
		awaited      string
	}{
		{"all", always(account1), always(account1), "1 10 0 missing; 2 11 9 short; 3 12 12 matched; 6 08:10 0 5 unexplained", "0"},
		{"no commissions", nil, always(account1), "1 10 0 pending; 2 11 9 pending; 3 12 12 pending; 5 0 5 pending", "12"},
		{"no bills", always(account1), nil, "1 10 0 pending; 2 11 9 pending; 3 12 12 matched; 6 08:10 0 5 unexplained", "12"},
		{"some commissions", known("2", "4"), always(account1), "1 10 0 pending; 2 11 9 short; 3 12 12 matched; 5 0 5 pending", "10"},
		{"some bills", always(account1), known("1", "3 08:59"), "1 10 0 missing; 2 11 9 pending; 3 12 12 matched; 6 08:10 0 5 unexplained", "2"},
		{"bills of one hour are missing", always(account1), map[affiliate.Account][]Stretch{account1: {{0, at(t, "2 08:00")}, {at(t, "2 09:00"), at(t, "31")}}},
			"1 10 0 pending; 2 11 9 short; 3 12 12 matched; 6 08:10 0 5 unexplained", "10"},
		{"two stretches that touch", always(account1), map[affiliate.Account][]Stretch{account1: {{at(t, "2 08:30"), at(t, "31")}, {0, at(t, "2 08:30")}}},
			"1 10 0 missing; 2 11 9 short; 3 12 12 matched; 6 08:10 0 5 unexplained", "0"},
	} {
		in := scene(t, text)
		in.EarnedKnown, in.PaidKnown = c.earned, c.paid
		books := Make(in, rules)
		if got := told(books.Lines); got != c.want {
			t.Errorf("%s: got %s\nwant %s", c.name, got, c.want)
		}
		if got := books.Totals[0].Pending.String(); got != c.awaited { // what was paid for unknown periods is not taken off
			t.Errorf("%s: %s is pending, want %s", c.name, got, c.awaited)
		}
	}
}

// A rule holds from its instant, which cuts the period of the rule before it. The first rule
// also holds before its instant.
func TestRuleChanges(t *testing.T) {
	in := scene(t, `earn 2 1
earn 3 2
earn 9 3
earn 10 4
earn 11 5
earn 12 6
bill 10 08:10 2.5
bill 12 20:10 5 new_reward
bill 13 20:10 7 new_reward
bill 20 08:00 1 new_reward
bill 21 08:00 9`)
	rules := []Fixed{
		{account1, at(t, "11"), ruleOf(t, "day+20h together new_reward")},
		{account1, at(t, "4"), ruleOf(t, "week+8h apart")},
		{account1, at(t, "11"), ruleOf(t, "day+20h apart direct=new_reward")},
		{"other", 0, ruleOf(t, "hour apart")},
	}
	want := "2 3 0 missing; 9 7 0 missing; 10 08:10 0 2.5 unexplained; 11 5 5 matched; 12 6 7 over; 20 08:00 0 1 unexplained; 21 08:00 0 9 unexplained"
	books := Make(in, rules)
	if got := told(books.Lines); got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
	if to := books.Lines[1].To; to != at(t, "11") {
		t.Errorf("the last week ends %v", to)
	}
	if len(books.Counted) != 5 {
		t.Errorf("%d bills count", len(books.Counted))
	}
}

// Without a rule there are no lines, and the usual types count.
func TestRunningBalance(t *testing.T) {
	in := scene(t, "earn 1 10\nearn 2 5 sub\nbill 2 08:10 3\nbill 2 08:10 4 rake_back_reward\nbill 2 08:10 100 deposit\nbill 2 09:00 -1")
	if _, _, found := FindRule(in, account1); found {
		t.Error("found a rule")
	}
	books := Make(in, nil)
	if len(books.Lines) != 0 || len(books.Totals) != 1 || len(books.Counted) != 3 {
		t.Fatalf("%+v", books)
	}
	total := books.Totals[0]
	if total.Earned.String() != "15" || total.Paid.String() != "6" {
		t.Errorf("%+v", total)
	}
}

func TestNothing(t *testing.T) {
	var in Input
	if best, second, found := FindRule(in, account1); found || best.Bills != 0 || second.Bills != 0 {
		t.Errorf("%v %v", best, second)
	}
	if books := Make(in, []Fixed{{Account: account1, Rule: ruleOf(t, "day+8h apart")}}); len(books.Lines)+len(books.Totals)+len(books.Counted)+len(books.Hints) != 0 {
		t.Errorf("%+v", books)
	}
	if score := ScoreOf(in, account1, ruleOf(t, "day+8h apart")); score.Bills != 0 {
		t.Errorf("%+v", score)
	}
}

// What one account lacks, another may have been paid.
func TestTwoAccountsPaidIntoOne(t *testing.T) {
	in := scene(t, "earn 1 10\nother earn 1 7.25\nother earn 2 8\nbill 2 08:10 10\nbill 2 08:20 7.25\nbill 9 08:10 3")
	rule := ruleOf(t, "day+8h apart")
	books := Make(in, []Fixed{{Account: account1, Rule: rule}, {Account: "other", Rule: rule}})
	want := "1 10 10 matched; 1 other 7.25 0 missing; 2 other 8 0 missing; 2 08:20 0 7.25 unexplained; 9 08:10 0 3 unexplained"
	if got := told(books.Lines); got != want {
		t.Fatalf("got %s\nwant %s", got, want)
	}
	if len(books.Hints) != 1 || books.Hints[0] != (PaidElsewhere{Payment: 3, Missing: 1}) {
		t.Errorf("%+v", books.Hints)
	}
	if len(books.Totals) != 2 || books.Totals[0].Account != account1 || books.Totals[0].Unexplained.Cmp(new(affiliate.Sum)) == 0 {
		t.Errorf("%+v", books.Totals)
	}
}

// Types that the interface document does not list are found; transfers of the same amounts
// are none.
func TestUnknownTypesAreFound(t *testing.T) {
	text := ""
	for day := 1; day <= 20; day++ {
		text += fmt.Sprintf("earn %d %d.%02d\nearn %d %d.%02d sub\n", day, 10+day*7%13, day, day, 20+day*5%11, day)
		text += fmt.Sprintf("bill %d 05:3%d %d.%02d vip&rebate\nbill %d 05:4%d %d.%02d agent,1\n", day+1, day%7, 10+day*7%13, day, day+1, day%7, 20+day*5%11, day)
		text += fmt.Sprintf("bill %d 05:50 %d.%02d transfer_in\n", day+1, 10+day*7%13, day)
	}
	in := scene(t, text+"bill 9 08:00 3 rr_agent_reward")
	best, second, found := FindRule(in, account1)
	if want := "day+5h30m apart direct=vip%26rebate sub=agent%2C1"; !found || !strings.HasPrefix(best.Rule.String(), "day+5h3") ||
		!strings.HasSuffix(best.Rule.String(), "apart direct=rr_agent_reward,vip%26rebate sub=agent%2C1") {
		t.Errorf("%v %v, want %s", found, best.Rule, want)
	}
	if best.Bills != 41 || best.Explained != 40 || best.Coins[0].Explained.Cmp(&best.Coins[0].Paid) >= 0 {
		t.Errorf("%+v", best)
	}
	if second.Rule.Period != Hour || second.Explained != best.Explained { // all was earned at noon
		t.Errorf("%+v", second)
	}
	if again := ScoreOf(in, account1, ruleOf(t, best.Rule.String())); again.Explained != best.Explained || again.Bills != best.Bills {
		t.Errorf("%+v, then %+v", best, again)
	}
	for _, l := range Make(in, []Fixed{{Account: account1, Rule: best.Rule}}).Lines {
		if l.State != Matched && (l.State != Unexplained || l.Bills[0].Business != directReward) {
			t.Errorf("%+v", l)
		}
	}
}

// Equal amounts every day do not hide the rule.
func TestRuleOfEqualAmounts(t *testing.T) {
	text := ""
	for day := 1; day <= 28; day++ {
		text += fmt.Sprintf("earn %d 0.01\nbill %d 02:05 0.01\n", day, day+1)
	}
	best, _, found := FindRule(scene(t, text), account1)
	if !found || best.Rule.String() != "day+2h5m apart direct=rr_agent_reward sub=rake_back_reward" || best.Explained != 28 {
		t.Errorf("%v %+v", found, best)
	}
}

// Payments without a rule are not given one.
func TestNoRule(t *testing.T) {
	text := ""
	for day := 1; day <= 28; day++ {
		text += fmt.Sprintf("earn %d 7.%02d\nbill %d 0%d:05 6.%02d\n", day, day, day+1, day%9, day)
	}
	if best, _, found := FindRule(scene(t, text+"earn 3 1 direct BTC\nbill 4 08:00 1 rr_agent_reward BTC"), account1); found {
		t.Errorf("%+v", best)
	}
}

// Hours of equal amounts that are all short or all paid twice are no trouble.
func TestManyEqualAmounts(t *testing.T) {
	const hours = 9600
	for state, pay := range map[State]struct {
		amount affiliate.Number
		times  int
	}{Short: {"0.007", 1}, Twice: {"0.01", 2}} {
		in := Input{Now: (hours + 60) * hourMillis, EarnedKnown: always(account1), PaidKnown: always(account1)}
		for n := affiliate.Millis(0); n < hours; n++ {
			in.Earned = append(in.Earned, HourSum{account1, "BTC", affiliate.Direct, n * hourMillis, sumOf(t, "0.01")})
			for range pay.times {
				in.Bills = append(in.Bills, Bill{account1, affiliate.Bill{ID: fmt.Sprint(n), Coin: "BTC", Business: directReward, Amount: pay.amount, Created: (n+1)*hourMillis + 20*60_000}})
			}
		}
		if best, _, found := FindRule(in, account1); found != (state == Twice) || found && best.Rule.Period != Hour {
			t.Errorf("%s: found %v, %v", state, found, best.Rule)
		}
		lines := Make(in, []Fixed{{Account: account1, Rule: ruleOf(t, "hour+20m apart")}}).Lines
		found := 0
		for i := range lines {
			if lines[i].State == state {
				found++
			}
		}
		if found != hours || len(lines) != hours {
			t.Errorf("%s: %d of %d", state, found, len(lines))
		}
	}
}

func TestAges(t *testing.T) {
	l := Line{Due: at(t, "2 09:00"), State: Missing, Earned: sumOf(t, "10"), Paid: sumOf(t, "4")}
	for text, want := range map[string]int{"2 09:00": 0, "2 09:01": 1, "3 08:59": 1, "3 09:00": 2, "9 08:59": 7, "9 09:01": 8} {
		if got := l.Age(at(t, text)); got != want {
			t.Errorf("on %s: %d days, want %d", text, got, want)
		}
	}
	for days, want := range map[int]int{0: -1, 1: 0, 7: 0, 8: 1, 30: 1, 31: 2, 90: 2, 91: 3, 4000: 3} {
		got := -1
		for i, bucket := range AgeBuckets() {
			if bucket.Contains(days) {
				got = i
			}
		}
		if got != want {
			t.Errorf("%d days are in %d, want %d", days, got, want)
		}
	}
	if unpaid := l.Unpaid(); unpaid.String() != "6" {
		t.Errorf("%s", unpaid.String())
	}
}

// Books in a zone ahead of UTC are those of the same amounts in UTC, with every instant earlier.
func TestBooksInTheZoneOfAnExchange(t *testing.T) {
	const ahead = 8 * hourMillis
	in := scene(t, `
		earn 1 12.5
		earn 2 3
		change 2 4 -1
		bill 2 08:10 12.5
		bill 3 08:10 4
		bill 20 01:00 7`)
	rule, err := ParseRule("day+8h together rr_agent_reward")
	if err != nil {
		t.Fatal(err)
	}
	rules := []Fixed{{Account: account1, Rule: rule}}
	want := Make(in, rules)
	moved := in
	moved.Ahead = map[affiliate.Account]affiliate.Millis{account1: ahead}
	moved.Now -= ahead
	moved.Earned, moved.Changes, moved.Bills = slices.Clone(in.Earned), slices.Clone(in.Changes), slices.Clone(in.Bills)
	for i := range moved.Earned {
		moved.Earned[i].Start -= ahead
	}
	for i := range moved.Changes {
		moved.Changes[i].Deal -= ahead
		moved.Changes[i].Noticed -= ahead
	}
	for i := range moved.Bills {
		moved.Bills[i].Created -= ahead
	}
	got := Make(moved, rules)
	if len(got.Lines) != len(want.Lines) || len(want.Lines) < 3 {
		t.Fatalf("%d lines, not %d", len(got.Lines), len(want.Lines))
	}
	for i, line := range got.Lines {
		w := want.Lines[i]
		if line.From != w.From-ahead || line.To != w.To-ahead || line.State != w.State || line.Earned.String() != w.Earned.String() || line.Paid.String() != w.Paid.String() {
			t.Errorf("line %d is %s %v–%v %s %s, not %s %v–%v %s %s", i, line.State, line.From, line.To, line.Earned.String(), line.Paid.String(),
				w.State, w.From-ahead, w.To-ahead, w.Earned.String(), w.Paid.String())
		}
	}
}
