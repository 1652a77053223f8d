package mail

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"rebatedesk/affiliate"
	"rebatedesk/dispatch"
	"rebatedesk/mail/mailer"
	"rebatedesk/reports/phrase"
	"rebatedesk/reports/query"
	"rebatedesk/store"
	"rebatedesk/store/audit"
	"rebatedesk/store/outbox"
	"rebatedesk/store/records"
)

// Subscriptions lists the subscriptions of a kind by name.
func (s *Service) Subscriptions(ctx context.Context, kind outbox.SubscriptionKind) ([]outbox.Subscription, error) {
	return store.Reading(ctx, s.store, func(r *store.Tx) ([]outbox.Subscription, error) { return outbox.Subscriptions(ctx, r, kind) })
}

// Subscription finds a subscription by its kind and number, in its stored form, which
// may no longer be usable. A missing one is a *store.RuleError.
func (s *Service) Subscription(ctx context.Context, kind outbox.SubscriptionKind, number int64) (outbox.Subscription, error) {
	return s.find(ctx, kind, fmt.Sprintf("There is no such %s.", kind), func(one outbox.Subscription) bool { return one.Number == number })
}

// Named is [Service.Subscription] by the name, whatever its letter case.
func (s *Service) Named(ctx context.Context, kind outbox.SubscriptionKind, name string) (outbox.Subscription, error) {
	return s.find(ctx, kind, fmt.Sprintf("There is no %s called “%s”.", kind, mailer.Cut(affiliate.OneLine(name), 80)),
		func(one outbox.Subscription) bool { return sameName(one.Name, name) })
}

func (s *Service) find(ctx context.Context, kind outbox.SubscriptionKind, missing string, is func(outbox.Subscription) bool) (outbox.Subscription, error) {
	list, err := s.Subscriptions(ctx, kind)
	if err != nil {
		return outbox.Subscription{}, err
	}
	if i := slices.IndexFunc(list, is); i >= 0 {
		return list[i], nil
	}
	return outbox.Subscription{}, &store.RuleError{Problem: missing, Missing: true}
}

// ScheduleOf finds a schedule by its number. A missing or unusable schedule is a
// *store.RuleError.
func (s *Service) ScheduleOf(ctx context.Context, number int64) (Schedule, error) {
	raw, err := s.Subscription(ctx, outbox.KindSchedule, number)
	if err != nil {
		return Schedule{}, err
	}
	return ParseSchedule(raw)
}

// Schedule is [Service.ScheduleOf] by the name, whatever its letter case.
func (s *Service) Schedule(ctx context.Context, name string) (Schedule, error) {
	raw, err := s.Named(ctx, outbox.KindSchedule, name)
	if err != nil {
		return Schedule{}, err
	}
	return ParseSchedule(raw)
}

// Save checks and stores a subscription. A new schedule begins with the next period
// that is due. A broken rule is a *store.RuleError; several are joined.
func (s *Service) Save(ctx context.Context, raw outbox.Subscription, by audit.Line) error {
	sub, err := s.checked(ctx, raw)
	if err != nil {
		return err
	}
	for _, coin := range []*affiliate.Coin{&sub.Coin, &sub.SkipCoin, &sub.CorrectCoin} {
		if *coin, err = s.reports.Coin(ctx, *coin); err != nil {
			return err
		}
	}
	if sub.Through, err = s.newestOf(sub); err != nil {
		return err
	}
	_, err = outbox.Save(ctx, s.store, sub, by)
	return err
}

// newestOf returns the last day of the newest due period of a schedule.
func (s *Service) newestOf(sub outbox.Subscription) (affiliate.Day, error) {
	if sub.Kind != outbox.KindSchedule {
		return 0, nil
	}
	sc, err := ParseSchedule(sub)
	if err != nil {
		return 0, err
	}
	return s.NewestDue(sc).Last, nil
}

// Check returns all reasons why a subscription cannot be stored: a *store.RuleError
// each, joined.
func (s *Service) Check(ctx context.Context, raw outbox.Subscription) error {
	_, err := s.checked(ctx, raw)
	return err
}

