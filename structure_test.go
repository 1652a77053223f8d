// These tests hold the structure of this repository: which package may import
// which, where a library may be used, and what the tree looks like.
// docs/architecture.md gives the reasons.
package rebatedesk_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
)

const module = "rebatedesk"

// imports says which packages of ours a package may import; "reports/..." are all
// packages below reports. Packages below a group (web/…) may import each other, and
// everything may be imported by cmd. A package that is not listed here has no place
// yet: give it one.
var imports = []struct {
	group string
	may   []string
	tests []string // further, in test files only
}{
	{group: "affiliate"},
	{group: "terms", may: []string{"affiliate", "tabular"}, tests: []string{"workbook"}},
	{group: "people", may: []string{"affiliate", "tabular", "workbook"}},
	{group: "workbook", may: []string{"archive"}},
	{group: "tabular", may: []string{"affiliate", "workbook"}},
	{group: "document"},
	{group: "feed", may: []string{"affiliate"}},
	{group: "archive"},
	{group: "evidence/keyring", may: []string{"evidence", "seal", "store", "store/audit", "store/identity"}, tests: []string{"affiliate"}},
	{group: "evidence", may: []string{"archive"}},
	{group: "internal/crashpoint"},
	{group: "internal/axis"},
	{group: "internal/guard"},
	{group: "exchange/simulator/seeded"},
	{group: "exchange/simulator/market", may: []string{"affiliate", "exchange/simulator/seeded"}},
	{group: "exchange/simulator/programme", may: []string{"affiliate", "exchange/simulator/market", "exchange/simulator/seeded"}},
	{group: "exchange/simulator/account", may: []string{"affiliate", "exchange/simulator/market", "exchange/simulator/programme", "exchange/simulator/seeded"}},
	{group: "exchange/simulator", may: []string{"affiliate", "exchange", "exchange/simulator/account", "exchange/simulator/market", "exchange/simulator/programme", "exchange/simulator/seeded"}},
	{group: "exchange/wire", may: []string{"affiliate"}},
	{group: "outbound"},
	{group: "exchange/transport", may: []string{"affiliate", "exchange/wire", "outbound"}},
	{group: "exchange", may: []string{"affiliate", "exchange/transport", "exchange/wire", "outbound"}, tests: []string{"exchange/simulator"}},
	{group: "collector", may: []string{"affiliate", "exchange", "store", "store/payments", "store/received", "store/records", "store/sums", "internal/crashpoint", "internal/guard"}, tests: []string{"store/upkeep", "exchange/simulator", "exchange/simulator/account"}},
	{group: "store/rollup", may: []string{"affiliate"}},
	{group: "store/audit", may: []string{"affiliate", "store"}},
	{group: "store/identity", may: []string{"affiliate", "store", "store/audit"}, tests: []string{"store/records"}},
	{group: "store/people", may: []string{"affiliate", "people", "store", "store/audit", "store/records", "store/sums"}, tests: []string{"store/upkeep"}},
	{group: "store/received", may: []string{"affiliate", "store"}, tests: []string{"store/records", "store/upkeep"}},
	{group: "store/records", may: []string{"affiliate", "store", "store/received", "store/rollup", "internal/guard"}, tests: []string{"store/sums"}},
	{group: "store/sums", may: []string{"affiliate", "store", "store/records", "store/rollup", "internal/guard"}},
	{group: "store/payments", may: []string{"affiliate", "store", "store/audit", "store/records", "store/rollup"}},
	{group: "store/closings", may: []string{"affiliate", "store", "store/audit"}},
	{group: "store/segments", may: []string{"affiliate", "store", "store/audit", "store/identity"}},
	{group: "store/annotations", may: []string{"affiliate", "store", "store/audit"}},
	{group: "store/costs", may: []string{"affiliate", "store", "store/audit", "store/records"}},
	{group: "store/goals", may: []string{"affiliate", "store", "store/audit"}},
	{group: "store/worklist", may: []string{"affiliate", "people", "store", "store/audit", "store/people"}, tests: []string{"store/records"}},
	{group: "store/statements", may: []string{"affiliate", "store", "store/audit"}},
	{group: "store/outbox", may: []string{"affiliate", "store", "store/audit"}},
	{group: "store/shipments", may: []string{"affiliate", "store", "store/audit"}},
	{group: "store/agreements", may: []string{"affiliate", "store", "store/audit", "terms"}, tests: []string{"tabular"}},
	{group: "store/market", may: []string{"affiliate", "store"}, tests: []string{"store/storetest"}},
	{group: "store/orders", may: []string{"affiliate", "store", "store/audit"}},
	{group: "store/upkeep", may: []string{"affiliate", "people", "store", "store/audit", "store/identity", "store/received", "store/records", "store/rollup"}},
	{group: "store/storetest", may: []string{"affiliate", "store", "store/audit", "store/payments", "store/records"}},
	{group: "store", may: []string{"affiliate", "internal/guard"}, tests: []string{"people", "store/audit", "store/closings", "store/goals", "store/identity", "store/outbox", "store/payments", "store/people", "store/records", "store/sums", "store/upkeep", "internal/market"}},
	{group: "reports/answers", may: []string{"affiliate", "people"}},
	{group: "reports/query", may: []string{"people", "affiliate"}},
	{group: "reports/coverage", may: []string{"affiliate", "store/records"}},
	{group: "reports/figures", may: []string{"affiliate", "store/annotations", "store/sums", "reports/coverage"}},
	{group: "reports/export", may: []string{"affiliate", "workbook", "reports/coverage"}},
	{group: "reports/books", may: []string{"affiliate"}, tests: []string{"exchange/simulator", "exchange/simulator/account"}},
	{group: "reports/estimate", may: []string{"affiliate"}, tests: []string{"exchange/simulator/programme"}},
	{group: "reports/changes", may: []string{"affiliate", "store/records", "store/sums", "reports/commissions", "reports/coverage", "reports/export", "reports/figures", "reports/query", "reports/question"}},
	{group: "reports/tiers", may: []string{"affiliate", "store/records", "store/sums", "reports/question", "terms"}},
	{group: "reports/rates", may: []string{"affiliate", "store", "store/agreements", "store/records", "store/sums", "reports/coverage", "reports/export", "reports/figures", "reports/query", "reports/question", "reports/tiers", "terms"}},
	{group: "reports/payments", may: []string{"affiliate", "store", "store/payments", "store/records", "store/sums", "reports/books", "reports/coverage", "reports/export", "reports/figures", "reports/query", "reports/question"}},
	{group: "reports/question", may: []string{"people", "affiliate", "internal/guard", "store", "store/annotations", "store/payments", "store/people", "store/records", "store/segments", "store/sums", "reports/answers", "reports/coverage", "reports/figures", "reports/query"}},
	{group: "reports/forecast", may: []string{"affiliate", "store/people", "store/sums", "reports/coverage", "reports/estimate", "reports/figures", "reports/query", "reports/question"}},
	{group: "reports/commissions", may: []string{"affiliate", "store/records", "store/sums", "reports/coverage", "reports/export", "reports/figures", "reports/query", "reports/question"}},
	{group: "reports/invitees", may: []string{"people", "affiliate", "store/people", "store/records", "store/sums", "reports/coverage", "reports/estimate", "reports/export", "reports/figures", "reports/query", "reports/question"}, tests: []string{"exchange/simulator/programme", "store/rollup"}},
	{group: "reports/agreed", may: []string{"affiliate", "store", "store/agreements", "store/records", "store/sums", "reports/query", "reports/question", "terms"}},
	{group: "reports/annotated", may: []string{"affiliate", "store", "store/annotations", "reports/query", "reports/question"}},
	{group: "reports/losses", may: []string{"affiliate", "reports/estimate", "reports/figures", "reports/invitees", "reports/query", "reports/question"}},
	{group: "reports/invitecodes", may: []string{"affiliate", "store/records", "store/sums", "reports/coverage", "reports/export", "reports/figures", "reports/invitees", "reports/query", "reports/question"}},
	{group: "reports/cohorts", may: []string{"affiliate", "store/records", "store/sums", "reports/coverage", "reports/export", "reports/figures", "reports/query", "reports/question"}},
	{group: "reports/subaffiliates", may: []string{"affiliate", "store/records", "store/sums", "reports/commissions", "reports/coverage", "reports/export", "reports/figures", "reports/query", "reports/question"}},
	{group: "reports/collection", may: []string{"affiliate", "store", "store/payments", "store/received", "store/records", "store/sums", "reports/coverage", "reports/query", "reports/question"}},
	{group: "reports/overview", may: []string{"affiliate", "store/records", "store/sums", "reports/coverage", "reports/figures", "reports/invitees", "reports/query", "reports/question"}},
	{group: "reports/programmes", may: []string{"affiliate", "store/sums", "reports/coverage", "reports/export", "reports/figures", "reports/invitees", "reports/payments", "reports/query", "reports/question"}},
	{group: "reports/pivot", may: []string{"affiliate", "store", "store/people", "store/records", "store/rollup", "store/sums", "reports/coverage", "reports/export", "reports/figures", "reports/query", "reports/question"}},
	{group: "reports/drivers", may: []string{"affiliate", "store/records", "store/sums", "reports/coverage", "reports/export", "reports/figures", "reports/invitees", "reports/query", "reports/question"}},
	{group: "reports/months", may: []string{"affiliate", "store/closings", "store/payments", "store/records", "store/sums", "reports/books", "reports/changes", "reports/commissions", "reports/coverage", "reports/export", "reports/payments", "reports/query", "reports/question", "reports/rates", "terms"}},
	{group: "reports/segments", may: []string{"affiliate", "store/people", "store/records", "store/segments", "store/sums", "reports/figures", "reports/invitees", "reports/query", "reports/question"}},
	{group: "reports/returns", may: []string{"affiliate", "store", "store/costs", "store/people", "store/records", "store/segments", "store/sums", "reports/coverage", "reports/export", "reports/figures", "reports/invitees", "reports/query", "reports/question", "reports/segments"}},
	{group: "reports/search", may: []string{"affiliate", "people", "reports/figures", "reports/invitees", "reports/question", "store/records", "store/sums"}},
	{group: "reports/goals", may: []string{"affiliate", "store", "store/goals", "store/people", "store/records", "store/segments", "store/sums", "reports/figures", "reports/forecast", "reports/invitees", "reports/query", "reports/question", "reports/segments"}, tests: []string{"reports/estimate"}},
	{group: "reports/statements", may: []string{"affiliate", "document", "store/agreements", "store/records", "store/statements", "terms", "reports/coverage", "reports/export", "reports/phrase", "reports/question"}},
	{group: "reports/worklist", may: []string{"affiliate", "store/people", "store/records", "store/sums", "store/worklist", "reports/attention", "reports/coverage", "reports/export", "reports/figures", "reports/invitees", "reports/query", "reports/question"}},
	{group: "reports/attention", may: []string{"affiliate", "store/outbox", "store/payments", "store/records", "store/shipments", "store/sums", "reports/books", "reports/commissions", "reports/coverage", "reports/figures", "reports/invitees", "reports/losses", "reports/overview", "reports/payments", "reports/query", "reports/question", "reports/rates", "terms"}},
	{group: "reports/gauges", may: []string{"affiliate", "store/sums", "reports/attention", "reports/collection", "reports/figures", "reports/payments", "reports/query", "reports/question"}},
	{group: "reports/agenda", may: []string{"affiliate", "store/statements", "reports/books", "reports/months", "reports/payments", "reports/statements"}},
	{group: "reports/packs", may: []string{"affiliate", "document", "evidence", "reports/books", "reports/coverage", "reports/export", "reports/payments", "reports/phrase", "reports/question", "reports/rates", "store/agreements", "store/closings", "store/payments", "store/received", "store/records", "terms"}},
	{group: "reports/phrase", may: []string{"people", "affiliate", "store/closings", "store/goals", "store/records", "store/segments", "reports/attention", "reports/books", "reports/commissions", "reports/coverage", "reports/drivers", "reports/estimate", "reports/figures", "reports/forecast", "reports/goals", "reports/invitees", "reports/losses", "reports/months", "reports/overview", "reports/payments", "reports/query", "reports/rates", "reports/returns", "reports/worklist", "store/costs", "store/worklist", "reports/segments", "terms"}},
	{group: "reports", may: []string{"affiliate", "document", "evidence", "internal/guard", "people", "store", "store/agreements", "store/annotations", "store/audit", "store/closings", "store/costs", "store/goals", "store/identity", "store/outbox", "store/payments", "store/people", "store/received", "store/records", "store/segments", "store/statements", "store/sums", "store/worklist", "terms", "reports/..."}, tests: []string{"store/upkeep"}},
	{group: "seal"},
	{group: "access", may: []string{"affiliate", "store", "store/audit", "store/identity", "seal"}},
	{group: "trading", may: []string{"affiliate", "exchange", "store", "store/audit", "store/orders", "internal/crashpoint", "internal/guard"}, tests: []string{"exchange/simulator", "exchange/simulator/account"}},
	{group: "market", may: []string{"affiliate", "exchange", "store", "store/market", "internal/guard"}, tests: []string{"exchange/simulator", "exchange/simulator/market"}},
	{group: "mail/picture", may: []string{"affiliate", "reports/coverage", "reports/figures", "internal/axis"}},
	{group: "mail/mailer", may: []string{"affiliate", "store", "store/outbox"}},
	{group: "mail", may: []string{"people", "affiliate", "mail/mailer", "mail/picture", "reports", "reports/...", "store", "store/audit", "store/identity", "store/outbox", "store/records", "store/segments", "store/statements", "store/sums", "internal/crashpoint", "internal/guard", "mail/channel", "outbound", "seal", "store/closings"}, tests: []string{"store/annotations", "store/people", "terms", "store/agreements", "store/goals", "store/payments"}},
	{group: "shipping/carrier", may: []string{"outbound"}, tests: []string{"shipping/sftptest"}},
	{group: "shipping/sftptest"},
	{group: "shipping", may: []string{"affiliate", "reports", "reports/...", "shipping/carrier", "store", "store/audit", "store/shipments", "internal/crashpoint", "internal/guard"}, tests: []string{"store/records"}},
	{group: "web/charts", may: []string{"affiliate", "reports/coverage", "reports/figures", "reports/phrase", "internal/axis", "store/annotations", "market"}},
	{group: "mail/channel", may: []string{"affiliate", "mail/mailer", "outbound"}},
	{group: "web/admin", may: []string{"affiliate", "store/audit", "store/upkeep"}},
	{group: "web/templates/navigation", may: []string{"access", "reports/search"}},
	{group: "web/templates/guide"}, // and the glossary
	{group: "web/templates/ui", may: []string{"web/templates/guide", "web/templates/navigation", "access", "affiliate", "collector", "exchange", "people", "reports/...", "store/annotations", "store/audit", "store/closings", "store/identity", "store/records", "store/outbox", "web/charts"}, tests: []string{"internal/pagetest"}},
	{group: "web/templates/totals", may: []string{"affiliate", "reports/...", "web/templates/ui"}},
	{group: "web/templates/earnings", may: []string{"people", "affiliate", "reports", "reports/...", "store/records", "store/sums", "web/templates/drivers", "web/templates/totals", "web/templates/ui"}, tests: []string{"internal/pagetest", "terms"}},
	{group: "web/templates/months", may: []string{"affiliate", "reports/...", "store/closings", "store/records", "web/templates/ui"}},
	{group: "web/templates/changes", may: []string{"affiliate", "reports/...", "store/closings", "store/outbox", "store/records", "web/charts", "web/templates/totals", "web/templates/ui"}},
	{group: "web/templates/payments", may: []string{"affiliate", "reports/...", "store/payments", "web/charts", "web/templates/totals", "web/templates/ui", "store/outbox"}, tests: []string{"internal/pagetest"}},
	{group: "web/templates/pivot", may: []string{"affiliate", "people", "reports/...", "store/sums", "web/templates/ui"}, tests: []string{"internal/pagetest"}},
	{group: "web/templates/drivers", may: []string{"affiliate", "reports/...", "web/charts", "web/templates/totals", "web/templates/ui"}, tests: []string{"internal/pagetest"}},
	{group: "web/templates/rates", may: []string{"tabular", "affiliate", "reports/...", "store/outbox", "terms", "web/charts", "web/templates/ui"}, tests: []string{"internal/pagetest"}},
	{group: "web/templates/segments", may: []string{"affiliate", "reports/...", "store/segments", "web/templates/ui"}},
	{group: "web/templates/worklist", may: []string{"affiliate", "people", "reports/...", "store/people", "store/worklist", "web/templates/ui"}},
	{group: "web/templates/returns", may: []string{"affiliate", "reports/...", "store/costs", "web/templates/totals", "web/templates/ui"}},
	{group: "web/templates/forecast", may: []string{"affiliate", "reports/...", "web/charts", "web/templates/totals", "web/templates/ui"}},
	{group: "web/templates/annotations", may: []string{"affiliate", "reports/...", "store/annotations", "web/templates/ui"}},
	{group: "web/templates/people", may: []string{"tabular", "affiliate", "people", "reports", "reports/...", "store/people", "store/worklist", "store/records", "store/sums", "web/templates/totals", "web/templates/ui"}, tests: []string{"internal/pagetest"}},
	{group: "web/templates/collection", may: []string{"affiliate", "reports/...", "store", "store/payments", "store/received", "store/records", "web/templates/ui"}, tests: []string{"collector", "internal/pagetest"}},
	{group: "web/templates/console", may: []string{"access", "affiliate", "exchange", "market", "reports/phrase", "trading", "web/charts", "web/templates/ui", "reports/figures"}},
	{group: "web/templates/summaries", may: []string{"affiliate", "mail", "reports/phrase", "store/outbox", "web/templates/ui"}},
	{group: "web/templates/settings", may: []string{"access", "affiliate", "mail", "store/outbox", "reports", "reports/phrase", "store/audit", "store/upkeep", "web/admin", "web/templates/ui"}},
	{group: "web/templates/signin", may: []string{"access", "reports/phrase", "web/templates/ui"}},
	{group: "web/templates/statements", may: []string{"affiliate", "reports", "reports/phrase", "reports/query", "reports/statements", "store/outbox", "store/statements", "web/templates/ui"}},
	{group: "web/templates/design", may: []string{"affiliate", "collector", "reports/coverage", "reports/figures", "reports/query", "store/annotations", "web/charts", "web/templates/ui"}},
	{group: "web/templates/search", may: []string{"affiliate", "reports/search", "store/identity", "web/templates/ui"}},
	{group: "web/templates/shipping", may: []string{"reports/phrase", "shipping", "store/shipments", "web/templates/ui"}},
	{group: "web/templates/views", may: []string{"store/identity", "web/templates/ui"}},
	{group: "web/floor", may: []string{"affiliate", "store", "store/records", "store/sums"}},
	{group: "web/handler", may: []string{"web/templates/guide", "web/templates/navigation", "access", "affiliate", "collector", "mail", "people", "reports", "reports/...", "shipping", "store", "store/audit", "store/identity", "store/people", "store/outbox", "web/charts", "web/templates/ui", "internal/guard"}},
	{group: "web/earnings", may: []string{"access", "reports", "reports/...", "web/charts", "web/handler", "web/templates/ui", "web/templates/earnings"}},
	{group: "web/templates/api", may: []string{"web/templates/ui"}},
	{group: "web/api", may: []string{"access", "mail", "reports", "reports/export", "reports/query", "web/handler", "web/templates/api"}},
	{group: "web/months", may: []string{"access", "affiliate", "evidence/keyring", "reports", "reports/...", "store", "web/handler", "web/templates/ui", "web/templates/months"}},
	{group: "web/changes", may: []string{"access", "reports/...", "web/handler", "web/templates/ui", "web/templates/changes"}},
	{group: "web/payments", may: []string{"access", "affiliate", "reports", "reports/...", "store", "store/payments", "web/handler", "web/templates/ui", "web/templates/payments"}},
	{group: "web/packs", may: []string{"affiliate", "evidence/keyring", "reports", "reports/...", "store", "web/handler", "web/templates/payments"}},
	{group: "web/pivot", may: []string{"access", "reports/...", "web/handler", "web/templates/ui", "web/templates/pivot"}},
	{group: "web/drivers", may: []string{"access", "reports/...", "web/handler", "web/templates/ui", "web/templates/drivers"}},
	{group: "web/rates", may: []string{"tabular", "workbook", "access", "affiliate", "reports", "reports/...", "store", "terms", "web/handler", "web/templates/ui", "web/templates/rates"}},
	{group: "web/segments", may: []string{"access", "affiliate", "reports", "reports/...", "store", "web/handler", "web/templates/ui", "web/templates/segments"}},
	{group: "web/worklist", may: []string{"access", "affiliate", "reports", "reports/...", "store", "store/worklist", "web/handler", "web/templates/ui", "web/templates/worklist"}},
	{group: "web/returns", may: []string{"access", "affiliate", "reports", "reports/...", "store", "store/costs", "web/handler", "web/templates/ui", "web/templates/returns"}},
	{group: "web/forecast", may: []string{"access", "affiliate", "reports", "reports/...", "store", "store/goals", "web/handler", "web/templates/ui", "web/templates/forecast"}},
	{group: "web/annotations", may: []string{"access", "affiliate", "reports", "reports/...", "store", "store/annotations", "web/handler", "web/templates/ui", "web/templates/annotations"}},
	{group: "web/people", may: []string{"tabular", "access", "affiliate", "people", "store", "reports", "reports/...", "store/people", "web/charts", "web/handler", "web/templates/ui", "web/templates/people"}},
	{group: "web/collection", may: []string{"access", "affiliate", "reports", "reports/...", "store/payments", "store/received", "store/records", "web/handler", "web/templates/ui", "web/templates/collection"}},
	{group: "web/console", may: []string{"access", "affiliate", "exchange", "market", "reports/...", "store", "store/audit", "trading", "web/charts", "web/handler", "web/templates/ui", "web/templates/console", "reports"}},
	{group: "web/statements", may: []string{"access", "affiliate", "mail", "mail/mailer", "reports", "reports/export", "reports/phrase", "reports/query", "store", "store/outbox", "store/statements", "web/handler", "web/templates/ui", "web/templates/statements"}},
	{group: "web/summaries", may: []string{"access", "affiliate", "mail", "mail/mailer", "reports/...", "store", "store/audit", "store/outbox", "web/handler", "web/templates/ui", "web/templates/summaries"}},
	{group: "web/shipping", may: []string{"access", "affiliate", "reports/phrase", "shipping", "store", "store/shipments", "web/handler", "web/templates/ui", "web/templates/shipping"}},
	{group: "web/settings", may: []string{"access", "affiliate", "mail", "mail/mailer", "store/outbox", "web/templates/guide", "reports", "reports/...", "store", "store/audit", "store/identity", "web/admin", "web/handler", "web/templates/ui", "web/templates/settings"}},
	{group: "web/signin", may: []string{"access", "store", "store/identity", "web/handler", "web/templates/guide", "web/templates/ui", "web/templates/signin"}},
	{group: "web/design", may: []string{"web/handler", "web/templates/design"}},
	{group: "web/search", may: []string{"reports", "reports/query", "reports/search", "store/identity", "web/handler", "web/templates/navigation", "web/templates/ui", "web/templates/search"}},
	{group: "web/feeds", may: []string{"access", "affiliate", "feed", "reports", "reports/...", "web/handler"}},
	{group: "web/templates/guidance", may: []string{"web/templates/guide", "web/templates/ui"}},
	{group: "web/guidance", may: []string{"access", "web/handler", "web/templates/navigation", "web/templates/guidance", "web/templates/guide"}},
	{group: "web/views", may: []string{"access", "affiliate", "reports", "reports/...", "store", "store/identity", "web/handler", "web/templates/ui", "web/templates/views"}},
	{group: "web/metrics", may: []string{"affiliate", "exchange", "internal/guard", "reports", "reports/...", "store", "store/upkeep", "web/handler"}, tests: []string{"access", "store/records", "web"}},
	{group: "web", may: []string{"store/audit", "access", "collector", "evidence/keyring", "mail", "reports", "reports/...", "shipping", "store", "trading", "internal/guard", "web/...", "market"}, tests: []string{"seal"}},
	{group: "acceptance", tests: []string{"workbook", "access", "affiliate", "store/goals", "store/payments", "collector", "exchange", "exchange/simulator", "exchange/simulator/account", "exchange/simulator/programme", "mail", "mail/mailer", "market", "outbound", "people", "reports", "reports/...", "seal", "shipping", "shipping/carrier", "store", "store/agreements", "store/annotations", "store/audit", "store/costs", "store/identity", "store/outbox", "store/people", "store/received", "store/records", "store/shipments", "store/upkeep", "terms", "trading", "web", "web/...", "client"}},
	{group: "cmd/webapp/internal/version"},
	{group: "cmd/webapp/internal/terminal", may: []string{"collector", "store/upkeep"}},
	{group: "cmd/webapp/internal/files"},
	{group: "cmd/webapp/internal/config", may: []string{"access", "affiliate", "document", "exchange", "mail", "mail/mailer", "outbound", "reports/payments", "shipping/carrier", "store", "cmd/webapp/internal/files"}},
	{group: "cmd/webapp/internal/database", may: []string{"internal/guard", "seal", "store", "store/audit", "store/records", "store/upkeep", "cmd/webapp/internal/config", "cmd/webapp/internal/files"}},
	{group: "cmd/webapp/internal/accounts", may: []string{"affiliate", "exchange", "collector", "store", "store/audit", "store/identity", "outbound", "seal", "trading", "cmd/webapp/internal/config", "cmd/webapp/internal/database", "cmd/webapp/internal/version"}, tests: []string{"access", "exchange/simulator"}},
	{group: "cmd/webapp/internal/rekey", may: []string{"access", "affiliate", "evidence", "evidence/keyring", "mail", "seal", "store", "store/audit", "store/identity", "cmd/webapp/internal/accounts", "cmd/webapp/internal/database"}},
	{group: "cmd/webapp/internal/backups", may: []string{"store", "store/upkeep", "web/admin", "cmd/webapp/internal/config", "cmd/webapp/internal/database", "cmd/webapp/internal/files", "internal/guard"}},
	{group: "cmd/webapp/internal/health", may: []string{"affiliate", "store", "store/outbox", "store/upkeep", "web", "web/handler", "cmd/webapp/internal/config", "cmd/webapp/internal/files"}, tests: []string{"store/records"}},
	{group: "cmd/webapp/internal/listen", may: []string{"access", "outbound", "web", "cmd/webapp/internal/config", "cmd/webapp/internal/files"}},
	{group: "cmd/webapp/internal/doctor", may: []string{"affiliate", "exchange", "store", "store/identity", "store/outbox", "store/received", "store/shipments", "store/upkeep", "seal", "access", "mail", "mail/mailer", "outbound", "shipping/carrier", "cmd/webapp/internal/accounts", "cmd/webapp/internal/config", "cmd/webapp/internal/database", "cmd/webapp/internal/files", "cmd/webapp/internal/health", "cmd/webapp/internal/listen", "cmd/webapp/internal/version"}},
	{group: "cmd/webapp/internal/demo", may: []string{"affiliate", "exchange", "exchange/simulator", "exchange/simulator/programme", "people", "store", "store/annotations", "store/audit", "store/costs", "store/outbox", "store/identity", "store/people", "store/shipments", "reports", "reports/...", "access", "mail", "shipping", "web", "web/signin", "cmd/webapp/internal/config"}},
	{group: "cmd", may: []string{"tabular", "affiliate", "internal/guard", "terms", "people", "cmd/webapp/internal/terminal", "evidence", "evidence/keyring", "exchange", "exchange/simulator", "exchange/simulator/programme", "collector", "store", "store/audit", "store/closings", "store/identity", "store/orders", "store/outbox", "store/agreements", "store/payments", "store/records", "store/upkeep", "reports", "reports/...", "seal", "access", "trading", "mail", "mail/mailer", "web", "web/...", "cmd/webapp/internal/version", "cmd/webapp/internal/files", "cmd/webapp/internal/config", "cmd/webapp/internal/database", "cmd/webapp/internal/accounts", "cmd/webapp/internal/backups", "cmd/webapp/internal/rekey", "cmd/webapp/internal/health", "cmd/webapp/internal/listen", "cmd/webapp/internal/doctor", "cmd/webapp/internal/demo", "store/shipments", "shipping", "shipping/carrier", "market"}, tests: []string{"internal/market", "outbound", "shipping/sftptest"}},
	{group: "client", may: []string{"outbound"}},
	{group: "internal/market", may: []string{"affiliate", "store", "store/records"}},
	{group: "internal/pagetest", may: []string{"affiliate", "reports/query"}},
	{group: "internal", may: []string{"internal/crashpoint"}}, // helpers of tests: every test may import them, nothing else may
}

