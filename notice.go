// Package rebatedesk holds what the program takes from the root of its
// repository.
package rebatedesk

import _ "embed"

// Glossary is the file docs/glossary.md: what each noun of the program means. The help of the
// pages uses its words.
//
//go:embed docs/glossary.md
var Glossary string
