package reports

import (
	"fmt"

	"rebatedesk/reports/changes"
	"rebatedesk/reports/commissions"
	"rebatedesk/reports/export"
	"rebatedesk/reports/invitees"
	"rebatedesk/reports/payments"
	"rebatedesk/reports/rates"
	"rebatedesk/reports/subaffiliates"
	"rebatedesk/reports/worklist"
)

// ExportKinds lists the kinds available on the command line and to deliveries.
func ExportKinds() []*export.Kind {
	return []*export.Kind{commissions.File, invitees.File, subaffiliates.File, commissions.DailyFile, payments.BillFile, payments.File, payments.BalanceFile, payments.AccountFile,
		payments.IncomeFile, payments.KoinlyFile, payments.CoinTrackingFile, changes.File, rates.File, worklist.File}
}

// ExportNamed returns the kind of a name, of those of [ExportKinds].
func ExportNamed(name string) (*export.Kind, error) {
	for _, kind := range ExportKinds() {
		if kind.Name == name {
			return kind, nil
		}
	}
	return nil, fmt.Errorf("no such export: %q", name)
}
