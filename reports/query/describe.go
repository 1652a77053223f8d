package query

import (
	"cmp"
	"errors"
	"slices"
	"strconv"

	"rebatedesk/affiliate"
)

// ParamType is the form of a parameter's value.
type ParamType string

// Forms of values.
const (
	DayParam     ParamType = "day"     // as 2026-09-07, in the reporting zone
	MonthParam   ParamType = "month"   // as 2026-09
	InstantParam ParamType = "instant" // RFC 3339, or a day
	TextParam    ParamType = "text"
	ChoiceParam  ParamType = "choice"  // one of Choices
	ChoicesParam ParamType = "choices" // several of Choices, separated by commas
	ListParam    ParamType = "list"    // several texts, separated by commas
	NumberParam  ParamType = "number"  // a whole number from 1 to Most
)

// ParamInfo describes a parameter that a report accepts to those who write programs.
type ParamInfo struct {
	Name    string
	Words   string // what it does, one or two sentences
	Type    ParamType
	Choices []string // of ChoiceParam and ChoicesParam
	Default string   // empty: none
	Most    int      // greatest number, or most characters
	Needed  bool     // without it there is no answer
}

// Describe lists the parameters that a report accepts, in the order of [Params]. The values of
// those that depend on what is stored, such as accounts and tags, are not listed.
func (p AcceptedParams) Describe() (list []ParamInfo) {
	for _, of := range params {
		if len(p.Taken) > 0 && !slices.Contains(p.Taken, of.name) {
			continue
		}
		info, ok := p.describe(of.name)
		if !ok {
			continue
		}
		info.Name = of.name
		if info.Most == 0 {
			info.Most = of.most
		}
		list = append(list, info)
	}
	return list
}

// describe returns false for a parameter of which the report has no choice.
func (p AcceptedParams) describe(name string) (ParamInfo, bool) {
	choice := func(words string, list []string, usual string) (ParamInfo, bool) {
		return ParamInfo{Words: words, Type: ChoiceParam, Choices: list, Default: usual}, len(list) > 0
	}
	text := func(words string, ok bool) (ParamInfo, bool) { return ParamInfo{Words: words, Type: TextParam}, ok }
	first := func(list []string) string {
		if len(list) == 0 {
			return ""
		}
		return list[0]
	}
	switch name {
	case "range":
		return choice("Days relative to today, in the reporting zone. Not together with from, to or month.", texts(RangeNames()), string(Query{Usual: p.Usual}.UsualRange()))
	case "from":
		return ParamInfo{Words: "The first day, included. Without it the range begins with the first day that anything is stored about.", Type: DayParam}, true
	case "to":
		return ParamInfo{Words: "The last day, included. Without it the range ends today.", Type: DayParam}, true
	case "month":
		return ParamInfo{Words: "A calendar month instead of days.", Type: MonthParam}, p.Months
	case "compare":
		usual := cmp.Or(p.Compared, p.UsualCompare, CompareNone)
		return choice("With what figures are compared.", texts(p.Compares()), string(usual))
	case "account":
		return text("Only records of this account.", true)
	case "product":
		return ParamInfo{Words: "Only these products.", Type: ChoicesParam, Choices: texts(affiliate.Products())}, true
	case "coin":
		return ParamInfo{Words: "Only these coins. Amounts of different coins are never added.", Type: ListParam}, true
	case "uid":
		return text("Only this UID.", true)
	case "symbol":
		return text("Only this trading pair, as the exchange writes it.", true)
	case "source":
		return choice("Only records of own invitees (direct), or of clients of sub-agents (sub).", texts(affiliate.Sources()), "")
	case "code":
		return ParamInfo{Words: "Only invitees with one of these invite codes.", Type: ListParam}, true
	case "segment":
		return text("Only invitees of this saved segment.", true)
	case "q":
		return text("Only what has this text in a UID, an invite code, a pair or a name that you may see.", true)
	case "by":
		return choice("What the rows are split by.", p.By, first(p.By))
	case "metric":
		return choice("The figure that is shown.", p.Metrics, first(p.Metrics))
	case "state":
		return choice("Only rows in this state.", p.States, "")
	case "kyc":
		if len(p.States) == 0 {
			return ParamInfo{}, false
		}
		return choice("Only invitees whose identity is verified, is not, or of whom the exchange did not say.", KYCChoices(), "")
	case "tag":
		return text("Only invitees with this tag.", p.Tags)
	case "cols":
		return ParamInfo{Words: "The columns that the page shows. A file has all columns.", Type: ChoicesParam, Choices: p.Columns}, len(p.Columns) > 0
	case "sort":
		var both []string
		for _, field := range p.Sorts {
			both = append(both, field, Sort{field, true}.String())
		}
		return choice("The order of the rows; a minus means descending.", both, p.Order.String())
	case "page":
		return ParamInfo{Words: "The page that a browser shows. A file has all rows.", Type: NumberParam, Most: MaxPage, Default: "1"}, true
	case "per":
		return ParamInfo{Words: "Rows of a page in a browser. A file has all rows.", Type: NumberParam, Most: MaxPer, Default: strconv.Itoa(Query{Rows: p.Rows}.UsualPer())}, true
	case "as_of":
		return ParamInfo{Words: "What was known at this instant; a day means its end. An instant in the future means now.", Type: InstantParam}, true
	case "since":
		return ParamInfo{Words: "What became known after this instant; a day means its beginning.", Type: InstantParam}, p.Since
	case "until":
		return ParamInfo{Words: "What became known up to this instant; a day means its end. Without it: now.", Type: InstantParam}, p.Since
	}
	if o := p.own(name); o != nil {
		return o.describe(), true
	}
	return ParamInfo{}, false
}

func texts[T ~string](names []T) []string {
	list := make([]string, len(names))
	for i, name := range names {
		list[i] = string(name)
	}
	return list
}

// withAllowed adds the values of a parameter to an error about it, or without a name the
// parameters that the report accepts.
func withAllowed(err error, name string, p AcceptedParams) error {
	refused, ok := errors.AsType[*ParamError](err)
	if !ok {
		return err
	}
	for _, info := range p.Describe() {
		switch {
		case name == "":
			refused.Allowed = append(refused.Allowed, info.Name)
		case info.Name == name && refused.Param == name:
			refused.Allowed = info.Choices
		}
	}
	return refused
}