func (s *Service) checked(ctx context.Context, raw outbox.Subscription) (outbox.Subscription, error) {
	sub, err := parsed(raw)
	errs := faults{err}
	_, err = store.PlanName(raw.Name)
	errs.join(err)
	list, err := s.Subscriptions(ctx, sub.Kind)
	if err != nil {
		return sub, err
	}
	if slices.ContainsFunc(list, func(other outbox.Subscription) bool { return other.ID != raw.ID && sameName(other.Name, raw.Name) }) {
		errs.join(outbox.NameTaken(sub))
	}
	for _, asks := range []outbox.Subscription{{Account: sub.Account}, {Product: sub.Product}, {Coin: sub.Coin}, {Code: sub.Code}, {Segment: sub.Segment}, {AsUser: sub.AsUser}} {
		_, err := s.gate(ctx, Schedule{Subscription: asks}, dispatch.Daily.Of(affiliate.DayOf(s.now(), s.store.Zone())))
		if wrong, ok := errors.AsType[*query.ParamError](err); ok {
			errs.add(wrong.Param, "“%s”: %s.", mailer.Cut(affiliate.OneLine(wrong.Value), 80), wrong.Problem)
		} else if err != nil {
			return sub, err
		}
	}
	return sub, errs.err()
}

// parsed checks a subscription according to its kind and returns its content.
func parsed(raw outbox.Subscription) (outbox.Subscription, error) {
	if raw.Kind == outbox.KindAlert {
		a, err := ParseAlert(raw)
		return a.Subscription, err
	}
	sc, err := ParseSchedule(raw)
	return sc.Subscription, err
}

// Pause pauses or resumes a subscription, in the version that Updated states. A resumed
// schedule continues with the next period that is due, an alert with events from now
// on.
func (s *Service) Pause(ctx context.Context, sub outbox.Subscription, paused bool, by audit.Line) (err error) {
	if !paused {
		if sub.Through, err = s.newestOf(sub); err != nil {
			return err
		}
	}
	return outbox.Pause(ctx, s.store, sub, paused, by)
}

// Remove ends a subscription for good, in the version that Updated states.
func (s *Service) Remove(ctx context.Context, sub outbox.Subscription, by audit.Line) error {
	return outbox.Remove(ctx, s.store, sub, by)
}

// UnknownCodes returns the invite codes of a schedule that no invitee has. They are
// allowed: a code may be new.
func (s *Service) UnknownCodes(ctx context.Context, sub outbox.Subscription) ([]string, error) {
	known, err := store.Reading(ctx, s.store, func(r *store.Tx) ([]string, error) { return records.Codes(ctx, r, affiliate.Members{}, 0) })
	return unknownOf(known, sub.Code), err
}

// UnknownCodeWords says in words that no invitee has some invite codes.
func UnknownCodeWords(unknown []string) string {
	return "No invitee has the invite code " + quoted(unknown) + "."
}

// UnknownCoins returns the coins of a subscription without any known commission. They
// are allowed: a coin may be new.
func (s *Service) UnknownCoins(ctx context.Context, sub outbox.Subscription) ([]affiliate.Coin, error) {
	known, err := s.reports.Coins(ctx)
	return unknownCoins(known, sub), err
}

func unknownCoins(known []affiliate.Coin, sub outbox.Subscription) (unknown []affiliate.Coin) {
	for _, named := range []affiliate.Coin{sub.Coin, sub.SkipCoin, sub.CorrectCoin} {
		for _, coin := range unknownOf(known, named) {
			if !slices.Contains(unknown, coin) {
				unknown = append(unknown, coin)
			}
		}
	}
	return unknown
}

// UnknownCoinWords says in words that some coins have no known commission.
func UnknownCoinWords(unknown []affiliate.Coin) string {
	return "No commission in " + quoted(unknown) + " so far; check the spelling."
}

// unknownOf returns the values of a filter that are unknown, see [affiliate.Spelled].
func unknownOf[T ~string](known []T, filter T) (unknown []T) {
	asked := affiliate.Spelled(known, filter)
	if slices.Contains(known, asked) { // one value may contain commas
		return nil
	}
	return slices.DeleteFunc(affiliate.Choices(asked), func(one T) bool { return slices.Contains(known, one) })
}

func quoted[T ~string](names []T) string {
	words := make([]string, len(names))
	for i, name := range names {
		words[i] = "“" + mailer.Cut(affiliate.OneLine(string(name)), 40) + "”"
	}
	return phrase.Listed(words)
}
