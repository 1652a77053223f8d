package demo

import (
	"context"
	"errors"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"time"

	"rebatedesk/access"
	"rebatedesk/cmd/webapp/internal/config"
	"rebatedesk/delivery"
	"rebatedesk/store"
	"rebatedesk/store/audit"
	"rebatedesk/store/outbox"
)

// AllowFiles lets deliveries of the demo write into its own folder only: its visitors are
// administrators.
func AllowFiles(dir string, cfg *config.Config) (err error) {
	if dir, err = filepath.Abs(dir); err == nil {
		cfg.Delivery.Folders = []string{filepath.Join(dir, "deliveries")}
	}
	return err
}

// ServeFiles creates the deliveries of the demo once its history is collected, and delivers the
// newest period of each. It does nothing if their folder exists.
func ServeFiles(ctx context.Context, cfg config.Config, st *store.Store, deliveries *delivery.Service, log *slog.Logger) {
	for {
		whole, err := wholeHistory(ctx, cfg, st)
		if err == nil && whole {
			err = addFiles(ctx, cfg.Delivery.Folders[0], deliveries)
		}
		switch {
		case ctx.Err() != nil || err == nil && whole:
			return
		case err != nil:
			log.Warn("the deliveries of the demo could not be made", "error", err)
			return
		}
		select {
		case <-ctx.Done():
			return
		case <-time.After(pollInterval):
		}
	}
}

func addFiles(ctx context.Context, dir string, deliveries *delivery.Service) error {
	err := os.Mkdir(dir, 0o750)
	if errors.Is(err, fs.ErrExist) {
		return nil
	}
	by := audit.Line{Actor: UserName, Via: access.ViaCommand}
	for _, d := range []outbox.Delivery{
		{Name: "Warehouse", Kind: "commissions", Format: "parquet", Every: delivery.DayPeriods, Hour: 6},
		{Name: "Books", Kind: "daily", Format: "xlsx", Every: delivery.MonthPeriods, Hour: 7, Filters: "coin=USDT"},
	} {
		d.To, d.Deadline = "file://"+filepath.ToSlash(dir), delivery.DefaultWait
		if err == nil {
			d.ID, err = deliveries.Save(ctx, d, by)
		}
		if err == nil {
			d, err = deliveries.Delivery(ctx, d.ID)
		}
		if err == nil {
			err = deliveries.Ask(ctx, d, deliveries.NewestPeriod(d), by)
		}
	}
	return err
}