// fences say in which directories alone an import may stand, in tests too.
var fences = []struct {
	prefix string
	inside []string
}{
	{"github.com/gofiber/", []string{"web"}},
	{"github.com/valyala/fasthttp", []string{"web"}},
	{"github.com/klauspost/compress", []string{"web", "store/received"}},
	{"github.com/chromedp/", []string{"acceptance", "internal/pictures"}},
	{"database/sql", []string{"store"}},
	{"modernc.org/", []string{"store", "internal/crashtest"}},
	{"github.com/jackc/pgx", []string{"store"}},
	{"github.com/go-echarts/", []string{"web/charts"}},
	{"github.com/a-h/templ", []string{"web", "mail"}},
	{"gonum.org/", []string{"mail/picture", "mail", "reports/estimate"}},
	{"codeberg.org/", []string{"document"}},
	{"github.com/wneessen/go-mail", []string{"mail"}},
	{"github.com/emersion/", []string{"mail", "cmd", "acceptance"}},                   // the mail server of their tests, and that of the demo
	{"github.com/pquerna/otp", []string{"access", "web/signin", "acceptance", "cmd"}}, // acceptance and cmd: their tests hold the authenticator
	{"github.com/minio/minio-go", []string{"shipping/carrier"}},
	{"github.com/pkg/sftp", []string{"shipping"}},
	{"github.com/johannesboyne/gofakes3", []string{"shipping"}}, // the storage of its tests
	{"golang.org/x/crypto/ssh", []string{"shipping"}},
	{"github.com/parquet-go/parquet-go", []string{"reports", "cmd", "shipping"}}, // cmd and shipping: their tests read what was exported
	{"golang.org/x/crypto/argon2", []string{"access"}},
	{"golang.org/x/crypto/chacha20poly1305", []string{"seal"}},
	{"github.com/prometheus/", []string{"web", "cmd"}},
	{"github.com/swaggest/", []string{"web/api"}},
	{"github.com/santhosh-tekuri/", []string{"acceptance"}}, // its tests compare answers with their description
	{"github.com/alecthomas/kong", []string{"cmd"}},
	{"github.com/BurntSushi/toml", []string{"cmd/webapp/internal/config"}},
	{"github.com/schollz/progressbar", []string{"cmd"}},
	{"github.com/maypok86/otter", []string{"reports"}},
	{"github.com/xuri/excelize", []string{"reports", "people", "acceptance", "cmd", "workbook"}}, // only their tests, which read what was written as another program does
}

