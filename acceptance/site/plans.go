package site

import (
	"rebatedesk/store/outbox"
)

func (m *MailSite) Alerts() []outbox.Subscription {
	m.Helper()
	list, err := m.Mail.Subscriptions(m.Context(), outbox.KindAlert)
	if err != nil {
		m.Fatal(err)
	}
	return list
}
