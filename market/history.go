package market

import (
	"context"
	"sync"

	"rebatedesk/affiliate"
	"rebatedesk/store"
	kept "rebatedesk/store/market"
)

// history remembers the candles of slots that are over. A chart of days is made of hundreds of
// thousands of minutes, so each redraw reads only those of the running day. What is remembered
// counts only as long as the store has as many minutes and trades of the time as it is made of, and
// begins with the same minute: what is deleted is always the oldest, and what is added later is
// never older than that.
type history struct {
	mu   sync.Mutex
	past map[pastKey]map[affiliate.Millis]pastSlot // by the start of the slot
}

type pastKey struct {
	market kept.Key
	length affiliate.Millis
}

type pastSlot struct {
	candle  kept.Candle
	minutes int64            // with a candle
	first   affiliate.Millis // the start of the first of them; 0 if there is none
}

const (
	mostPast  = 200 // markets and lengths that are remembered
	mostSlots = 512 // of each, so that a short chart does not make the next long one read everything
)

// chart returns the newest n slots of a market, oldest first.
func (h *history) chart(ctx context.Context, r *store.Tx, market kept.Key, interval Interval, n int, now affiliate.Millis) ([]Slot, error) {
	length, key := interval.millis(), pastKey{market, interval.millis()}
	running := interval.Start(now)
	from := running - affiliate.Millis(n-1)*length
	past, unread := h.recall(key, from, running)
	if unread > from {
		counted, err := kept.CountMinutes(ctx, r, market, from, unread)
		if err != nil {
			return nil, err
		}
		var remembered kept.MinutesCounted
		for start := from; start < unread; start += length {
			remembered.Minutes += past[start].minutes
			remembered.Trades += int64(past[start].candle.Trades)
			if remembered.First == 0 {
				remembered.First = past[start].first
			}
		}
		if counted != remembered {
			past, unread = nil, from
		}
	}
	read, err := kept.MinutesKept(ctx, r, market, unread, now+1)
	if err != nil {
		return nil, err
	}
	known, err := kept.Stretches(ctx, r, market, from, now)
	if err != nil {
		return nil, err
	}
	slots := Slots(read, known, interval, n, now)
	found := make(map[affiliate.Millis]pastSlot)
	for _, m := range read { // in order
		slot := found[interval.Start(m.Start)]
		if slot.minutes++; slot.minutes == 1 {
			slot.first = m.Start
		}
		found[interval.Start(m.Start)] = slot
	}
	fresh := make(map[affiliate.Millis]pastSlot, n)
	for start, slot := range past {
		if start < from && start >= running-mostSlots*length {
			fresh[start] = slot
		}
	}
	for i := range slots {
		start := slots[i].Start
		if start < unread {
			slots[i].recall(past[start].candle)
			fresh[start] = past[start]
		} else if start < running {
			slot := found[start]
			slot.candle = slots[i].Candle
			fresh[start] = slot
		}
	}
	h.remember(key, fresh)
	return slots, nil
}

// recall returns what is remembered of a time, and the start of the first slot that is not.
func (h *history) recall(key pastKey, from, to affiliate.Millis) (past map[affiliate.Millis]pastSlot, unread affiliate.Millis) {
	h.mu.Lock()
	defer h.mu.Unlock()
	past = h.past[key]
	for unread = from; unread < to; unread += key.length {
		if _, ok := past[unread]; !ok {
			break
		}
	}
	return past, unread
}

// remember replaces what is remembered. The map is not changed afterwards.
func (h *history) remember(key pastKey, past map[affiliate.Millis]pastSlot) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.past == nil {
		h.past = make(map[pastKey]map[affiliate.Millis]pastSlot)
	}
	if _, ok := h.past[key]; !ok && len(h.past) >= mostPast {
		for other := range h.past {
			delete(h.past, other)
			break
		}
	}
	h.past[key] = past
}
