package main

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"rebatedesk/access"
)

// tokens tells which API tokens expire soon. That is no fault of the
// installation, but the program that uses one stops on that day.
func (d *doctor) tokens(ctx context.Context) []finding {
	const check = "API tokens"
	cfg, ok := d.parts.config(NeedStore)
	if !ok {
		return []finding{skipped(check, notUsable)}
	}
	if !d.current {
		return []finding{skipped(check, "there is no database yet that this program need not change")}
	}
	list, err := d.storedTokens(ctx, cfg)
	if err != nil {
		return []finding{failed(check, err.Error(), "")}
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
		found.Mend = "make others in time: webapp token create"
	}
	return []finding{found}
}

// warnDays is access.WarnTokens in days.
var warnDays = int(access.WarnTokens.Hours() / 24)

func (d *doctor) storedTokens(ctx context.Context, cfg Config) (list []access.Token, err error) {
	st, err := openStore(ctx, cfg)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, st.Close()) }()
	return access.New(access.Options{Store: st, Now: cfg.Now}).Tokens(ctx, "")
}
