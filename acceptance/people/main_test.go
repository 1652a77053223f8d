package people_test

import (
	"testing"

	"rebatedesk/acceptance/site"
)

func TestMain(m *testing.M) { site.Main(m) }
