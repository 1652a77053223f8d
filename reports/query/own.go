package query

import (
	"net/url"
	"slices"
	"strings"
)

// Own is a parameter that only some reports have, each with choices of its own.
type Own struct {
	Name    string
	Words   string   // what it does, one or two sentences
	Choices []string // empty: any text
	Usual   bool     // the first choice holds without the parameter; false: none does
	Filters bool     // it leaves records out
	Label   string   // of a filter, on the page; empty: the page shows the choice by itself
	NotBy   bool     // it cannot be what the rows are split by
}

// Declare makes a parameter known to [Parse], beside those that all reports share. Reports of
// one parameter agree on whether it filters.
func Declare(o Own) Own {
	if slices.Contains(Params, o.Name) {
		return o
	}
	p := param{name: o.Name, most: maxText,
		set: func(q *Query, value string, basis Basis) error {
			if problem := basis.own(o.Name).refuses(value); problem != "" {
				return invalid(o.Name, value, problem)
			}
			q.SetOwn(o.Name, value)
			return nil
		},
		text: func(q *Query) string { return q.Own(o.Name) },
	}
	if o.Filters {
		p.reset = func(q *Query) { q.SetOwn(o.Name, "") }
	}
	at := slices.Index(Params, "cols")
	for at > 0 && params[at-1].own && Params[at-1] > o.Name { // whatever the order of declaration
		at--
	}
	p.own = true
	params, Params = slices.Insert(params, at, p), slices.Insert(Params, at, o.Name)
	return o
}

// own returns the report's own parameter of a name; nil: it has none.
func (p AcceptedParams) own(name string) *Own {
	for i := range p.Own {
		if p.Own[i].Name == name {
			return &p.Own[i]
		}
	}
	return nil
}

// refuses returns what is wrong with a value, empty if nothing.
func (o *Own) refuses(value string) string {
	switch {
	case o == nil:
		return noneOf(nil)
	case len(o.Choices) > 0 && !slices.Contains(o.Choices, value):
		return noneOf(o.Choices)
	}
	return ""
}

// usual returns the value that holds without the parameter.
func (o *Own) usual() string {
	if o.Usual {
		return o.Choices[0]
	}
	return ""
}

// Own returns the value of a parameter that is the report's own; empty: none was given.
func (q Query) Own(name string) string {
	for rest := q.own; rest != ""; {
		var one string
		one, rest, _ = strings.Cut(rest, "&")
		if of, text, _ := strings.Cut(one, "="); of == name {
			value, _ := url.QueryUnescape(text) // written by SetOwn
			return value
		}
	}
	return ""
}

// SetOwn sets the value of a parameter that is the report's own; an empty one takes it away.
func (q *Query) SetOwn(name, value string) {
	values, _ := url.ParseQuery(q.own) // written here
	if values.Set(name, value); value == "" {
		values.Del(name)
	}
	q.own = values.Encode()
}

// describe describes the parameter to those who write programs.
func (o *Own) describe() ParamInfo {
	if len(o.Choices) == 0 {
		return ParamInfo{Words: o.Words, Type: TextParam}
	}
	return ParamInfo{Words: o.Words, Type: ChoiceParam, Choices: o.Choices, Default: o.usual()}
}

// WithoutUsual removes from the values of a query what holds without being given.
func (p AcceptedParams) WithoutUsual(values url.Values) {
	drop := func(name, usual string) {
		if values.Get(name) == usual {
			values.Del(name)
		}
	}
	first := func(list []string) string { return strings.Join(list[:min(1, len(list))], "") }
	drop("sort", p.Order.String())
	drop("by", first(p.By))
	drop("metric", first(p.Metrics))
	for _, o := range p.Own {
		drop(o.Name, o.usual())
	}
}