// goFile is one parsed Go file of the repository.
type goFile struct {
	path string // relative to the root, with slashes
	dir  string
	test bool
	set  *token.FileSet
	tree *ast.File
}

// imports lists the import paths of the file.
func (f goFile) imports(t *testing.T) []string {
	t.Helper()
	paths := make([]string, len(f.tree.Imports))
	for i, spec := range f.tree.Imports {
		text, err := strconv.Unquote(spec.Path.Value)
		if err != nil {
			t.Fatalf("%s: %v", f.path, err)
		}
		paths[i] = text
	}
	return paths
}

// at is a position in the file, for messages.
func (f goFile) at(pos token.Pos) string {
	return f.path + ":" + strconv.Itoa(f.set.Position(pos).Line)
}

// goFiles parses every Go file of the repository, once.
var goFiles = sync.OnceValues(func() ([]goFile, error) {
	var files []goFile
	err := walk(func(name string, _ fs.DirEntry) error {
		if path.Ext(name) != ".go" {
			return nil
		}
		set := token.NewFileSet()
		tree, err := parser.ParseFile(set, filepath.FromSlash(name), nil, parser.ParseComments|parser.SkipObjectResolution)
		files = append(files, goFile{path: name, dir: path.Dir(name), test: strings.HasSuffix(name, "_test.go"), set: set, tree: tree})
		return err
	})
	return files, err
})

