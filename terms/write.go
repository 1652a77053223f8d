package terms

import (
	"encoding/csv"
	"io"

	"rebatedesk/tabular"
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
			string(t.Scope), tabular.Guarded(t.Value), string(t.Product), string(t.Rate), t.From.String(), to, tabular.Guarded(t.Note),
			tabular.Guarded(string(t.Account)), string(t.Source), string(t.TierBy), string(t.TierFrom), tabular.Guarded(t.Reference),
		}); err != nil {
			return err
		}
	}
	out.Flush()
	return out.Error()
}
