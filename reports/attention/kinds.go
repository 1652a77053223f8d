package attention

import (
	"reflect"
	"strings"
)

// every has a finding of each type.
var every = []Finding{
	GapFinding{}, QuarantineFinding{}, RefusedFinding{}, RunFinding{}, StaleFinding{}, PaymentFinding{}, UnruledFinding{}, MailFinding{}, ChannelFinding{}, ShippingFinding{},
	DropFinding{}, SilentFinding{}, AgreedFinding{}, RateFinding{}, RestatedFinding{}, ConcentrationFinding{}, FaultFinding{},
}

// FindingKinds lists the names of the kinds of findings, for programs.
func FindingKinds() []string {
	names := make([]string, len(every))
	for i, f := range every {
		names[i] = FindingKind(f)
	}
	return names
}

// FindingKind returns the name of the kind of a finding, for programs: that of its type, such as "gap"
// of a [GapFinding].
func FindingKind(f Finding) string {
	return strings.ToLower(strings.TrimSuffix(reflect.TypeOf(f).Name(), "Finding"))
}
