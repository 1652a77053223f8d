package segments

import (
	"errors"
	"fmt"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"rebatedesk/affiliate"
	"rebatedesk/reports/invitees"
	"rebatedesk/reports/query"
)

// Definition says whom a segment has: the invitees that a list with these filters shows and that
// meet the further conditions. Its text form is a query string; [ParseDefinition] and
// [Definition.Text] are inverse to each other.
type Definition struct {
	// Query are the filters of a list of invitees. Its days are those of amounts and of trades.
	Query query.Query
	// Registered are the days of registration, if RegisteredIn is not empty, which is a relative
	// range or two days such as 2026-01-01..2026-03-31.
	Registered   affiliate.Days
	RegisteredIn string

	Commission AmountBounds // in the coin of the query, in its days
	Volume     AmountBounds // in the quote currency of each pair, in the days of the query
	RiskLeast  affiliate.Number
	Silent     int    // days without a trade, at least; 0: any
	FirstTrade string // yes or no; empty: any
	Owner      string // whose invitees they are, whatever the letter case; empty: anybody's
}

// AmountBounds are the bounds of an amount, which belong to it. Empty ones do not narrow it.
type AmountBounds struct{ Least, Most affiliate.Number }

// set reports whether there is a bound.
func (b AmountBounds) set() bool { return b.Least != "" || b.Most != "" }

// Parameters of a definition that the list of invitees does not have.
const (
	paramRegistered      = "registered"
	paramCommissionLeast = "commission_least"
	paramCommissionMost  = "commission_most"
	paramVolumeLeast     = "volume_least"
	paramVolumeMost      = "volume_most"
	paramSilent          = "silent_least"
	paramRisk            = "risk_least"
	paramFirstTrade      = "first_trade"
	paramOwner           = "owner"
)

// ownParams are these parameters in the order of listing.
var ownParams = []string{paramOwner, paramRegistered, paramCommissionLeast, paramCommissionMost, paramVolumeLeast, paramVolumeMost, paramSilent, paramRisk, paramFirstTrade}

// listParams are the parameters that a definition shares with the list of invitees.
var listParams = []string{"account", "code", "tag", "state", "kyc", "product", "coin", "source", "symbol", "uid", "q", "range", "from", "to"}

// DefinitionParams lists the parameters of a definition.
var DefinitionParams = slices.Concat(listParams, ownParams)

// FirstTradeChoices are the values of the condition about the first trade.
func FirstTradeChoices() []string { return []string{"yes", "no"} }

// mostOwner is the longest name of an owner, in characters.
const mostOwner = 100

// mostSilent is the longest silence that can be asked for, in days.
const mostSilent = 3660

// ErrConditions means that a definition names no condition.
var ErrConditions = errors.New("the segment names no condition, and everybody would belong to it: give one, such as a code, a tag or a state")

// ParseDefinition reads the text form of a definition. Relative ranges end on the day of
// basis.Now. A wrong parameter is a *query.ParamError; a definition without a condition is
// [ErrConditions].
func ParseDefinition(text string, basis query.Basis) (Definition, error) {
	values, err := url.ParseQuery(text)
	if err != nil {
		return Definition{}, &query.ParamError{Param: "definition", Value: text, Problem: "is no query string, such as code=VIP&state=silent"}
	}
	return definitionOf(values, basis)
}

// definitionOf reads the parameters of a definition.
func definitionOf(values url.Values, basis query.Basis) (d Definition, err error) {
	if values.Has("segment") {
		return d, &query.ParamError{Param: "segment", Value: values.Get("segment"), Problem: "a segment cannot name another one: give its conditions"}
	}
	shared, own := url.Values{}, map[string]string{}
	for name, given := range values {
		switch {
		case slices.Contains(listParams, name):
			shared[name] = given
		case !slices.Contains(ownParams, name):
			return d, &query.ParamError{Param: name, Value: values.Get(name), Problem: "there is no such condition; the conditions are " + strings.Join(DefinitionParams, ", ")}
		case len(given) > 1:
			return d, &query.ParamError{Param: name, Value: given[1], Problem: "is given more than once"}
		default:
			own[name] = strings.TrimSpace(given[0])
		}
	}
	basis.AcceptedParams = query.AcceptedParams{Taken: listParams, States: invitees.StateChoices(), Tags: true}
	if d.Query, err = query.Parse(shared, basis); err != nil {
		return d, err
	}
	if err := d.own(own, basis); err != nil {
		return d, err
	}
	return d, d.check()
}

