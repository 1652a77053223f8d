package pages_test

import site "rebatedesk/acceptance/site"

var (
	tablet = site.Screen{Name: "tablet", Width: 1024, Height: 700}
)
