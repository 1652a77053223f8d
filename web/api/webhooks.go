package api

import (
	"rebatedesk/reports/findings"
	templates "rebatedesk/web/templates/api"
)

func webhookEvents() (list []templates.EventLine) {
	for _, e := range findings.Events() {
		list = append(list, templates.EventLine{Name: e.Name, Words: e.When})
	}
	return list
}
