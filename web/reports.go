package web

import (
	"context"

	"rebatedesk/reports"
)

// Ask makes the service what the pages ask. It differs from the service in
// nothing but that an export is an interface.
func Ask(service *reports.Service) Reports { return asked{service} }

type asked struct{ *reports.Service }

func (a asked) OpenExport(ctx context.Context, kind reports.ExportKind, q reports.Query) (Export, error) {
	export, err := a.Service.OpenExport(ctx, kind, q)
	if err != nil {
		return nil, err
	}
	return export, nil
}
