package site

import (
	"html"
	"strings"
)

// Words is the text of a page.
func Words(page string) string {
	_, page, _ = strings.Cut(page, `id="page"`)
	return strings.Join(strings.Fields(html.UnescapeString(Tags.ReplaceAllString(page, " "))), " ")
}
