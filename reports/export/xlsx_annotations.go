package export

import "rebatedesk/workbook"

// annotationsSheet is the name of the sheet of annotations.
const annotationsSheet = "Annotations"

// annotations adds a sheet with what a user wrote about the days of the file, if anything.
func (e *xlsxEncoder) annotations() error {
	if len(e.facts.Annotations) == 0 {
		return nil
	}
	if err := e.file.Begin(workbook.Sheet{Name: annotationsSheet, Widths: []int{16, 16, 60, 16, 16, 16, 16}}); err != nil {
		return err
	}
	lines := [][]string{{"From", "To, included", "Annotation", "Account", "Invite code", "Author", "Written, UTC"}}
	for _, a := range e.facts.Annotations {
		lines = append(lines, []string{a.From, a.To, a.Words, a.Account, a.Code, a.Author, a.Written})
	}
	return e.words(lines, func(line, _ int) bool { return line == 0 })
}
