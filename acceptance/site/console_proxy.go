package site

import (
	"time"

	"rebatedesk/exchange/weex"
)

// Send sends a request to the proxy.
func (c *ConsoleSite) Send(v *Visitor, r weex.Request) Answer {
	c.Helper()
	c.Pass(time.Second)
	path := "/console/proxy/main" + r.Path
	if r.Query != "" {
		path += "?" + r.Query
	}
	return v.Send(r.Method, path, string(r.Body))
}
