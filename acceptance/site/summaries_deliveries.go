package site

import (
	"regexp"

	"rebatedesk/mail"
)

var StopLink = regexp.MustCompile(mail.StopPath + `([A-Za-z0-9_-]{20,})`)
