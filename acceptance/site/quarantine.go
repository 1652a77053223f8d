package site

import (
	"context"
	"time"

	"rebatedesk/affiliate"
	"rebatedesk/collector"
)

// CollectOddly collects again an hour later, with records that cannot be read.
func (s *closingSite) CollectOddly() collector.RunReport {
	s.Helper()
	s.Pass(time.Hour)
	s.Exchange.Clock.Store(s.Now().UnixMilli())
	since := affiliate.DayOf(s.Now(), time.UTC) - affiliate.Day(s.Exchange.Days)
	report, err := s.Exchange.Collector.Collect(context.Background(), collector.RunRequest{Cause: "command", Since: since})
	if err != nil || report.Complete {
		s.Fatalf("the run is %+v (%v)", report, err)
	}
	s.Pass(time.Minute)
	s.Exchange.Clock.Store(s.Now().UnixMilli())
	return report
}
