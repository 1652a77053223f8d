package workbook

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"strconv"
	"unicode/utf8"
)

// scanner reads the XML of a part piece by piece, without copies. It knows as much of XML as
// workbooks use, and holds no more than one piece. The decoder of the standard library holds
// texts of any length, and takes seconds for what a small file unpacks to.
type scanner struct {
	ctx  context.Context
	in   io.Reader
	left int64 // bytes until the part is too large

	buf  []byte // what was read and is not used yet: from first to last
	from int
	to   int
	end  bool // the part has ended

	name  []byte // of the tag, without its prefix
	attrs []attribute
	text  []byte
	empty bool // the tag that was given ends its element
	open  []string
}

type attribute struct {
	prefixed bool // the name has a prefix, which files choose freely
	name     []byte
	value    []byte
}

// piece is a kind of piece.
type piece int

const (
	beginTag piece = iota // with name and attrs
	endTag                // with name
	chars                 // with text
)

var (
	errLargePart = errors.New("too large")
	errLargeText = errors.New("a text is too long")
	errLanguage  = errors.New("a language of its own")
)

func newScanner(ctx context.Context, in io.Reader, most int64) *scanner {
	return &scanner{ctx: ctx, in: in, left: most, buf: make([]byte, maxPiece)}
}

// next gives the next piece, whose bytes hold until the one after it. At the end the error is
// io.EOF.
func (s *scanner) next() (piece, error) {
	if s.empty {
		s.empty = false
		s.open = s.open[:len(s.open)-1]
		return endTag, nil
	}
	for {
		if s.from == s.to {
			if err := s.fill(); err != nil {
				return 0, err
			}
			switch {
			case s.from == s.to && len(s.open) > 0:
				return 0, io.ErrUnexpectedEOF
			case s.from == s.to:
				return 0, io.EOF
			}
		}
		if s.buf[s.from] != '<' {
			return chars, s.readChars()
		}
		mark, err := s.peek(len("<![CDATA["))
		switch {
		case err != nil:
			return 0, err
		case len(mark) < len("<a>"):
			return 0, io.ErrUnexpectedEOF
		case mark[1] == '/':
			return endTag, s.readEnd()
		case mark[1] != '!' && mark[1] != '?':
			return beginTag, s.readTag()
		case mark[1] == '?':
			_, err = s.take(len("<?"), "?>")
		case bytes.HasPrefix(mark, []byte("<!--")):
			_, err = s.take(len("<!--"), "-->")
		case bytes.HasPrefix(mark, []byte("<![CDATA[")):
			s.text, err = s.take(len("<![CDATA["), "]]>")
			if err == nil && !validText(s.text) {
				err = errors.New("a character that XML does not have")
			}
			return chars, err
		default:
			return 0, errLanguage
		}
		if err != nil {
			return 0, err
		}
	}
}

// fill reads on. Where there is no more room, the piece is too long.
func (s *scanner) fill() error {
	if err := s.ctx.Err(); err != nil {
		return err
	}
	if s.end {
		return nil
	}
	if s.from > 0 {
		s.to = copy(s.buf, s.buf[s.from:s.to])
		s.from = 0
	}
	if s.to == len(s.buf) {
		return errLargeText
	}
	n, err := s.in.Read(s.buf[s.to:])
	s.to += n
	if s.left -= int64(n); s.left < 0 {
		return errLargePart
	}
	if errors.Is(err, io.EOF) {
		s.end, err = true, nil
	}
	return err
}

// more reads on within a piece, which must not end with the part.
func (s *scanner) more() error {
	had := s.to - s.from
	if err := s.fill(); err != nil {
		return err
	}
	if s.end && s.to-s.from == had {
		return io.ErrUnexpectedEOF
	}
	return nil
}

// peek returns up to n bytes of the piece.
func (s *scanner) peek(n int) ([]byte, error) {
	for s.to-s.from < n && !s.end {
		if err := s.fill(); err != nil {
			return nil, err
		}
	}
	return s.buf[s.from:min(s.to, s.from+n)], nil
}

// take takes a piece with its mark at the beginning, of the given length, and at its end.
func (s *scanner) take(begin int, end string) ([]byte, error) {
	for searched := begin; ; {
		if at := bytes.Index(s.buf[min(s.from+searched, s.to):s.to], []byte(end)); at >= 0 {
			inner := s.buf[s.from+begin : s.from+searched+at]
			s.from += searched + at + len(end)
			return inner, nil
		}
		searched = max(begin, s.to-s.from-len(end)+1)
		if err := s.more(); err != nil {
			return nil, err
		}
	}
}

// readChars takes the text up to the next tag.
func (s *scanner) readChars() (err error) {
	for searched := 0; ; {
		at := bytes.IndexByte(s.buf[s.from+searched:s.to], '<')
		if at < 0 && !s.end {
			searched = s.to - s.from
			if err := s.fill(); err != nil {
				return err
			}
			continue
		}
		end := s.to
		if at >= 0 {
			end = s.from + searched + at
		}
		s.text, err = decoded(s.buf[s.from:end])
		s.from = end
		return err
	}
}

// deepest is how many elements may be within each other.
const deepest = 64

// readEnd takes a tag that ends the element that was begun last.
func (s *scanner) readEnd() error {
	tag, err := s.take(len("</"), ">")
	if err != nil {
		return err
	}
	_, s.name = local(bytes.TrimRight(tag, " \t\r\n"))
	last := len(s.open) - 1
	if last < 0 || s.open[last] != string(s.name) {
		return errTag
	}
	s.open = s.open[:last]
	return nil
}

