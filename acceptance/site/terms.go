package site

import (
	"html"
	"regexp"
	"strings"
)

const (
	TermsHead = "scope,value,product_type,rate,from,to,note,account,source,tier_by,tier_from,reference\r\n"
)

var HiddenField = regexp.MustCompile(`type="hidden" name="(\w+)" value="([^"]*)"`)

func WordsOf(page string) string {
	return strings.Join(strings.Fields(html.UnescapeString(Tags.ReplaceAllString(page, " "))), " ")
}
