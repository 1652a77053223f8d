package mail

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"mime"

	"rebatedesk/reports"
	"rebatedesk/store/outbox"
)

// attachments are the daily sums of a period as files: the export of the same
// question. Single records are left to the application; a month can have a
// million.
func (a *author) attachments(ctx context.Context, about Schedule, query reports.Query) (files []outbox.Attachment, err error) {
	for _, one := range []struct {
		format reports.Format
		wanted bool
	}{{reports.CSV, about.AttachCSV}, {reports.XLSX, about.AttachXLSX}} {
		if !one.wanted {
			continue
		}
		file, err := exported(ctx, a.reports, query, one.format)
		if err != nil {
			return nil, fmt.Errorf("attaching %s: %w", one.format, err)
		}
		files = append(files, file)
	}
	return files, nil
}

func exported(ctx context.Context, from *reports.Service, query reports.Query, format reports.Format) (file outbox.Attachment, err error) {
	export, err := from.OpenExport(ctx, reports.ExportDaily, query)
	if err != nil {
		return file, err
	}
	defer func() { err = errors.Join(err, export.Close()) }()
	var content bytes.Buffer
	if _, err := export.Write(ctx, &content, format); err != nil {
		return file, err
	}
	// Parameters of a media type mean nothing to mail programs but the charset.
	kind, _, err := mime.ParseMediaType(format.ContentType())
	if format == reports.CSV {
		kind += "; charset=utf-8"
	}
	return outbox.Attachment{Name: export.FileName(format), Type: kind, Content: content.Bytes()}, err
}