// parsed is goFiles for a test.
func parsed(t *testing.T) []goFile {
	t.Helper()
	files, err := goFiles()
	if err != nil {
		t.Fatal(err)
	}
	if len(files) < 10 {
		t.Fatalf("only %d Go files found: the walk is broken", len(files))
	}
	return files
}

// walk visits every file of the repository but what belongs to git and npm.
func walk(visit func(name string, entry fs.DirEntry) error) error {
	return filepath.WalkDir(".", func(name string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if entry.IsDir() {
			if entry.Name() == ".git" || entry.Name() == "node_modules" {
				return filepath.SkipDir
			}
			return nil
		}
		if !entry.Type().IsRegular() {
			return nil
		}
		return visit(filepath.ToSlash(name), entry)
	})
}

// within reports whether dir is the directory top or lies below it.
func within(dir, top string) bool {
	return dir == top || strings.HasPrefix(dir, top+"/")
}

// groupOf is the place in the import table that a package of ours belongs to:
// the first that fits.
func groupOf(dir string) int {
	for i, row := range imports {
		if within(dir, row.group) {
			return i
		}
	}
	return -1
}

// covers reports whether an entry of the import table allows a group.
func covers(entry, group string) bool {
	if top, all := strings.CutSuffix(entry, "/..."); all {
		return strings.HasPrefix(group, top+"/")
	}
	return entry == group
}

