package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net/url"
	"os"
	"strings"
	"time"

	"github.com/alecthomas/kong"

	"rebatedesk/affiliate"
	"rebatedesk/cmd/webapp/internal/config"
	"rebatedesk/cmd/webapp/internal/database"
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

// flagsOf returns the flags and arguments of the command that was given, by the fields of forms that they
// are: their names, or those of the tag field.
func flagsOf(parsed *kong.Context) map[string]string {
	of := map[string]string{}
	add := func(v *kong.Value, written string) {
		for field := range strings.SplitSeq(cmp.Or(v.Tag.Get("field"), strings.ReplaceAll(v.Name, "-", "_")), ",") {
			of[field] = written
		}
	}
	for _, argument := range parsed.Selected().Positional {
		add(argument, "<"+argument.Name+">")
	}
	for _, flag := range parsed.Flags() {
		if flag.Group == nil || flag.Group.Key != "settings" {
			add(flag.Value, "--"+flag.Name)
		}
	}
	return of
}

// named puts the flag of its field before each broken rule of an error, and reports whether there is one.
func (p *program) named(err error) (error, bool) {
	switch e := err.(type) {
	case *usageError:
		err, found := p.named(e.err)
		return &usageError{err}, found
	case *store.RuleError:
		if flag := p.flags[e.Field]; flag != "" {
			return fmt.Errorf("%s: %w", flag, e), true
		}
	case interface{ Unwrap() []error }:
		var list []error
		found := false
		for _, one := range e.Unwrap() {
			other, has := p.named(one)
			list, found = append(list, other), found || has
		}
		if found {
			return errors.Join(list...), true
		}
	}
	return err, false
}

// misused makes broken rules wrong usage.
func misused(err error) error {
	if rules := rulesOf(err); len(rules) > 0 {
		return &usageError{errors.Join(rules...)}
	}
	return err
}

// sentence reduces broken rules to their texts for users.
func sentence(err error) error {
	if rules := rulesOf(err); len(rules) == 1 {
		return rules[0]
	} else if len(rules) > 1 {
		return errors.Join(rules...)
	}
	return err
}

// rulesOf returns the broken rules of an error.
func rulesOf(err error) (rules []error) {
	switch e := err.(type) {
	case *store.RuleError:
		return []error{e}
	case interface{ Unwrap() []error }:
		for _, one := range e.Unwrap() {
			rules = append(rules, rulesOf(one)...)
		}
	case interface{ Unwrap() error }:
		rules = rulesOf(e.Unwrap())
	}
	return rules
}

// after opens a database once something was checked, which may create it.
func after(check func(config.Config) error, open database.Opener) database.Opener {
	return func(ctx context.Context, cfg config.Config) (*store.Store, error) {
		if err := check(cfg); err != nil {
			return nil, err
		}
		return open(ctx, cfg)
	}
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
