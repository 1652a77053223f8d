package mail

import (
	"context"
	"errors"
	"fmt"
	"net"
	"sync"
	"time"

	"rebatedesk/internal/crashpoint"
	"rebatedesk/internal/guard"
	"rebatedesk/mail/channel"
	"rebatedesk/safehttp"
	"rebatedesk/store"
	"rebatedesk/store/audit"
	"rebatedesk/store/outbox"
)

const (
	// postEvery is how often channels are looked at for messages that are due.
	postEvery = 5 * time.Second
	// postLease is how long other processes leave a message to a channel alone after one has
	// taken it: longer than a request and the recording of its result.
	postLease = safehttp.Within + noteWithin + time.Minute
	// postTries is how many tries of a message fail before its channel stops: they take a day.
	postTries = 12
	// postHeld is how long a channel rests after a try that failed, so that many messages to a
	// receiver that hangs are not all tried in turn.
	postHeld = 15 * time.Second
	// postOld is the age at which a message that waited for a paused channel is given up.
	postOld = 3 * 24 * time.Hour
)

// postPauses are the pauses after the first tries; the last one is that of all further tries.
var postPauses = []time.Duration{30 * time.Second, 4 * time.Minute, 15 * time.Minute, 30 * time.Minute, time.Hour, 2 * time.Hour, 4 * time.Hour}

// postPause returns how long to wait after a number of failed tries.
func postPause(tries int) time.Duration {
	return postPauses[min(max(tries, 1), len(postPauses))-1]
}

// posts hands messages over to channels. Each channel has a place of its own, so that a receiver
// that hangs delays no other.
type posts struct {
	poster  *safehttp.Poster
	mutex   sync.Mutex
	busy    map[int64]bool // channels with a worker
	workers sync.WaitGroup
}

// postDue starts a worker for each channel that has a message to be posted and no worker.
func (s *Service) postDue(ctx context.Context) error {
	if s.sealed == nil {
		return nil
	}
	due, err := reading(ctx, s.store, func(ctx context.Context, r *store.Tx) ([]int64, error) { return outbox.DueChannels(ctx, r, s.now()) })
	for _, id := range due {
		if s.posts.begin(id) {
			s.posts.workers.Go(func() {
				defer s.posts.end(id)
				s.safely("posting to a channel", func() error { return s.postAll(ctx, id) })
			})
		}
	}
	return err
}

func (p *posts) begin(id int64) bool {
	p.mutex.Lock()
	defer p.mutex.Unlock()
	if p.busy[id] {
		return false
	}
	p.busy[id] = true
	return true
}

func (p *posts) end(id int64) {
	p.mutex.Lock()
	defer p.mutex.Unlock()
	delete(p.busy, id)
}

// postAll posts the messages of a channel that are due, one after the other.
func (s *Service) postAll(ctx context.Context, id int64) error {
	for ctx.Err() == nil {
		d, found, err := outbox.TakePost(ctx, s.store, id, s.now(), postLease)
		if err != nil || !found {
			return err
		}
		// A message in progress is not broken off when another node takes over.
		if _, err := s.post(store.Unled(ctx), d, true); err != nil {
			return err
		}
	}
	return nil
}

// postOnly posts the message with a given ID. A failed one is given up, because the caller learns
// of it at once, unless the receiver may have taken it. The first error is that of the message.
func (s *Service) postOnly(ctx context.Context, id string) (failed, err error) {
	d, found, err := outbox.TakeOne(ctx, s.store, id, s.now(), postLease)
	if err != nil {
		return nil, err
	}
	if !found {
		return s.box.others(ctx, id)
	}
	return s.post(ctx, d, false)
}

