package api

import (
	"rebatedesk/access"
	"rebatedesk/web/route"
)

// Routes are the addresses of the package.
func (a *Area) Routes() []route.Route {
	return []route.Route{
		route.Page(DocumentPath, access.MayRead, a.Document).Open().
			Describe(route.Operation{Words: "The description that you read, as OpenAPI 3.1.", Media: "application/json"}),
		route.Page(PagePath, access.MayRead, a.Page).
			Help("Interface for programs", "How do programs read the same figures, and which columns and parameters are there?", "scope", "export", "cursor").Found("table", "api openapi json token curl client").Open(),
	}
}
