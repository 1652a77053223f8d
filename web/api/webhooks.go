package api

import (
	"rebatedesk/mail"
	templates "rebatedesk/web/templates/api"
)

var eventWords = map[string]string{
	mail.EventCollectionFailed:     "The newest run of an account failed. Once until a run succeeds.",
	mail.EventCollectionIncomplete: "A past day could not be collected.",
	mail.EventFiguresRestated:      "Past figures changed so much that they need attention. Once a day and coin.",
	mail.EventPaymentShort:         "A payment is too low.",
	mail.EventPaymentMissing:       "A payment is missing.",
	mail.EventRateChanged:          "Commission is paid otherwise than agreed, or a constant rate changed.",
	mail.EventInviteeSilent:        "An invitee with commission at risk stopped trading.",
	mail.EventSummaryReady:         "A summary of any schedule is made.",
	mail.EventMonthClosed:          "A month is closed.",
	mail.EventTest:                 "Somebody tests the channel.",
}

func webhookEvents() (list []templates.EventLine) {
	for _, name := range mail.Events() {
		list = append(list, templates.EventLine{Name: name, Words: eventWords[name]})
	}
	return list
}