func TestImportTable(t *testing.T) {
	for _, f := range parsed(t) {
		if f.dir == "." {
			continue // this test
		}
		from := groupOf(f.dir)
		if from < 0 {
			t.Errorf("%s: the package has no place in the import table", f.path)
			continue
		}
		allowed := slices.Concat(imports[from].may, []string{imports[from].group})
		if f.test {
			allowed = slices.Concat(allowed, imports[from].tests, []string{"internal", "store/storetest"})
		}
		for _, imported := range f.imports(t) {
			target, ours := strings.CutPrefix(imported, module+"/")
			if !ours {
				continue
			}
			to := groupOf(target)
			if to < 0 || !slices.ContainsFunc(allowed, func(group string) bool { return covers(group, imports[to].group) }) {
				t.Errorf("%s imports %s, which the import table does not allow", f.path, imported)
			}
		}
	}
}

func TestFences(t *testing.T) {
	for _, f := range parsed(t) {
		for _, imported := range f.imports(t) {
			for _, fence := range fences {
				if !strings.HasPrefix(imported, fence.prefix) {
					continue
				}
				if !slices.ContainsFunc(fence.inside, func(top string) bool { return within(f.dir, top) }) {
					t.Errorf("%s imports %s, which belongs in %s only", f.path, imported, strings.Join(fence.inside, ", "))
				}
			}
		}
	}
}

