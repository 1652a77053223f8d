package reporttest

import (
	"time"

	"rebatedesk/affiliate"
	"rebatedesk/store/audit"
)

var August = affiliate.NewDay(2026, time.August, 1)

var ByAnn = audit.Line{Actor: "ann", Via: "session"}
