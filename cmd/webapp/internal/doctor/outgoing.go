package doctor

import (
	"context"
	"errors"
	"fmt"
	"time"

	"rebatedesk/cmd/webapp/internal/config"
	"rebatedesk/cmd/webapp/internal/database"
	"rebatedesk/delivery/carrier"
	"rebatedesk/store"
	"rebatedesk/store/outbox"
)

// destinationWithin limits how long one destination is asked.
const destinationWithin = 20 * time.Second

// channels reports the state of each channel. It sends nothing: channel test does.
func (d *Doctor) channels(ctx context.Context) (found []Result) {
	const check = "channels"
	cfg, ok := d.parts.config(config.NeedStore)
	if !ok {
		return []Result{skipped(check, notUsable)}
	}
	if !d.current {
		return nil // the check of the database says so
	}
	list, err := listed(ctx, cfg, outbox.Channels)
	if err != nil {
		return []Result{failed(check, err.Error(), "")}
	}
	for _, c := range list {
		found = append(found, channelFound(c))
	}
	return found
}

func channelFound(c outbox.Channel) Result {
	check := fmt.Sprintf("channel %q", c.Name)
	last := "nothing was sent to it yet"
	if c.Last != nil {
		last = fmt.Sprintf("its last message is %s", c.Last.State)
		if c.Last.Answer != "" {
			last += ": " + c.Last.Answer
		}
	}
	switch {
	case c.Fault != "":
		return failed(check, fmt.Sprintf("it stopped at %s, because its receiver takes nothing: %s", c.Paused, c.Fault),
			fmt.Sprintf("mend the receiver, then: webapp channel resume --name %q; or add it again with another address", c.Name))
	case c.Paused.Known():
		return skipped(check, fmt.Sprintf("it is paused since %s; %s", c.Paused, last))
	case c.Failing.Known():
		return warned(check, fmt.Sprintf("it fails since %s; %s", c.Failing, last), fmt.Sprintf("mend the receiver, then: webapp channel test --name %q", c.Name))
	}
	return passed(check, "%s", last)
}

// deliveries connects to the destination of each scheduled delivery, and puts nothing there.
func (d *Doctor) deliveries(ctx context.Context) (found []Result) {
	const check = "deliveries"
	cfg, ok := d.parts.config(config.NeedStore | config.NeedDelivery)
	if !ok {
		return []Result{skipped(check, notUsable)}
	}
	if !d.current {
		return nil
	}
	list, err := listed(ctx, cfg, outbox.Deliveries)
	if err != nil {
		return []Result{failed(check, err.Error(), "")}
	}
	for _, one := range list {
		check := fmt.Sprintf("delivery %q", one.Name)
		if one.Paused.Known() {
			found = append(found, skipped(check, fmt.Sprintf("it is paused since %s", one.Paused)))
			continue
		}
		said, err := destinationFound(ctx, one.To, cfg.Carriers())
		switch {
		case errors.Is(err, carrier.ErrHidden):
			found = append(found, warned(check, one.To+": "+err.Error(), fmt.Sprintf("see whether the last file arrived: webapp delivery log --name %q; with the right to list the bucket, this check knows", one.Name)))
		case err != nil:
			found = append(found, failed(check, one.To+": "+err.Error(), ""))
		case one.Failures > 0:
			found = append(found, warned(check, fmt.Sprintf("%s: %s, but the last %d tries failed", one.To, said, one.Failures), fmt.Sprintf("see why: webapp delivery log --name %q", one.Name)))
		default:
			found = append(found, passed(check, "%s: %s", one.To, said))
		}
	}
	return found
}

// destinationFound says what a destination shows of itself. Its error says what mends it.
func destinationFound(ctx context.Context, text string, s carrier.Settings) (said string, err error) {
	to, err := carrier.ParseDestination(text)
	if err != nil {
		return "", err
	}
	ctx, cancel := context.WithTimeout(ctx, destinationWithin)
	defer cancel()
	there, err := carrier.Open(ctx, to, s)
	if err != nil {
		return "", err
	}
	defer func() { err = errors.Join(err, there.Close()) }()
	switch to.Scheme {
	case carrier.S3Scheme:
		said = "the bucket is there, and the storage accepts the key"
	case carrier.SFTPScheme:
		said = "the server shows its known key, lets the user in, and has the folder"
	default:
		said = "the folder is there and can be written into"
	}
	return said, there.Check(ctx)
}

// listed reads a list from the database.
func listed[T any](ctx context.Context, cfg config.Config, read func(context.Context, *store.Tx) ([]T, error)) (list []T, err error) {
	err = database.Use(ctx, cfg, database.Open, func(st *store.Store) error {
		r, err := st.Read(ctx)
		if err != nil {
			return err
		}
		defer r.Close()
		list, err = read(ctx, r)
		return err
	})
	return list, err
}
