package config

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"rebatedesk/exchange/known"
	"rebatedesk/safehttp"
)

// sharedSettings are the account settings that may appear outside the [[account]] tables
// and then apply to all of them. Keys may not, because their account would be ambiguous.
var sharedSettings = []string{"EXCHANGE", "BASE_URL", "CONTRACT_BASE_URL", "API_VERSION", "LOCALE"}

// accounts reads one account per table, or the plain account if there are no tables. If no
// account is set and none is required, absent lists the missing settings.
func (r *reader) accounts(tables []layer, need Requirement, reach safehttp.Reach) (accounts []AccountSettings, absent SettingFaults) {
	if len(tables) == 0 && need&MayBeStored != 0 && !r.namesAccount() {
		// These settings alone describe no account, but they are still checked.
		parsed(r, settingByName("EXCHANGE"), ParseExchange)
		parsed(r, settingByName("API_VERSION"), ParseAPIVersion)
		parsed(r, settingByName("LOCALE"), ParseLocale)
		other := &reader{layers: r.layers}
		other.account(need, reach)
		return nil, other.faults
	}
	if len(tables) == 0 {
		return []AccountSettings{r.account(need, reach)}, nil
	}
	r.refusePlainAccount()
	accounts = make([]AccountSettings, len(tables))
	taken := map[string]bool{}
	for i, table := range tables {
		one := &reader{
			layers: append([]layer{table}, r.sharedLayers(table)...),
			table:  fmt.Sprintf("[[account]] %d", i+1),
		}
		if name := strings.ToLower(table.values["ACCOUNT"]); name == "" {
			one.fault("ACCOUNT", "", ValueProblem{"is not set", "give that table a name"})
		} else if taken[name] {
			one.fault("ACCOUNT", table.place("ACCOUNT"), ValueProblem{"is the name of another account too", "give each account a name of its own"})
		} else {
			taken[name] = true
		}
		accounts[i] = one.account(need, reach)
		r.adopt(one.faults)
	}
	return accounts, nil
}

// plain are the settings that describe no account alone.
var plain = []string{"EXCHANGE", "API_VERSION", "LOCALE"}

// namesAccount reports whether any setting describes the plain account.
func (r *reader) namesAccount() bool {
	if text, _, _ := r.find(settingByName("EXCHANGE")); text == known.File {
		return true // it needs nothing else
	}
	return slices.ContainsFunc(settings, func(s setting) bool {
		return s.ofAccount() && !slices.Contains(plain, s.name) && r.place(s.name) != ""
	})
}

// adopt records the faults of one table. A fault in a shared setting occurs in every table
// and is reported once.
func (r *reader) adopt(faults SettingFaults) {
	for _, f := range faults {
		if !slices.Contains(r.faults, f) {
			r.faults = append(r.faults, f)
		}
	}
}

// refusePlainAccount reports account settings outside the tables, which would be
// ignored silently.
func (r *reader) refusePlainAccount() {
	for _, s := range settings {
		if !s.ofAccount() || slices.Contains(sharedSettings, s.name) {
			continue
		}
		for _, l := range r.layers {
			for _, name := range []string{s.name, s.name + fileSuffix} {
				if l.values[name] != "" {
					r.fault(s.name, l.place(name), ValueProblem{"stands beside [[account]] tables", "move it into the table it belongs to"})
				}
			}
		}
	}
}

// sharedLayers returns the reader's layers reduced to the shared settings. A table
// with its own BASE_URL does not inherit CONTRACT_BASE_URL: its keys would be sent
// to another exchange.
func (r *reader) sharedLayers(table layer) []layer {
	layers := make([]layer, len(r.layers))
	for i, l := range r.layers {
		values := map[string]string{}
		for _, name := range sharedSettings {
			values[name] = l.values[name]
		}
		if table.values["BASE_URL"] != "" {
			delete(values, "CONTRACT_BASE_URL")
		}
		layers[i] = layer{values: values, place: l.place}
	}
	return layers
}

// account reads one account from the reader's layers.
func (r *reader) account(need Requirement, reach safehttp.Reach) AccountSettings {
	reach.Hosts = safehttp.HostList{} // they are those of users, and this is who sets them
	a := AccountSettings{Reach: reach}
	for _, s := range settings {
		if s.ofAccount() && s.need&need != 0 {
			s.read(r, s, nil, &a)
		}
	}
	a.ContractBaseURL = cmp.Or(a.ContractBaseURL, a.BaseURL)
	for name, p := range a.Barred() {
		text, origin, _ := r.find(settingByName(name))
		r.fault(name, origin, ValueProblem{Echo(text) + p.Wrong, p.Hint})
	}
	if a.Exchange == known.File {
		return a // nothing is asked for
	}
	r.require("BASE_URL")
	r.requireKey("API_", a.Exchange)
	if trades := func(part string) bool { return r.place("TRADING_API_"+part) != "" }; need&NeedTrading != 0 && slices.ContainsFunc(KeyParts, trades) {
		if sheet := known.Sheet(a.Exchange); sheet != nil && !sheet.Console {
			r.fault("TRADING_API_KEY", r.place("TRADING_API_KEY"), ValueProblem{"is of no use for an account at " + sheet.Title, "remove it: the desk does not trade there"})
			return a
		}
		r.requireKey("TRADING_API_", a.Exchange)
	}
	return a
}

// requireKey reports the parts of a key that are not set.
func (r *reader) requireKey(prefix, exchange string) {
	for _, part := range KeyPartsOf(exchange) {
		r.require(prefix + part)
	}
}

// KeyPartsOf are the parts that keys of an exchange have.
func KeyPartsOf(exchange string) []string {
	if sheet := known.Sheet(exchange); sheet != nil && sheet.NoPassphrase {
		return KeyParts[:2]
	}
	return KeyParts
}

// Barred returns a problem for each address that may not be reached, by setting.
func (a AccountSettings) Barred() map[string]ValueProblem {
	return a.barred(a.Reach.CheckBase)
}

// BarredNow is [AccountSettings.Barred], and resolves the names of hosts.
func (a AccountSettings) BarredNow(ctx context.Context) map[string]ValueProblem {
	return a.barred(func(base string) error { return a.Reach.ResolveBase(ctx, base) })
}

func (a AccountSettings) barred(check func(base string) error) map[string]ValueProblem {
	found := map[string]ValueProblem{}
	for name, base := range map[string]string{"BASE_URL": a.BaseURL, "CONTRACT_BASE_URL": a.ContractBaseURL} {
		if name == "CONTRACT_BASE_URL" && base == a.BaseURL {
			continue
		}
		if err := check(base); err != nil {
			found[name] = unreachable(err)
		}
	}
	return found
}

// unreachable returns the problem of an address that may not be reached.
func unreachable(err error) ValueProblem {
	if errors.Is(err, safehttp.ErrUnlisted) {
		return ValueProblem{"has a host that is not allowed", "give the address of the exchange; whoever operates the program allows others by ALLOWED_HOSTS"}
	}
	return ValueProblem{err.Error(), "give the address of the exchange; ALLOW_PRIVATE_URLS=on allows others"}
}

// KeyParts are the parts of one API key.
var KeyParts = []string{"KEY", "SECRET", "PASSPHRASE"}
