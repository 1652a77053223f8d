package mail

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"rebatedesk/affiliate"
	"rebatedesk/mail/channel"
	"rebatedesk/mail/mailer"
	"rebatedesk/reports/findings"
	"rebatedesk/reports/phrase"
	"rebatedesk/safehttp"
	"rebatedesk/secret"
	"rebatedesk/store"
	"rebatedesk/store/audit"
	"rebatedesk/store/outbox"
)

// mostChannels limits how many channels may exist, since each has its own place to send from.
const mostChannels = 100

// secretOverlap is how long a webhook is signed with the secret before as well.
const secretOverlap = 24 * time.Hour

// NewChannel is a channel as a user enters it.
type NewChannel struct {
	Name, Kind string
	Address    string // secret, see [channel.ParseReceiver]
	Events     []string
	Owner      string // mail address that is told when it stops; empty: nobody
}

// errNoBox is returned if secrets can be neither sealed nor opened.
var errNoBox = errors.New("the master key is not known, so that no channel can be used")

// AddChannel checks and stores a channel. For a webhook it returns the signing secret, this once.
// Each broken rule is a *store.RuleError; several are joined.
func (s *Service) AddChannel(ctx context.Context, n NewChannel, by audit.Line) (secret string, err error) {
	if s.sealed == nil {
		return "", errNoBox
	}
	target, err := n.check(ctx, s.reach)
	if err != nil {
		return "", err
	}
	list, err := s.Channels(ctx)
	if err != nil {
		return "", err
	}
	if len(list) >= mostChannels {
		return "", store.Refuse("There are %d channels already, which is the limit: remove one first.", mostChannels)
	}
	if n.Kind == string(channel.Webhook) {
		secret = channel.NewSecret()
	}
	c := outbox.Channel{Name: n.Name, Kind: n.Kind, Shown: target.Shown(), Events: n.Events, Owner: n.Owner}
	_, err = outbox.AddChannel(ctx, s.store, c, func(id int64) (address, signing []byte) {
		address = s.sealed.Seal([]byte(strings.TrimSpace(n.Address)), ChannelRow(id, "address"))
		if secret != "" {
			signing = s.sealed.Seal([]byte(secret), ChannelRow(id, "secret"))
		}
		return address, signing
	}, by)
	if err != nil {
		return "", err
	}
	return secret, nil
}

// CheckChannel returns all reasons why a channel cannot be added: a *store.RuleError each, joined.
func (n NewChannel) CheckChannel(ctx context.Context, reach safehttp.Reach) error {
	_, err := n.check(ctx, reach)
	return err
}

func (n NewChannel) check(ctx context.Context, reach safehttp.Reach) (target channel.Receiver, err error) {
	var errs faults
	if _, err := store.PlanName(n.Name); err != nil {
		errs.join(err)
	}
	known := slices.Contains(channel.Media(), channel.Medium(n.Kind))
	if !known {
		errs.add("kind", "A channel is webhook, telegram, slack, discord or email, not “%s”.", mailer.Cut(affiliate.OneLine(n.Kind), 40))
	} else if target, err = channel.ParseReceiver(channel.Medium(n.Kind), n.Address, reach); err != nil {
		errs.add("address", "%s.", strings.TrimSuffix(phrase.Capital(err.Error()), "."))
	} else if n.Kind != string(channel.Email) {
		if _, err := reach.ResolveURL(ctx, strings.TrimSpace(n.Address)); err != nil {
			errs.add("address", "The address cannot be used: %s.", err)
		}
	}
	for i, event := range n.Events {
		switch {
		case !slices.Contains(findings.EventNames(), event):
			errs.add("events", "There is no event “%s”: the events are %s.", mailer.Cut(affiliate.OneLine(event), 40), strings.Join(findings.EventNames(), ", "))
		case slices.Contains(n.Events[:i], event):
			errs.add("events", "The event %s is given twice.", event)
		}
	}
	if n.Owner != "" {
		if _, err := mailer.ParseAddress(n.Owner); err != nil {
			errs.add("owner", "%q is no mail address: give one such as name@example.com.", mailer.Cut(n.Owner, 80))
		}
	}
	return target, errs.err()
}

// ChannelRow is the place for which a secret of a channel is sealed.
func ChannelRow(id int64, column string) string {
	return secret.Row("channels", column, fmt.Sprint(id))
}

// Channels lists the channels by name, each with its newest delivery.
func (s *Service) Channels(ctx context.Context) ([]outbox.Channel, error) {
	return store.Reading(ctx, s.store, func(r *store.Tx) ([]outbox.Channel, error) { return outbox.Channels(ctx, r) })
}

