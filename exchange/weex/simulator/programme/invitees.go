package programme

import (
	"fmt"
	"math"
	"math/rand/v2"

	"rebatedesk/affiliate"
	"rebatedesk/exchange/weex/simulator/seeded"
)

// trader is a user whose trades earn commission: an invited user, or a client of a
// sub-agent, whom the exchange does not list among the invited users.
type trader struct {
	uid     affiliate.UID
	invitee *affiliate.Invitee // nil for the client of a sub-agent
	sub     int                // index of the sub-affiliate who brought the client

	activity float64 // trading frequency relative to others; heavy-tailed
	size     float64 // typical volume in dollars
	futures  float64 // share of futures among the trades

	from, until int64 // trades within [from, until]; some stop
	rate        int16 // rebate rate, 10^-4
	later       int16 // the rate since rateChange
	rateChange  int64
}

func (t *trader) source() affiliate.Source {
	if t.invitee == nil {
		return affiliate.SubAgent
	}
	return affiliate.Direct
}

func (t *trader) rateAt(at int64) int16 {
	if at >= t.rateChange {
		return t.later
	}
	return t.rate
}

// populate makes the initial invited users and the clients of the sub-agents. The first of
// them is an old customer who never stops, so that no day lacks a trader.
func (p *Programme) populate() []*affiliate.Invitee {
	invitees := make([]*affiliate.Invitee, 0, p.size.Invitees)
	for i := range p.size.Invitees {
		invitee := p.Invite(p.random, p.registration(i))
		invitees = append(invitees, invitee)
		p.plan(invitee, i == 0)
	}
	clients := p.size.Invitees/9 + 2
	for i := range clients {
		from := p.First
		if i > 0 {
			from += int64(float64(p.horizon-p.First) * p.random.Float64())
		}
		client := p.trader(p.UID(p.random), from)
		client.rate = [...]int16{500, 750, 1000}[p.random.IntN(3)]
		client.activity *= 1.5
		client.sub = p.subAffiliateAt(from)
		if i == 0 {
			client.until = never
		}
		p.traders = append(p.traders, client)
	}
	return invitees
}

// registration returns when the i-th user registered. One user in seven registered before
// the days of the programme, some of them more than a year ago, the others in growing
// numbers up to now.
func (p *Programme) registration(i int) int64 {
	r := p.random
	if i == 0 || r.Float64() < 0.15 {
		earliest := min(p.First-120*day, p.start-450*day)
		return earliest + int64(float64(p.First-earliest)*r.Float64())
	}
	span := float64(p.start - p.First)
	at := p.First + int64(span*math.Pow(r.Float64(), 0.75))
	busy := at/day*day + int64(seeded.Pick(r, hourSums))*hour + r.Int64N(hour)
	if busy >= p.start {
		return at
	}
	return busy
}

var hourSums = seeded.Cumulative(hours[:])

// Invite returns a new invited user who has only registered so far.
func (p *Programme) Invite(r *rand.Rand, registered int64) *affiliate.Invitee {
	code := ""
	if r.Float64() > 0.02 {
		code = p.codes[min(len(p.codes)-1, int(seeded.Pareto(r, 0.8, 1000))-1)]
	}
	return &affiliate.Invitee{
		UID:          p.UID(r),
		InviteCode:   code,
		RegisterTime: affiliate.Millis(registered),
		KYC:          affiliate.FlagOf(r.Float64() < 0.72),
	}
}

// plan decides the future of an invited user: most never trade, and every step takes time.
// Events after the start of the programme are not yet visible.
func (p *Programme) plan(u *affiliate.Invitee, anchor bool) {
	r := p.random
	if !anchor && r.Float64() > 0.6 {
		return
	}
	registered := int64(u.RegisterTime)
	deposit := registered + 5*minute + seeded.Exponential(r, 1.5*float64(day))
	from := deposit + minute + seeded.Exponential(r, 0.7*float64(day))
	if !anchor && r.Float64() < 0.03 {
		// The exchange knew the user before the registration that counts for us.
		from = registered - minute - seeded.Exponential(r, 2*float64(day))
		deposit = from - minute - seeded.Exponential(r, 0.2*float64(day))
	}
	if deposit > p.start && !p.size.Live {
		return
	}
	u.FirstDeposit, u.LastDeposit = affiliate.Millis(deposit), affiliate.Millis(deposit)
	if !anchor && r.Float64() > 0.82 {
		return
	}
	t := p.trader(u.UID, from)
	t.invitee = u
	if anchor {
		t.until, t.activity = never, max(t.activity, 8)
	}
	if from < p.First {
		u.FirstTrade = affiliate.Millis(from)
		u.LastTrade = affiliate.Millis(min(t.until, max(from, p.First-seeded.Exponential(r, 20*float64(day)))))
	}
	p.traders = append(p.traders, t)
}

// trader returns a user who trades from the given instant.
func (p *Programme) trader(uid affiliate.UID, from int64) trader {
	r := p.random
	rates := [...]int16{1000, 1000, 1500, 2000, 2000, 2500, 3000, 3500, 3750, 4125, 5000}
	t := trader{
		uid:        uid,
		activity:   seeded.Pareto(r, 0.9, 400),
		size:       2500 * seeded.Pareto(r, 1.0, 60),
		futures:    [...]float64{0, 0.5, 0.8, 0.9, 0.95, 1}[r.IntN(6)],
		from:       from,
		until:      never,
		rate:       rates[r.IntN(len(rates))],
		rateChange: never,
	}
	if r.Float64() < 0.45 {
		t.until = from + seeded.Exponential(r, 60*float64(day))
	}
	if r.Float64() < 0.15 {
		t.rateChange = p.First + int64(float64(p.start-p.First)*r.Float64())
		t.later = rates[r.IntN(len(rates))]
	}
	return t
}

// UID returns a new number of ten digits.
func (p *Programme) UID(r *rand.Rand) affiliate.UID {
	for {
		uid := affiliate.UID(fmt.Sprint(1_000_000_000 + r.Int64N(9_000_000_000)))
		if !p.taken[uid] {
			p.taken[uid] = true
			return uid
		}
	}
}

// inviteCodes are the codes with which users were invited. The first codes are used far
// more often than the others.
func (p *Programme) inviteCodes() []string {
	codes := []string{"welcome", "vip50"}
	for range min(40, 3+p.size.Invitees/60) {
		codes = append(codes, word(p.random, 4+p.random.IntN(3)))
	}
	return codes
}

// word returns a code without characters that are easily confused.
func word(r *rand.Rand, length int) string {
	const letters = "abcdefghjkmnpqrstuvwxyz23456789"
	text := make([]byte, length)
	for i := range text {
		text[i] = letters[r.IntN(len(letters))]
	}
	return string(text)
}
