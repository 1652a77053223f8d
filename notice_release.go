//go:build release

package rebatedesk

import _ "embed"

// Notice is the file NOTICE: the works of others that the program holds, with their licences.
//
//go:embed NOTICE
var Notice string
