package terms

import (
	"io"

	"rebatedesk/tabular"
)

// WriteFile writes terms as a terms file that [Parse] reads as the same terms. What a
// spreadsheet would run as a formula is guarded by an apostrophe.
func WriteFile(w io.Writer, terms []Term) error {
	return tabular.WriteText(w, FileColumns(), func(yield func([]string) bool) {
		for i := range terms {
			if !yield(terms[i].cells()) {
				return
			}
		}
	})
}

// cells returns the row of a term.
func (t Term) cells() []string {
	to := ""
	if t.To != 0 {
		to = t.To.String()
	}
	return []string{string(t.Scope), t.Value, string(t.Product), string(t.Rate), t.From.String(), to, t.Note,
		string(t.Account), string(t.Source), string(t.TierBy), string(t.TierFrom), t.Reference, string(t.Coin)}
}