// Channel finds a channel by its number. A missing one is a *store.RuleError.
func (s *Service) Channel(ctx context.Context, id int64) (outbox.Channel, error) {
	return store.Reading(ctx, s.store, func(r *store.Tx) (outbox.Channel, error) { return outbox.ReadChannel(ctx, r, id) })
}

// ChannelNamed is [Service.Channel] by the name, whatever its letter case.
func (s *Service) ChannelNamed(ctx context.Context, name string) (outbox.Channel, error) {
	return store.Reading(ctx, s.store, func(r *store.Tx) (outbox.Channel, error) {
		return outbox.ChannelNamed(ctx, r, name)
	})
}

// PauseChannel pauses or resumes a channel, in the version that Updated states.
func (s *Service) PauseChannel(ctx context.Context, c outbox.Channel, paused bool, by audit.Line) error {
	if err := outbox.PauseChannel(ctx, s.store, c, paused, by); err != nil {
		return err
	}
	s.Wake()
	return nil
}

// RemoveChannel ends a channel for good, in the version that Updated states.
func (s *Service) RemoveChannel(ctx context.Context, c outbox.Channel, by audit.Line) error {
	return outbox.RemoveChannel(ctx, s.store, c, by)
}

// RotateChannel gives a webhook another signing secret and returns it, this once. For a day each
// message is signed with the secret before as well.
func (s *Service) RotateChannel(ctx context.Context, c outbox.Channel, by audit.Line) (secret string, err error) {
	if s.sealed == nil {
		return "", errNoBox
	}
	secret = channel.NewSecret()
	// The secret before moves to another column and is still opened as one of this place.
	signing := s.sealed.Seal([]byte(secret), ChannelRow(c.ID, "secret"))
	if err := outbox.RotateChannel(ctx, s.store, c, signing, affiliate.MillisOf(s.now().Add(secretOverlap)), by); err != nil {
		return "", err
	}
	return secret, nil
}

// target opens the address of a channel and its signing secrets, newest first.
func (s *Service) target(c outbox.Channel) (target channel.Receiver, secrets []string, err error) {
	if s.sealed == nil {
		return target, nil, errNoBox
	}
	address, err := s.sealed.Open(c.Sealed, ChannelRow(c.ID, "address"))
	if err != nil {
		return target, nil, fmt.Errorf("the address of the channel %w: remove the channel and add it again", err)
	}
	if target, err = channel.ParseReceiver(channel.Medium(c.Kind), string(address), s.reach); err != nil {
		return target, nil, err
	}
	sealed := [][]byte{c.Secret}
	if c.OldUntil > affiliate.MillisOf(s.now()) {
		sealed = append(sealed, c.OldSecret)
	}
	for _, one := range sealed {
		if len(one) == 0 {
			continue
		}
		secret, err := s.sealed.Open(one, ChannelRow(c.ID, "secret"))
		if err != nil {
			return target, nil, fmt.Errorf("the signing secret of the channel %w: give it another one", err)
		}
		secrets = append(secrets, string(secret))
	}
	return target, secrets, nil
}

// copiesTo returns a copy of a message for each recipient: a mail address, a channel, or each
// address of a group that has not unsubscribed. Channels that are paused get none, and without a
// mail server no address does.
func (s *Service) copiesTo(ctx context.Context, m outbox.Summary, recipients []string, stopped []string) (to []outbox.Addressee, err error) {
	seen := map[string]bool{}
	add := func(one outbox.Addressee) {
		key := strings.ToLower(one.Address)
		if seen[key] || !one.Posted && (s.onlyChannels() || slices.ContainsFunc(stopped, func(other string) bool { return sameName(other, one.Address) })) {
			return
		}
		seen[key] = true
		one.HeaderID = mailer.HeaderID(m, one.Address, s.via().From)
		to = append(to, one)
	}
	for _, address := range recipients {
		id, isChannel := outbox.ChannelOf(address)
		if !isChannel {
			add(outbox.Addressee{Address: address})
			continue
		}
		c, err := s.Channel(ctx, id)
		if rule, ok := errors.AsType[*store.RuleError](err); ok && rule.Missing {
			continue
		}
		if err != nil {
			return nil, err
		}
		list, err := s.copiesOf(c)
		if err != nil {
			return nil, err
		}
		for _, one := range list {
			add(one)
		}
	}
	return to, nil
}