// readTag takes a tag that begins an element. A value within quotes may have the sign that ends it.
func (s *scanner) readTag() error {
	var quote byte
	for at := s.from + 1; ; at++ {
		if at == s.to {
			offset := at - s.from
			if err := s.more(); err != nil {
				return err
			}
			at = s.from + offset
		}
		switch b := s.buf[at]; {
		case quote != 0:
			if b == quote {
				quote = 0
			}
		case b == '"' || b == '\'':
			quote = b
		case b == '>':
			tag := s.buf[s.from+1 : at]
			s.from = at + 1
			return s.parseTag(tag)
		}
	}
}

func blank(b byte) bool { return b == ' ' || b == '\t' || b == '\r' || b == '\n' }

var errTag = errors.New("a tag that is none")

func (s *scanner) parseTag(tag []byte) error {
	if s.empty = bytes.HasSuffix(tag, []byte("/")); s.empty {
		tag = tag[:len(tag)-1]
	}
	end := 0
	for end < len(tag) && !blank(tag[end]) {
		end++
	}
	if end == 0 {
		return errTag
	}
	_, s.name = local(tag[:end])
	if len(s.open) == deepest {
		return errors.New("elements are too deep in each other")
	}
	s.open = append(s.open, s.interned())
	s.attrs = s.attrs[:0]
	for rest := bytes.TrimLeft(tag[end:], " \t\r\n"); len(rest) > 0; rest = bytes.TrimLeft(rest, " \t\r\n") {
		name, after, ok := bytes.Cut(rest, []byte("="))
		after = bytes.TrimLeft(after, " \t\r\n")
		if !ok || len(after) < 2 || after[0] != '"' && after[0] != '\'' {
			return errTag
		}
		raw, behind, ok := bytes.Cut(after[1:], after[:1])
		if !ok || bytes.IndexByte(raw, '<') >= 0 {
			return errTag
		}
		value, err := decoded(raw)
		if err != nil {
			return err
		}
		a := attribute{value: value}
		a.prefixed, a.name = local(bytes.TrimRight(name, " \t\r\n"))
		s.attrs, rest = append(s.attrs, a), behind
	}
	return nil
}

// interned returns the name of the tag as a text. Those of cells, of which there are many, need no
// memory.
func (s *scanner) interned() string {
	switch string(s.name) {
	case "row":
		return "row"
	case "c":
		return "c"
	case "v":
		return "v"
	case "is":
		return "is"
	case "t":
		return "t"
	case "f":
		return "f"
	case "si":
		return "si"
	case "r":
		return "r"
	}
	return string(s.name)
}

// local returns a name without its prefix.
func local(name []byte) (prefixed bool, rest []byte) {
	if _, after, ok := bytes.Cut(name, []byte(":")); ok {
		return true, after
	}
	return false, name
}

// attribute returns the value of an attribute without a prefix, "" without one.
func (s *scanner) attribute(name string) string { return s.valueOf(false, name) }

func (s *scanner) valueOf(prefixed bool, name string) string {
	for i := range s.attrs {
		if s.attrs[i].prefixed == prefixed && string(s.attrs[i].name) == name {
			return string(s.attrs[i].value)
		}
	}
	return ""
}

// numberOf returns the value of an attribute as a number, 0 for one that is none.
func (s *scanner) numberOf(name string) int {
	text := s.attribute(name)
	if text == "" {
		return 0 // most cells have none, and an error costs more than all else
	}
	n, err := strconv.Atoi(text)
	if err != nil {
		return 0
	}
	return n
}

// decoded replaces entities, in place, and makes every end of a line a line feed.
func decoded(raw []byte) ([]byte, error) {
	if !validText(raw) {
		return nil, errors.New("a character that XML does not have")
	}
	if bytes.IndexByte(raw, '\r') >= 0 {
		raw = bytes.ReplaceAll(bytes.ReplaceAll(raw, []byte("\r\n"), []byte("\n")), []byte("\r"), []byte("\n"))
	}
	first := bytes.IndexByte(raw, '&')
	if first < 0 {
		return raw, nil
	}
	out := raw[:first] // what replaces an entity is never longer than it
	for rest := raw[first:]; len(rest) > 0; {
		if rest[0] != '&' {
			next := bytes.IndexByte(rest, '&')
			if next < 0 {
				next = len(rest)
			}
			out, rest = append(out, rest[:next]...), rest[next:]
			continue
		}
		name, after, ok := bytes.Cut(rest[1:], []byte(";"))
		r, known := entity(string(name[:min(len(name), 12)]))
		if !ok || !known {
			return nil, fmt.Errorf("the entity %.12q is not known", name)
		}
		out, rest = utf8.AppendRune(out, r), after
	}
	return out, nil
}

// entity returns the character of an entity.
func entity(name string) (rune, bool) {
	switch name {
	case "amp":
		return '&', true
	case "lt":
		return '<', true
	case "gt":
		return '>', true
	case "quot":
		return '"', true
	case "apos":
		return '\'', true
	}
	if len(name) < 2 || name[0] != '#' {
		return 0, false
	}
	digits, base := name[1:], 10
	if digits[0] == 'x' {
		digits, base = digits[1:], 16
	}
	n, err := strconv.ParseUint(digits, base, 32)
	r := rune(n)
	return r, err == nil && n <= utf8.MaxRune && utf8.ValidRune(r) && (r >= ' ' || r == '\t' || r == '\n' || r == '\r')
}

// validText reports whether XML may have a text.
func validText(text []byte) bool {
	for _, b := range text {
		if b < ' ' && b != '\t' && b != '\n' && b != '\r' {
			return false
		}
	}
	return utf8.Valid(text)
}