// clients are the names that make or send HTTP requests, by import path.
var clients = map[string][]string{
	"net/http": {
		"Client", "DefaultClient", "Get", "Head", "Post", "PostForm",
		"NewRequest", "NewRequestWithContext", "RoundTripper", "Transport", "DefaultTransport",
	},
	"github.com/gofiber/fiber/v2": {
		"AcquireAgent", "AcquireClient", "Agent", "Client",
		"Delete", "Get", "Head", "Patch", "Post", "Put",
	},
	"github.com/valyala/fasthttp": {
		"Client", "HostClient", "LBClient", "PipelineClient", "Dial", "Do", "DoDeadline", "DoTimeout",
		"Get", "GetDeadline", "GetTimeout", "Post",
	},
}

// Only package exchange and package outbound talk HTTP to others: two places hold the time-outs,
// the limits and the rule that a redirect is not followed.
func TestHTTPClientsOnlyInExchangeAndOutbound(t *testing.T) {
	for _, f := range parsed(t) {
		if f.test || within(f.dir, "exchange") || within(f.dir, "outbound") || f.dir == "client" || within(f.dir, "shipping/carrier") { // the last for the library of the storage
			continue
		}
		for imported, names := range clients {
			used := importName(t, f, imported)
			if used == "" {
				continue
			}
			ast.Inspect(f.tree, func(n ast.Node) bool {
				selector, ok := n.(*ast.SelectorExpr)
				if !ok {
					return true
				}
				if from, ok := selector.X.(*ast.Ident); ok && from.Name == used && slices.Contains(names, selector.Sel.Name) {
					t.Errorf("%s uses %s.%s; HTTP clients belong in package exchange or outbound", f.at(n.Pos()), used, selector.Sel.Name)
				}
				return true
			})
		}
	}
}

