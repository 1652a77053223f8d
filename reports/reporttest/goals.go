package reporttest

import (
	"time"

	"rebatedesk/affiliate"
)

var September = affiliate.NewDay(2026, time.September, 1)
