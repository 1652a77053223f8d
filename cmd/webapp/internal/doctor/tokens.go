package doctor

import (
	"context"
	"fmt"
	"strings"
	"time"

	"rebatedesk/access"
	"rebatedesk/cmd/webapp/internal/config"
	"rebatedesk/cmd/webapp/internal/database"
	"rebatedesk/store"
)

// tokens reports API tokens that expire soon. The installation is not at fault, but
// programs that use them will stop.
func (d *Doctor) tokens(ctx context.Context) []Result {
	const check = "API tokens"
	cfg, ok := d.parts.config(config.NeedStore)
	if !ok {
		return []Result{skipped(check, notUsable)}
	}
	if !d.current {
		return []Result{skipped(check, "there is no database yet that this program need not change")}
	}
	list, err := d.storedTokens(ctx, cfg)
	if err != nil {
		return []Result{failed(check, err.Error(), "")}
	}
	var works int
	var soon []string
	for _, t := range list {
		if !t.Ended {
			works++
		}
		if t.Soon {
			soon = append(soon, fmt.Sprintf("%q of %s at %s UTC", t.Name, t.User, t.Expires.UTC().Format(time.DateTime)))
		}
	}
	found := passed(check, "%d work, and none expires within %d days", works, warnDays)
	if len(soon) > 0 {
		found = passed(check, "%d work, and these expire within %d days: %s", works, warnDays, strings.Join(soon, ", "))
		found.Hint = "make others in time: webapp token create"
	}
	return []Result{found}
}

// warnDays is access.WarnTokens in days.
var warnDays = int(access.WarnTokens.Hours() / 24)

func (d *Doctor) storedTokens(ctx context.Context, cfg config.Config) (list []access.Token, err error) {
	err = database.Use(ctx, cfg, database.Open, func(st *store.Store) (err error) {
		list, err = access.New(access.Options{Store: st, Now: cfg.Now}).Tokens(ctx, "")
		return err
	})
	return list, err
}