// importName is the name that the file uses for an import path, empty where it
// does not import it.
func importName(t *testing.T, f goFile, imported string) string {
	t.Helper()
	for i, candidate := range f.imports(t) {
		if candidate != imported {
			continue
		}
		if name := f.tree.Imports[i].Name; name != nil {
			if name.Name == "." {
				t.Errorf("%s imports %s with a dot", f.path, imported)
			}
			return name.Name
		}
		return path.Base(strings.TrimSuffix(imported, "/v2"))
	}
	return ""
}

// testsOnly are exported for the tests of other packages: in the program nothing
// may happen besides its work, and no password may be cheap. Package crashtest is for
// tests itself.
var testsOnly = []struct{ imported, name string }{
	{module + "/internal/crashpoint", "Watch"},
	{module + "/access", "NewForTests"},
}

func TestProgramLeavesToTestsWhatIsTheirs(t *testing.T) {
	for _, f := range parsed(t) {
		for _, theirs := range testsOnly {
			used := importName(t, f, theirs.imported)
			if f.test || f.dir == "internal/crashtest" || used == "" {
				continue
			}
			ast.Inspect(f.tree, func(n ast.Node) bool {
				selector, ok := n.(*ast.SelectorExpr)
				if !ok {
					return true
				}
				if from, ok := selector.X.(*ast.Ident); ok && from.Name == used && selector.Sel.Name == theirs.name {
					t.Errorf("%s uses %s.%s, which only tests may", f.at(n.Pos()), used, theirs.name)
				}
				return true
			})
		}
	}
}

// harmlessFloats are the files and folders that may use floats, with the reason. Anywhere
// else a float is a wrong total in the making.
var harmlessFloats = map[string]string{
	"document":                      "positions on paper; figures are text",
	"exchange/simulator":            "it makes programmes and markets up, and writes their amounts as decimals",
	"internal/axis":                 "the marks of an axis; their labels are rounded to its step",
	"mail/picture":                  "positions in a picture",
	"reports/estimate":              "it estimates; what was earned passes through it as a decimal",
	"reports/export/xlsx_cells.go":  "a date of a sheet is a number of days",
	"workbook/cell.go":              "a number cell is a float; only what it holds exactly is taken",
	"web/charts":                    "positions in a chart; amounts are shown as text",
	"web/handler/export.go":         "bytes a second of a download",
	"web/handler/export_pace.go":    "bytes a second of a download",
	"web/handler/export_readers.go": "bytes a second of a download",
	"web/metrics":                   "Prometheus has no other numbers; no amount is one",
	"web/templates/totals/spark.go": "positions in a sparkline",
}

// floatWords are the types, methods and functions that make floats.
var floatWords = []string{"float64", "float32", "Float64", "InexactFloat64", "ParseFloat", "NewFromFloat", "NewFromFloat32", "SetFloat64"}

func TestNoFloatsNearMoney(t *testing.T) {
	used := map[string]bool{}
	for _, f := range parsed(t) {
		if f.test {
			continue
		}
		place := f.path
		if harmlessFloats[place] == "" {
			for place = f.dir; place != "." && harmlessFloats[place] == ""; {
				place = path.Dir(place)
			}
		}
		ast.Inspect(f.tree, func(n ast.Node) bool {
			ident, ok := n.(*ast.Ident)
			if !ok || !slices.Contains(floatWords, ident.Name) {
				return true
			}
			used[place] = true
			if harmlessFloats[place] == "" {
				t.Errorf("%s uses %s near money", f.at(n.Pos()), ident.Name)
			}
			return true
		})
	}
	for name := range harmlessFloats {
		if !used[name] {
			t.Errorf("%s is allowed floats and uses none: take it off the list", name)
		}
	}
}

// Each package says once what it is for.
func TestPackageComments(t *testing.T) {
	comments := map[string][]string{}
	names := map[string]string{}
	for _, f := range parsed(t) {
		if f.test || ast.IsGenerated(f.tree) {
			continue
		}
		names[f.dir] = f.tree.Name.Name
		if f.tree.Doc == nil {
			continue
		}
		comments[f.dir] = append(comments[f.dir], f.path)
		begins := "Package " + f.tree.Name.Name + " "
		if f.tree.Name.Name == "main" {
			begins = "Command " + path.Base(f.dir) + " "
		}
		if !strings.HasPrefix(f.tree.Doc.Text(), begins) {
			t.Errorf("%s: the package comment does not begin with %q", f.path, begins)
		}
	}
	for dir, name := range names {
		if len(comments[dir]) != 1 {
			t.Errorf("package %s in %s has %d package comments, want 1: %v", name, dir, len(comments[dir]), comments[dir])
		}
	}
}

// The size of a room: a newcomer guesses where a thing is.
const (
	maxMethods = 60 // of one receiver

	maxLines = 20_000 // of one package as it is compiled, with generated code
)

func TestRooms(t *testing.T) {
	methods, lines := map[string]int{}, map[string]int{}
	for _, f := range parsed(t) {
		if f.test {
			continue
		}
		lines[f.dir] += f.set.Position(f.tree.FileEnd).Line
		if ast.IsGenerated(f.tree) {
			continue
		}
		for _, declared := range f.tree.Decls {
			if method, ok := declared.(*ast.FuncDecl); ok && method.Recv != nil {
				methods[f.dir+": "+receiverOf(method)]++
			}
		}
	}
	for dir, n := range lines {
		if n > maxLines {
			t.Errorf("%s has %d lines with generated code, more than %d: each change compiles all of it", dir, n, maxLines)
		}
	}
	for receiver, n := range methods {
		if n > maxMethods {
			t.Errorf("%s has %d methods, more than %d: it is several types", receiver, n, maxMethods)
		}
	}
}

