package main

import (
	"context"
	"errors"
	"fmt"
	"time"

	"rebatedesk/affiliate"
	"rebatedesk/mail"
	"rebatedesk/store"
	"rebatedesk/store/outbox"
)

// save stores a schedule or an alert, and reports coins that no account has.
func (d summaryWork) save(ctx context.Context, p *program, sub outbox.Subscription) error {
	if err := d.Save(ctx, sub, d.by); err != nil {
		return err
	}
	unknown, err := d.UnknownCoins(ctx, sub)
	if err != nil || len(unknown) == 0 {
		return err
	}
	_, err = fmt.Fprintln(p.stderr, "webapp: warning: "+printable(mail.UnknownCoinWords(unknown)))
	return err
}

// seenFlag is the version that the user saw before the change.
type seenFlag struct {
	Seen string `placeholder:"TIME" help:"Refuse it if somebody changed it after this time: the one that list shows under CHANGED."`
}

// named is the schedule or alert that a command changes.
type named struct {
	kind outbox.SubscriptionKind
	name string
	seenFlag
}

func (n named) pause(ctx context.Context, p *program, paused bool) error {
	return n.change(ctx, p, pausedWord(paused), func(d summaryWork, sub outbox.Subscription) error { return d.Pause(ctx, sub, paused, d.by) })
}

func (n named) remove(ctx context.Context, p *program) error {
	return n.change(ctx, p, "removed", func(d summaryWork, sub outbox.Subscription) error { return d.Remove(ctx, sub, d.by) })
}

func pausedWord(paused bool) string {
	if paused {
		return "paused"
	}
	return "active"
}

// change makes a change to the version seen, by default the version stored when the command
// begins. If another user changed it first, the error shows both the stored and the
// requested version.
func (n named) change(ctx context.Context, p *program, wanted string, f func(summaryWork, outbox.Subscription) error) error {
	if err := checkName("--"+string(n.kind), n.name); err != nil {
		return err
	}
	seen, err := time.Parse(time.RFC3339, n.Seen)
	if n.Seen != "" && err != nil {
		return usage("--seen %q is not a time; give one such as 2026-09-07T08:30:00.125Z", n.Seen)
	}
	return p.withMail(ctx, true, func(d summaryWork) error {
		sub, err := d.Named(ctx, n.kind, n.name)
		if err != nil {
			return err
		}
		if n.Seen != "" {
			sub.Updated = affiliate.MillisOf(seen)
		}
		err = f(d, sub)
		rule, ok := errors.AsType[*store.RuleError](err)
		if !ok || !rule.Stale {
			return err
		}
		now, other := d.Named(ctx, n.kind, n.name)
		if other != nil {
			return errors.Join(err, other)
		}
		return &store.RuleError{Stale: true, Problem: fmt.Sprintf("%s Stored now: %s, changed %s. Asked for: %s.",
			rule.Problem, pausedWord(now.Paused.Known()), now.Updated, wanted)}
	})
}
