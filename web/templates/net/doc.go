// Package net has the page of what is left of a month after shares and costs.
package net
