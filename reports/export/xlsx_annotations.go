package export

import "strconv"

// annotationsSheet is the name of the sheet of annotations.
const annotationsSheet = "Annotations"

// annotations adds a sheet with what somebody wrote about the days of the file, if anything.
func (e *xlsxEncoder) annotations() error {
	if len(e.facts.Annotations) == 0 {
		return nil
	}
	sheet, err := e.addSheet(annotationsSheet)
	if err != nil {
		return err
	}
	if err := sheet.SetColWidth(1, 7, 16); err != nil {
		return err
	}
	if err := sheet.SetColWidth(3, 3, 60); err != nil {
		return err
	}
	lines := [][]string{{"From", "To, included", "Annotation", "Account", "Invite code", "Author", "Written, UTC"}}
	for _, a := range e.facts.Annotations {
		lines = append(lines, []string{a.From, a.To, a.Words, a.Account, a.Code, a.Author, a.Written})
	}
	for i, line := range lines {
		row := make([]any, len(line))
		for j, words := range line {
			cell := e.cells.text(words)
			if i == 0 {
				cell.StyleID = e.cells.styles.header
			}
			row[j] = cell
		}
		if err := sheet.SetRow("A"+strconv.Itoa(i+1), row); err != nil {
			return err
		}
	}
	return sheet.Flush()
}
