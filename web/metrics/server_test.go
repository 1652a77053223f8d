package metrics_test

import (
	"testing"
	"time"

	"rebatedesk/access"
	"rebatedesk/reports"
	"rebatedesk/store"
	"rebatedesk/web"
	"rebatedesk/web/handler"
)

// newServer returns a server of pages over an empty database.
func newServer(t *testing.T, st *store.Store, watch handler.Observer) *web.Server {
	t.Helper()
	return web.New(web.Options{
		Reports: reports.New(st, time.Now), Access: access.New(access.Options{Store: st}), Watch: watch,
	})
}