// copiesOf returns the copies of a message that go to a channel.
func (s *Service) copiesOf(c outbox.Channel) (to []outbox.Addressee, err error) {
	if c.Paused.Known() {
		return nil, nil
	}
	if c.Kind != string(channel.Email) {
		return []outbox.Addressee{{Address: outbox.ChannelAddress(c.ID), Channel: c.ID, Posted: true}}, nil
	}
	target, _, err := s.target(c)
	for _, address := range target.Group() {
		to = append(to, outbox.Addressee{Address: address, Channel: c.ID})
	}
	return to, err
}

// unsubscribed lists the addresses that asked for no more mails of a subscription.
func unsubscribed(sub outbox.Subscription) (list []string) {
	for _, r := range sub.Recipients {
		if r.Stopped.Known() {
			list = append(list, r.Address)
		}
	}
	return list
}

// toldOf lists the channels at work that are told of an event, as recipients.
func (s *Service) toldOf(ctx context.Context, event string) (recipients []string, err error) {
	list, err := s.Channels(ctx)
	for _, c := range list {
		if !c.Paused.Known() && slices.Contains(c.Events, event) {
			recipients = append(recipients, outbox.ChannelAddress(c.ID))
		}
	}
	return recipients, err
}

// ParseRecipient reads the address of a recipient: a mail address, or the number of a channel as
// [outbox.ChannelAddress] writes it. An invalid one is a *store.RuleError.
func ParseRecipient(text string) (string, error) {
	if _, ok := outbox.ChannelOf(text); ok {
		return text, nil
	}
	return mailer.ParseAddress(text)
}

// TestChannel sends a test message to a channel and waits for its results: the error joins the
// failures.
func (s *Service) TestChannel(ctx context.Context, c outbox.Channel, by audit.Line) error {
	if c.Paused.Known() {
		return &store.RuleError{Problem: "The channel is paused: resume it first."}
	}
	via, err := s.look(ctx)
	if err != nil {
		return err
	}
	if c.Kind == string(channel.Email) && via.Server.Host == "" {
		return ErrNoServer
	}
	m, err := s.testMessage(ctx, c)
	if err != nil {
		return err
	}
	to, err := s.copiesTo(ctx, m, []string{outbox.ChannelAddress(c.ID)}, nil)
	if err != nil {
		return err
	}
	by.Action, by.Object = "channel tested", c.Name
	return (&Sending{service: s, message: m, to: to, lines: []audit.Line{by}}).Send(ctx)
}

// testMessage makes the message that shows whether a channel works.
func (s *Service) testMessage(ctx context.Context, c outbox.Channel) (outbox.Summary, error) {
	now := s.now()
	text := alertText{Title: "test of the channel “" + affiliate.OneLine(c.Name) + "”", Name: "If you can read this, the channel works.",
		Lines: []alertLine{{Words: "Nothing needs to be done."}}, Link: s.onPage("/channels"), Reason: "You get this message because somebody tested a channel of this Rebatedesk."}
	text.Subject = "Test of the channel " + affiliate.OneLine(c.Name)
	m, err := s.plainMessage(ctx, text, fmt.Sprintf("channel %d test %d", c.ID, now.UnixMilli()), now)
	m.Kind = outbox.SummaryTest
	m.Brief = joinLines("Rebatedesk: "+text.Title+".", text.Name, text.Link)
	m.Event = event{findings.Tested, now, map[string]any{"channel": c.Name, "text": text.Name, "link": text.Link}}.json()
	return m, err
}

// stopNotice is the mail to the owner of a stopped channel; nil if nobody is to be told.
func (s *Service) stopNotice(ctx context.Context, c outbox.Channel, answer string) (*outbox.Summary, outbox.Addressee, error) {
	if c.Owner == "" || s.via().Server.Host == "" {
		return nil, outbox.Addressee{}, nil
	}
	now := s.now()
	text := alertText{Title: "the channel “" + affiliate.OneLine(c.Name) + "” has stopped", Link: s.onPage("/channels"),
		Name:   "Nothing more is sent to it until it is resumed. Messages that already wait for it are kept for three days. Those that become due meanwhile are not sent later.",
		Lines:  []alertLine{{Words: "The last answer was: " + answer, Link: s.onPage("/channels")}},
		Reason: "You get this mail because you are named as the owner of this channel."}
	text.Subject = "The channel " + affiliate.OneLine(c.Name) + " has stopped"
	m, err := s.plainMessage(ctx, text, fmt.Sprintf("channel %d stopped %d", c.ID, now.UnixMilli()), now)
	if err != nil {
		return nil, outbox.Addressee{}, err
	}
	m.Kind = outbox.SummaryAlert
	return &m, outbox.Addressee{Address: c.Owner, HeaderID: mailer.HeaderID(m, c.Owner, s.via().From)}, nil
}
