// Package subaffiliates reports the business of sub-affiliates and their payments.
package subaffiliates
