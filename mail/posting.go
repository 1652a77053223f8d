package mail

import (
	"context"
	"errors"
	"net"
	"time"

	"rebatedesk/dispatch"
	"rebatedesk/mail/channel"
	"rebatedesk/store/audit"
	"rebatedesk/store/outbox"
)

const (
	// postHeld is how long a channel rests after a try that failed, so that many messages to a
	// receiver that hangs are not all tried in turn.
	postHeld = 15 * time.Second
	// postOld is the age at which a message that waited for a paused channel is given up.
	postOld = 3 * 24 * time.Hour
	// slowTries is how many tries stop a channel whose receiver asks for long pauses, once they took
	// a day and a half.
	slowTries = 12
)

// post makes one try to post a message to its channel, and says what follows for both.
func (s *Service) post(ctx context.Context, d outbox.Attempt, again bool) (result outbox.Result, failed, err error) {
	c, err := s.Channel(ctx, d.Channel)
	if err != nil {
		return result, nil, err
	}
	var j channel.Judged
	failed = dispatch.Try(s.log, "posting a message", func() (err error) {
		if j, err = s.request(ctx, c, d); err != nil || j.Moved == "" {
			return err
		}
		moved, err := s.follow(ctx, c, j.Moved) // the chat took nothing, so nothing is posted twice
		if err != nil {
			s.log.Warn("a chat has moved, and could not be followed", "channel", c.Name, "error", err)
			return nil
		}
		c = moved
		j, err = s.request(ctx, c, d)
		return err
	})
	switch {
	case failed != nil:
		j.Tried = dispatch.Tried{Verdict: dispatch.Later, Answer: failed.Error()}
	case j.Verdict != dispatch.Accepted:
		failed = errors.New(j.Answer)
	}
	now := s.now()
	result = j.Result(now, d.Tries, again)
	switch j.Verdict {
	case dispatch.Closed:
		result.Stops = true // the message waits for the channel to be mended
	case dispatch.Later:
		if result.Stops = d.Tries >= dispatch.MostTries || d.Tries >= slowTries && now.Sub(d.Queued.Time()) >= 36*time.Hour; result.Stops {
			result.State = outbox.Dead
		}
		if again || j.Doubt {
			result.Held = now.Add(max(postHeld, j.After))
		}
	}
	if result.Stops {
		result.Word, result.To, err = s.stopNotice(ctx, c, j.Answer)
	}
	return result, failed, err
}

// request makes one request.
func (s *Service) request(ctx context.Context, c outbox.Channel, d outbox.Attempt) (j channel.Judged, err error) {
	if s.now().Sub(d.Queued.Time()) > postOld {
		return channel.Judged{Tried: dispatch.Tried{Verdict: dispatch.Refused, Answer: "it waited for more than three days and was given up"}}, nil
	}
	target, secrets, err := s.target(c)
	if err != nil {
		return j, err
	}
	m, err := s.message(ctx, d.Message)
	if err != nil {
		return j, err
	}
	request, err := target.Post(channel.Content{ID: d.HeaderID, Event: []byte(m.Event), Text: m.Brief, Picture: m.Picture}, s.now(), secrets...)
	if err != nil {
		return j, err
	}
	reply, err := s.poster.Send(ctx, request)
	if err != nil {
		dial, ok := errors.AsType[*net.OpError](err)
		doubt := m.Kind != outbox.SummaryTest && !(ok && dial.Op == "dial")
		return channel.Judged{Tried: dispatch.Tried{Verdict: dispatch.Later, Answer: target.Failed(err), Doubt: doubt}}, nil
	}
	return target.Judge(reply, s.now()), nil
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