// post makes one try and records its result.
func (s *Service) post(ctx context.Context, d outbox.Attempt, again bool) (failed, err error) {
	crashpoint.Pass(crashpoint.DeliveryTaken)
	c, err := s.Channel(ctx, d.Channel)
	if err != nil {
		return nil, err
	}
	j := s.handOver(ctx, c, d)
	if j.Moved != "" { // the chat took nothing, so nothing is posted twice
		if moved, err := s.follow(ctx, c, j.Moved); err != nil {
			s.log.Warn("a chat has moved, and could not be followed", "channel", c.Name, "error", err)
		} else {
			c, j = moved, s.handOver(ctx, moved, d)
		}
	}
	crashpoint.Pass(crashpoint.DeliveryTalked)
	p := s.resultOf(d, j, again)
	if p.Stops {
		if p.Word, p.To, err = s.stopNotice(ctx, c, j.Words); err != nil {
			return nil, err
		}
	}
	if j.Verdict != channel.VerdictAccepted {
		failed = errors.New(j.Words)
		if !again && p.State == outbox.Waiting {
			failed = fmt.Errorf("%w; %w", failed, errUnknown)
		}
		s.log.Warn("a message was not posted", "channel", c.Name, "webhook_id", d.HeaderID, "try", d.Tries, "state", p.State, "stops", p.Stops, "answer", j.Words)
	}
	err = s.box.note(ctx, func(ctx context.Context) error { return outbox.EndPost(ctx, s.store, d, p) }, d)
	if p.Word != nil {
		s.Wake()
	}
	return failed, err
}

// handOver makes one request. A panic counts as a failed try.
func (s *Service) handOver(ctx context.Context, c outbox.Channel, d outbox.Attempt) (j channel.Judged) {
	err := guard.Do(s.log, "posting a message", func() error {
		if s.now().Sub(d.Queued.Time()) > postOld {
			j = channel.Judged{Verdict: channel.VerdictRefused, Words: "it waited for more than three days and was given up"}
			return nil
		}
		target, secrets, err := s.target(c)
		if err != nil {
			return err
		}
		m, err := s.box.message(ctx, d.Message)
		if err != nil {
			return err
		}
		request, err := target.Post(channel.Content{ID: d.HeaderID, Event: []byte(m.Event), Text: m.Brief, Picture: m.Picture}, s.now(), secrets...)
		if err != nil {
			return err
		}
		reply, err := s.posts.poster.Send(ctx, request)
		if err != nil {
			dial, ok := errors.AsType[*net.OpError](err)
			j = channel.Judged{Verdict: channel.VerdictLater, Words: target.Failed(err), Lost: m.Kind != outbox.SummaryTest && !(ok && dial.Op == "dial")}
			return nil
		}
		j = target.Judge(reply, s.now())
		return nil
	})
	if err != nil {
		j = channel.Judged{Verdict: channel.VerdictLater, Words: err.Error()}
	}
	return j
}

// follow gives a channel the number of the chat that took the place of its own.
func (s *Service) follow(ctx context.Context, c outbox.Channel, chat string) (outbox.Channel, error) {
	target, _, err := s.target(c)
	if err != nil {
		return c, err
	}
	address := target.MovedTo(chat)
	moved, err := channel.ParseReceiver(channel.Medium(c.Kind), address, s.reach)
	if err != nil {
		return c, err
	}
	by := audit.Line{Via: "server", Detail: "Telegram says that the chat became the supergroup " + chat}
	if err := outbox.MoveChannel(ctx, s.store, c, s.sealed.Seal([]byte(address), ChannelRow(c.ID, "address")), moved.Shown(), by); err != nil {
		return c, err
	}
	s.log.Info("a channel follows its chat", "channel", c.Name, "chat", chat)
	return s.Channel(ctx, c.ID)
}

// resultOf says what follows from an answer.
func (s *Service) resultOf(d outbox.Attempt, j channel.Judged, again bool) outbox.Posted {
	now := s.now()
	p := outbox.Posted{Result: outbox.Result{State: outbox.Waiting, Answer: j.Words, Next: now.Add(max(postPause(d.Tries), j.After))}}
	switch j.Verdict {
	case channel.VerdictAccepted:
		p.State = outbox.Sent
		return p
	case channel.VerdictRefused:
		p.State = outbox.Dead
	case channel.VerdictClosed:
		p.Stops = true // the message waits for the channel to be mended
	case channel.VerdictLater:
		p.Held = now.Add(max(postHeld, j.After))
		if d.Tries >= postTries {
			p.State, p.Stops = outbox.Dead, true
		}
	}
	if !again && !j.Lost {
		p.State, p.Held = outbox.Dead, time.Time{}
	}
	return p
}

// postUntil posts due messages until ctx ends.
func (s *Service) postUntil(ctx context.Context, wake <-chan struct{}) {
	defer s.posts.workers.Wait()
	for {
		s.safely("posting to channels", func() error { return s.postDue(ctx) })
		select {
		case <-ctx.Done():
			return
		case <-wake:
		case <-time.After(postEvery):
		}
	}
}
