package earnings

import (
	"slices"
	"strings"

	"rebatedesk/reports/invitees"
	"rebatedesk/reports/phrase"
	"rebatedesk/web/templates/ui"

	"github.com/a-h/templ"
)

func funnelColumns() []ui.Column[invitees.FunnelStep] {
	return []ui.Column[invitees.FunnelStep]{
		ui.TextColumn("Step", func(s invitees.FunnelStep) string { return phrase.Capital(string(s.Step)) }, ui.Names("font-normal")),
		ui.CellColumn("Invitees", func(s invitees.FunnelStep) templ.Component { return ui.CountOf(s.Count) }, ui.Nums),
		ui.CellColumn("Of all", func(s invitees.FunnelStep) templ.Component { return funnelRatio(s.All) }, ui.Nums, ui.Hinted("Of those who registered")),
		ui.CellColumn("Of step above", func(s invitees.FunnelStep) templ.Component {
			if s.Step == invitees.FunnelKYC {
				return ui.Unknown(kycWords)
			}
			return funnelRatio(s.Next)
		}, ui.Nums, ui.Hinted("Of those who took the step above, who took this one as well")),
		ui.CellColumn("Median days", func(s invitees.FunnelStep) templ.Component {
			if s.Wait.Known {
				return ui.Text(s.Wait.Days.StringFixed(1))
			}
			return ui.Unknown(noWait(s.Step))
		}, ui.Nums, ui.Hinted("From registration to first deposit, and from there to first trade")),
	}
}

// untold explains why the funnel shows nothing, or not everything, about the users who
// registered.
func untold(f invitees.Funnel) string {
	switch {
	case len(f.Steps) == 0 || f.Steps[0].Count.Known && !f.Steps[0].Count.AtLeast:
		return ""
	case f.Steps[0].Count.AtLeast:
		return "These counts are of those who were collected in time: " + f.Steps[0].Count.Reason + "."
	}
	return "Not known: " + strings.TrimSuffix(f.Steps[0].Count.Reason, ".") + "."
}

// stepWords gives the rate and the time of a step. The share of the first step after
// the registration is shown next to its bar.
func stepWords(s invitees.FunnelStep) string {
	var parts []string
	if s.Next.Known && s.Step == invitees.FunnelTrade {
		parts = append(parts, phrase.Count(s.Both)+" of the "+phrase.Count(s.Before)+" with a deposit ("+phrase.Percent(s.Next.Percent)+")")
	}
	if s.Wait.Known {
		parts = append(parts, "half within "+s.Wait.Days.StringFixed(1)+" days of "+waitWords(s.Wait.From))
	}
	return strings.Join(parts, " · ")
}

// withKYC returns the lines of the table: the steps, and KYC below them.
func withKYC(f invitees.Funnel) []invitees.FunnelStep {
	if len(f.Steps) == 0 {
		return nil
	}
	return append(slices.Clone(f.Steps), f.KYC)
}

func waitWords(from invitees.FunnelName) string {
	if from == invitees.FunnelRegistered {
		return "registration"
	}
	return "the " + string(from)
}

func noWait(step invitees.FunnelName) string {
	switch step {
	case invitees.FunnelRegistered:
		return "the first step waits for nothing"
	case invitees.FunnelKYC:
		return "the exchange does not tell when KYC was passed"
	}
	return "nobody known took both steps"
}

// youngWords warns that the newest users may still take steps.
func youngWords(f invitees.Funnel) string {
	if f.Young == 0 || len(f.Steps) == 0 || !f.Steps[0].Count.Known {
		return ""
	}
	if f.Young == f.Steps[0].Count.N {
		return "Recent registrations: these shares will still rise."
	}
	return phrase.Count(f.Young) + " of them registered in the last 30 days: these shares will still rise."
}
