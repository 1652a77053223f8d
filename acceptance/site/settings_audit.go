package site

import (
	"context"
	"fmt"
	"strings"
	"time"

	"rebatedesk/store/audit"
)

// Until opens a page again until it contains a text.
func (v *Visitor) Until(path, says string) string {
	v.Helper()
	var page string
	Soon(v, fmt.Sprintf("%s says %q", path, says), func() bool {
		page = v.Get(path).Body
		return strings.Contains(page, says)
	})
	return page
}

// History writes lines on five days by three users.
func (b *adminSite) History(n int) {
	b.Helper()
	for i := range n {
		line := audit.Line{Actor: fmt.Sprint("person", i%3), Via: "session", Address: "203.0.113.7", Action: []string{"export", "collect now"}[i%2],
			Object: fmt.Sprint("object ", i), Detail: `=HYPERLINK("http://evil.example")`, Outcome: "<script>alert(1)</script>"}
		if err := b.Access.Record(context.Background(), line); err != nil {
			b.Fatal(err)
		}
		if (i+1)%(n/5) == 0 {
			b.Pass(24 * time.Hour)
		}
	}
	b.ComeBack()
}
