package main

import (
	"errors"
	"net/url"
	"os"
	"strings"
	"time"

	"rebatedesk/affiliate"
	"rebatedesk/cmd/webapp/internal/config"
	"rebatedesk/reports/query"
	"rebatedesk/store"
)

// Checks of flags and arguments that several commands share. Commands make them
// before they touch a database, a key or the network.

// checkAccount checks the name of an account; empty means all.
func checkAccount(flag, name string) error {
	if name == "" {
		return nil
	}
	if _, p := config.ParseAccountName(name); p != nil {
		return usage("%s %s%s; %s", flag, config.Echo(name), p.Wrong, p.Hint)
	}
	return nil
}

// checkName checks the name of a schedule, an alert or a token.
func checkName(flag, name string) error {
	if err := store.CheckName("It", name); err != nil {
		return usage("%s %scannot be a name: %w Give up to %d characters in one line.", flag, config.Echo(name), sentence(err), store.MaxName)
	}
	return nil
}

// checkDay checks a day of the calendar.
func checkDay(flag, text string) error {
	if _, err := affiliate.ParseDay(text); err != nil {
		return usage("%s %q is not a day; give one such as 2026-09-07", flag, text)
	}
	return nil
}

// flagOfField maps the fields of broken rules to the flags of summary schedule add
// and summary alert add.
var flagOfField = map[string]string{
	"every": "--period", "zone": "--zone", "at": "--at", "weekday": "--weekday", "month_day": "--day", "deadline": "--deadline",
	"skip_below": "--skip-below", "correct_above": "--correct-above", "sections": "--section", "recipients": "--to",
	"watches": "--watch", "hours": "--hours", "percent": "--below", "amount": "--above", "quiet": "--quiet", "apart": "--apart",
}

// ruled turns a broken rule into a usage error about the flag of its field.
func ruled(err error) error {
	rule, ok := errors.AsType[*store.RuleError](err)
	if !ok {
		return err
	}
	if flag := flagOfField[rule.Field]; flag != "" {
		return usage("%s: %w", flag, rule)
	}
	return usage("%w", rule)
}

// checkFile checks the path of a file to read or write.
func checkFile(flag, path string) error {
	switch {
	case path == "" || strings.ContainsRune(path, 0):
		return usage("%s %sis not the path of a file; name one", flag, config.Echo(path))
	case isFolder(path):
		return usage("%s %sis a folder; name a file in it", flag, config.Echo(path))
	}
	return nil
}

// checkFilters checks the filters of a report, by their names in a page's query
// string. Whether the account or coin exists is checked against the database later.
func checkFilters(now time.Time, filters map[string]string) error {
	_, err := readFilters(filters, query.Basis{Now: now, Zone: time.UTC})
	return err
}

// readFilters reads flags as the query string of a page, so that both mean the
// same.
func readFilters(flags map[string]string, basis query.Basis) (query.Query, error) {
	values := url.Values{}
	for name, value := range flags {
		if value != "" {
			values.Set(name, value)
		}
	}
	query, err := query.Parse(values, basis)
	return query, flagged(err)
}

// flagged turns an error about a report parameter into a usage error about the flag
// of that name.
func flagged(err error) error {
	wrong, ok := errors.AsType[*query.ParamError](err)
	if !ok {
		return err
	}
	return usage("--%s", strings.Replace(wrong.Error(), "as_of=", "as-of=", 1))
}

// earliestOf returns a substitute for the first stored day, before the database is open: no
// later than the last day of the range.
func earliestOf(to string, today affiliate.Day) affiliate.Day {
	if day, err := affiliate.ParseDay(to); err == nil {
		return min(day, today)
	}
	return today
}

func isFolder(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.IsDir()
}
