// Package net reports what is left of the commission of a month: less the shares of sub-affiliates, less the
// costs that fell due. A share whose coin is not known stands apart and is never taken off.
package net
