package mail

import (
	"bytes"
	"encoding/base64"
	"errors"
	"fmt"
	"io"
	"mime"
	"mime/multipart"
	"net/mail"
	"net/textproto"
	"strings"

	"rebatedesk/store/outbox"
)

// Letter is a parsed message, as a mail program sees it.
type Letter struct {
	Header     []HeaderLine
	Text, HTML string
	Files      []outbox.Attachment
	Size       int                          // of the whole message, in bytes
	pictures   map[string]outbox.Attachment // by Content-ID, without its brackets
}

// HeaderLine is a line of the header, with its words decoded.
type HeaderLine struct{ Name, Value string }

// ParseLetter parses a message (RFC 5322, RFC 2045).
func ParseLetter(content []byte) (Letter, error) {
	l := Letter{Header: headerLines(content), Size: len(content), pictures: map[string]outbox.Attachment{}}
	m, err := mail.ReadMessage(bytes.NewReader(content))
	if err == nil {
		err = l.part(textproto.MIMEHeader(m.Header), m.Body)
	}
	if err != nil {
		return l, fmt.Errorf("reading a message: %w", err)
	}
	return l, nil
}

// headerLines returns the header lines of a message in their order, each unfolded.
func headerLines(content []byte) (lines []HeaderLine) {
	head, _, _ := strings.Cut(strings.ReplaceAll(string(content), "\r\n", "\n"), "\n\n")
	var words mime.WordDecoder
	for line := range strings.SplitSeq(strings.NewReplacer("\n ", " ", "\n\t", " ").Replace(head), "\n") {
		name, value, _ := strings.Cut(line, ":")
		value = strings.TrimSpace(value)
		if decoded, err := words.DecodeHeader(value); err == nil {
			value = decoded
		}
		lines = append(lines, HeaderLine{name, value})
	}
	return lines
}

// part reads one part of the message, including nested parts.
func (l *Letter) part(header textproto.MIMEHeader, body io.Reader) error {
	kind, parameters, err := mime.ParseMediaType(header.Get("Content-Type"))
	if err != nil {
		return err
	}
	if strings.HasPrefix(kind, "multipart/") {
		return l.parts(multipart.NewReader(body, parameters["boundary"]))
	}
	if header.Get("Content-Transfer-Encoding") == "base64" {
		body = base64.NewDecoder(base64.StdEncoding, body)
	}
	content, err := io.ReadAll(body)
	if err != nil {
		return err
	}
	disposition, named, _ := mime.ParseMediaType(header.Get("Content-Disposition")) // a missing header means no attachment
	file := outbox.Attachment{Name: named["filename"], Type: kind, Content: content}
	switch id := strings.Trim(header.Get("Content-Id"), "<>"); {
	case disposition == "attachment":
		l.Files = append(l.Files, file)
	case id != "":
		l.pictures[id] = file
	case kind == "text/plain":
		l.Text = string(content)
	case kind == "text/html":
		l.HTML = string(content)
	}
	return nil
}

func (l *Letter) parts(reader *multipart.Reader) error {
	for {
		part, err := reader.NextPart()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err == nil {
			err = l.part(part.Header, part)
		}
		if err != nil {
			return err
		}
	}
}

// Page returns the HTML part with its pictures embedded, so that it needs no other
// file.
func (l Letter) Page() string {
	page := l.HTML
	for id, picture := range l.pictures {
		page = strings.ReplaceAll(page, "cid:"+id, "data:"+picture.Type+";base64,"+base64.StdEncoding.EncodeToString(picture.Content))
	}
	return page
}