// own reads the parameters that only definitions have.
func (d *Definition) own(values map[string]string, basis query.Basis) (err error) {
	for _, amount := range []struct {
		name string
		to   *affiliate.Number
	}{
		{paramCommissionLeast, &d.Commission.Least}, {paramCommissionMost, &d.Commission.Most},
		{paramVolumeLeast, &d.Volume.Least}, {paramVolumeMost, &d.Volume.Most}, {paramRisk, &d.RiskLeast},
	} {
		value := values[amount.name]
		if value == "" {
			continue
		}
		n, err := affiliate.ParseNumber(value)
		if err != nil || n.Decimal().IsNegative() {
			return &query.ParamError{Param: amount.name, Value: value, Problem: "is not an amount in digits, such as 100 or 0.25"}
		}
		*amount.to = n.Canonical()
	}
	if value := values[paramSilent]; value != "" {
		if d.Silent, err = strconv.Atoi(value); err != nil || d.Silent < 1 || d.Silent > mostSilent {
			return &query.ParamError{Param: paramSilent, Value: value, Problem: fmt.Sprintf("is not a whole number of days from 1 to %d", mostSilent)}
		}
	}
	if d.FirstTrade = values[paramFirstTrade]; d.FirstTrade != "" && !slices.Contains(FirstTradeChoices(), d.FirstTrade) {
		return &query.ParamError{Param: paramFirstTrade, Value: d.FirstTrade, Problem: "is none of " + strings.Join(FirstTradeChoices(), ", ")}
	}
	if d.Owner = values[paramOwner]; len(d.Owner) > mostOwner || strings.ContainsFunc(d.Owner, unicode.IsControl) {
		return &query.ParamError{Param: paramOwner, Value: d.Owner, Problem: fmt.Sprintf("is longer than %d characters or has control characters", mostOwner)}
	}
	if value := values[paramRegistered]; value != "" {
		return d.registered(value, basis)
	}
	return nil
}

// registered reads the days of registration.
func (d *Definition) registered(value string, basis query.Basis) error {
	asked := url.Values{"range": {value}}
	if first, last, ok := strings.Cut(value, ".."); ok {
		asked = url.Values{"from": {first}, "to": {last}}
	}
	basis.AcceptedParams = query.AcceptedParams{Taken: []string{"range", "from", "to"}}
	q, err := query.Parse(asked, basis)
	if wrong, ok := errors.AsType[*query.ParamError](err); ok {
		return &query.ParamError{Param: paramRegistered, Value: value, Problem: wrong.Problem + "; give a range such as 30d, or two days such as 2026-01-01..2026-03-31"}
	}
	if err != nil {
		return err
	}
	d.Registered, d.RegisteredIn = q.Days, value
	return nil
}

// check refuses conditions that contradict each other, and a definition without any.
func (d *Definition) check() error {
	if d.Commission.set() && len(affiliate.Choices(d.Query.Coin)) != 1 {
		name, value := paramCommissionLeast, d.Commission.Least
		if value == "" {
			name, value = paramCommissionMost, d.Commission.Most
		}
		return &query.ParamError{Param: name, Value: string(value), Problem: "needs its coin: give one with coin, such as coin=USDT"}
	}
	for _, b := range []struct {
		name string
		AmountBounds
	}{{paramCommissionMost, d.Commission}, {paramVolumeMost, d.Volume}} {
		if b.Least != "" && b.Most != "" && b.Most.Cmp(b.Least) < 0 {
			return &query.ParamError{Param: b.name, Value: string(b.Most), Problem: "is less than the least amount, " + string(b.Least)}
		}
	}
	if d.FirstTrade == "no" && d.Silent > 0 {
		return &query.ParamError{Param: paramFirstTrade, Value: "no", Problem: "cannot stand together with " + paramSilent + ": who never traded did not fall silent"}
	}
	if !d.Query.Filtered() && d.RegisteredIn == "" && !d.Commission.set() && !d.Volume.set() && d.RiskLeast == "" && d.Silent == 0 && d.FirstTrade == "" && d.Owner == "" {
		return ErrConditions
	}
	return nil
}

// traded reports whether a member must have a record that the filters of the query match.
func (d *Definition) traded() bool {
	return d.Query.Product != "" || d.Query.Symbol != "" || d.Query.Source != "" || d.Query.Coin != "" && !d.Commission.set()
}

// HasDays reports whether the days of the query matter.
func (d *Definition) HasDays() bool { return d.traded() || d.Commission.set() || d.Volume.set() }

// Values returns the parameters again, without those that have no effect.
func (d *Definition) Values() url.Values {
	values := d.Query.Values()
	if !d.HasDays() {
		for _, name := range []string{"range", "from", "to"} {
			values.Del(name)
		}
	}
	for name, value := range map[string]string{
		paramRegistered: d.RegisteredIn, paramCommissionLeast: string(d.Commission.Least), paramCommissionMost: string(d.Commission.Most),
		paramVolumeLeast: string(d.Volume.Least), paramVolumeMost: string(d.Volume.Most), paramRisk: string(d.RiskLeast), paramFirstTrade: d.FirstTrade, paramOwner: d.Owner,
	} {
		if value != "" {
			values.Set(name, value)
		}
	}
	if d.Silent > 0 {
		values.Set(paramSilent, strconv.Itoa(d.Silent))
	}
	return values
}

// Text returns the text form, in which equal definitions are equal.
func (d *Definition) Text() string { return d.Values().Encode() }

// FromList returns the definition of exactly the filters of a list of invitees. Its range counts
// only where product, coin, source or pair ask for trades.
func FromList(q query.Query) string {
	values := q.Values()
	for name := range values {
		if !slices.Contains(DefinitionParams, name) {
			values.Del(name)
		}
	}
	d := Definition{Query: q}
	if !d.HasDays() {
		for _, name := range []string{"range", "from", "to"} {
			values.Del(name)
		}
	}
	return values.Encode()
}
