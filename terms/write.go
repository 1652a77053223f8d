package terms

import (
	"encoding/csv"
	"io"
	"strings"
)

// WriteFile writes terms as a terms file that [Parse] reads as the same terms. What a
// spreadsheet would run as a formula is guarded by an apostrophe.
func WriteFile(w io.Writer, terms []Term) error {
	out := csv.NewWriter(w)
	out.UseCRLF = true
	if err := out.Write(FileColumns()); err != nil {
		return err
	}
	for _, t := range terms {
		to := ""
		if t.To != 0 {
			to = t.To.String()
		}
		if err := out.Write([]string{
			string(t.Scope), guarded(t.Value), string(t.Product), string(t.Rate), t.From.String(), to, guarded(t.Note),
			guarded(string(t.Account)), string(t.Source), string(t.TierBy), string(t.TierFrom), guarded(t.Reference),
		}); err != nil {
			return err
		}
	}
	out.Flush()
	return out.Error()
}

// formulaStart reports whether a spreadsheet could take a text for a formula.
func formulaStart(text string) bool {
	for _, r := range text {
		return strings.ContainsRune("=+-@＝＋－＠", r)
	}
	return false
}

// guarded puts an apostrophe before a formula, and before what [unguarded] would otherwise
// take for a guarded one.
func guarded(text string) string {
	if formulaStart(strings.TrimLeft(text, "'")) {
		return "'" + text
	}
	return text
}

// unguarded is the inverse of guarded. An apostrophe before anything but a formula is part of
// the text.
func unguarded(text string) string {
	if rest, ok := strings.CutPrefix(text, "'"); ok && formulaStart(strings.TrimLeft(rest, "'")) {
		return rest
	}
	return text
}
