package mail

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"mime"

	"rebatedesk/reports/commissions"

	"rebatedesk/reports"
	"rebatedesk/reports/export"
	"rebatedesk/reports/query"
	"rebatedesk/store/outbox"
)

// attachments returns the daily sums of a period as files: the export of the same
// query. Individual records are left to the application, because a month can have a
// million.
func (a *author) attachments(ctx context.Context, about Schedule, query query.Query) (files []outbox.Attachment, err error) {
	from, err := a.as(ctx, about.AsUser)
	if err != nil {
		return nil, err
	}
	for _, one := range []struct {
		format export.Format
		wanted bool
	}{{export.CSV, about.AttachCSV}, {export.XLSX, about.AttachXLSX}} {
		if !one.wanted {
			continue
		}
		file, err := exported(ctx, from, query, one.format)
		if err != nil {
			return nil, fmt.Errorf("attaching %s: %w", one.format, err)
		}
		files = append(files, file)
	}
	return files, nil
}

func exported(ctx context.Context, from *reports.Service, query query.Query, format export.Format) (file outbox.Attachment, err error) {
	table, err := from.OpenExport(ctx, commissions.DailyFile, query)
	if err != nil {
		return file, err
	}
	defer func() { err = errors.Join(err, table.Close()) }()
	var content bytes.Buffer
	if _, err := table.Write(ctx, &content, format); err != nil {
		return file, err
	}
	// Mail programs use no media type parameter except the charset.
	kind, _, err := mime.ParseMediaType(format.ContentType())
	if format == export.CSV {
		kind += "; charset=utf-8"
	}
	return outbox.Attachment{Name: table.FileName(format), Type: kind, Content: content.Bytes()}, err
}
