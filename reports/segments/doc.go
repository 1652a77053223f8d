// Package segments reads the definitions of segments and finds their members.
package segments