// Web stands on the types themselves: an interface there has several implementations,
// or one that cmd hands up, which web may not import.
func TestInterfacesOfWeb(t *testing.T) {
	methods := methodsOfTypes(parsed(t))
	for _, f := range parsed(t) {
		if f.test || !within(f.dir, "web") {
			continue
		}
		ast.Inspect(f.tree, func(n ast.Node) bool {
			declared, ok := n.(*ast.TypeSpec)
			if !ok {
				return true
			}
			wanted, ok := declared.Type.(*ast.InterfaceType)
			if !ok {
				return true
			}
			implementations, byCmd := 0, false
			for of, has := range methods {
				if implements(has, wanted) {
					implementations++
					byCmd = byCmd || within(strings.SplitN(of, ":", 2)[0], "cmd")
				}
			}
			if implementations < 2 && !byCmd {
				t.Errorf("%s: the interface %s has %d implementations: use the type itself", f.at(n.Pos()), declared.Name.Name, implementations)
			}
			return true
		})
	}
}

// methodsOfTypes are the names of the methods of each type, by its folder and name,
// those of the types that stand in it among them.
func methodsOfTypes(files []goFile) map[string][]string {
	own, named, inside := map[string][]string{}, map[string][]string{}, map[string][]string{}
	for _, f := range files {
		if f.test {
			continue
		}
		ast.Inspect(f.tree, func(n ast.Node) bool {
			switch declared := n.(type) {
			case *ast.FuncDecl:
				if declared.Recv != nil {
					name := receiverOf(declared)
					own[f.dir+": "+name] = append(own[f.dir+": "+name], declared.Name.Name)
					named[name] = append(named[name], declared.Name.Name)
				}
			case *ast.TypeSpec:
				of, ok := declared.Type.(*ast.StructType)
				if !ok {
					return true
				}
				for _, field := range of.Fields.List {
					if len(field.Names) == 0 {
						inside[f.dir+": "+declared.Name.Name] = append(inside[f.dir+": "+declared.Name.Name], typeName(field.Type))
					}
				}
			}
			return true
		})
	}
	for of, names := range inside {
		for _, name := range names {
			own[of] = append(own[of], named[name]...)
		}
	}
	return own
}

// typeName is the name of a type without its package.
func typeName(of ast.Expr) string {
	if pointer, ok := of.(*ast.StarExpr); ok {
		of = pointer.X
	}
	switch of := of.(type) {
	case *ast.SelectorExpr:
		return of.Sel.Name
	case *ast.Ident:
		return of.Name
	}
	return ""
}

// implements reports whether there is a method of each name that an interface wants.
func implements(has []string, wanted *ast.InterfaceType) bool {
	for _, method := range wanted.Methods.List {
		for _, name := range method.Names {
			if !slices.Contains(has, name.Name) {
				return false
			}
		}
	}
	return true
}

// receiverOf is the name of the type that a method belongs to.
func receiverOf(method *ast.FuncDecl) string {
	of := method.Recv.List[0].Type
	if pointer, ok := of.(*ast.StarExpr); ok {
		of = pointer.X
	}
	if generic, ok := of.(*ast.IndexExpr); ok {
		of = generic.X
	}
	if name, ok := of.(*ast.Ident); ok {
		return name.Name
	}
	return "?"
}

const (
	maxWay    = 36 // files from the wire to the page, and from the wire to the file
	maxPlaces = 8  // that list the fields of a commission
)

var (
	wayHeads  = []string{"From an answer of the exchange into the database", "Out of the database", "To the page", "To the file", "Each way is", "The fields of a commission are listed"}
	namedFile = regexp.MustCompile("`([a-z0-9_/]+/[a-z0-9_]+\\.(?:go|templ|sql))`")
)

// The way of a commission record is as short as docs/architecture.md says, and leads
// through files that exist.
func TestWayOfOneCommission(t *testing.T) {
	document, err := os.ReadFile("docs/architecture.md")
	if err != nil {
		t.Fatal(err)
	}
	_, section, _ := strings.Cut(string(document), "\n## The way of one commission record\n")
	section, _, _ = strings.Cut(section, "\n## ")
	var parts [][]string
	for i, head := range wayHeads {
		_, after, found := strings.Cut(section, "\n"+head)
		if !found {
			t.Fatalf("the section of the way has no %q", head)
		}
		if i+1 < len(wayHeads) {
			after, _, _ = strings.Cut(after, "\n"+wayHeads[i+1])
		}
		var files []string
		for _, found := range namedFile.FindAllStringSubmatch(after, -1) {
			if _, err := os.Stat(found[1]); err != nil {
				t.Errorf("%s is named and does not exist", found[1])
			}
			if slices.Contains(files, found[1]) {
				t.Errorf("%s is named twice", found[1])
			}
			files = append(files, found[1])
		}
		parts = append(parts, files)
	}
	in, out, page, file, places := parts[0], parts[1], parts[2], parts[3], parts[5]
	if len(in) == 0 || len(out) == 0 || len(page) == 0 || len(file) == 0 || len(places) == 0 {
		t.Fatalf("a part of the way names no files: %v", parts)
	}
	toPage, toFile := len(in)+len(out)+len(page), len(in)+len(out)+len(file)
	t.Logf("to the page %d files, to the file %d; the fields stand in %d places", toPage, toFile, len(places))
	if toPage > maxWay || toFile > maxWay {
		t.Errorf("a commission takes %d files to the page and %d to the file, more than %d", toPage, toFile, maxWay)
	}
	if len(places) > maxPlaces {
		t.Errorf("the fields of a commission are listed in %d places, more than %d", len(places), maxPlaces)
	}
	for _, f := range parsed(t) {
		if !f.test && !testHelpers[f.dir] && !slices.Contains(places, f.path) && mentions(f.tree, "DealTime", "Symbol", "MakerAmount", "Rate") {
			t.Errorf("%s lists the fields of a commission and is not among the places", f.path)
		}
	}
}

// testHelpers are packages that fill databases for tests.
var testHelpers = map[string]bool{"internal/market": true, "store/storetest": true}

// mentions reports whether a file uses each of the names.
func mentions(tree *ast.File, names ...string) bool {
	found := map[string]bool{}
	ast.Inspect(tree, func(n ast.Node) bool {
		if name, ok := n.(*ast.Ident); ok {
			found[name.Name] = true
		}
		return true
	})
	return !slices.ContainsFunc(names, func(name string) bool { return !found[name] })
}
