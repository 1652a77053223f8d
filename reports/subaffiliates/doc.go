// Package subaffiliates reports what sub-affiliates brought and were paid.
package subaffiliates
