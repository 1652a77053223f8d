package answers

import (
	"reflect"
	"slices"
	"time"

	"github.com/shopspring/decimal"

	"rebatedesk/affiliate"
	"rebatedesk/people"
)

// Weighed is a value that estimates its memory itself, since looking at all of it would take too
// long.
type Weighed interface {
	Weight() (bytes uint64)
}

func weightOf(value any) uint64 {
	if own, ok := value.(Weighed); ok {
		return own.Weight()
	}
	v := reflect.ValueOf(value)
	if v.Kind() == reflect.Pointer && !v.IsNil() {
		return uint64(v.Type().Size()) + sizeOf(v.Elem())
	}
	return sizeOf(v)
}

// sizeOf estimates how many bytes a value takes, including everything it refers to. Data
// referenced twice counts twice, so the cache evicts a little early; what all values share does
// not count.
func sizeOf(v reflect.Value) uint64 {
	if !v.IsValid() {
		return 0
	}
	return uint64(v.Type().Size()) + referred(v)
}

// referred estimates the memory that a value refers to, without the value itself.
func referred(v reflect.Value) (bytes uint64) {
	switch v.Kind() {
	case reflect.String:
		return uint64(v.Len())
	case reflect.Pointer, reflect.Interface:
		if !v.IsNil() && !slices.Contains(shared, v.Type()) {
			return sizeOf(v.Elem())
		}
	case reflect.Slice:
		bytes = uint64(v.Cap()) * uint64(v.Type().Elem().Size())
		if flat(v.Type().Elem()) {
			return bytes
		}
		for i := range v.Len() {
			bytes += referred(v.Index(i))
		}
	case reflect.Array:
		if !flat(v.Type().Elem()) {
			for i := range v.Len() {
				bytes += referred(v.Index(i))
			}
		}
	case reflect.Map:
		const ofEntry = 16 // of the table
		for entries := v.MapRange(); entries.Next(); {
			bytes += sizeOf(entries.Key()) + sizeOf(entries.Value()) + ofEntry
		}
	case reflect.Struct:
		switch v.Type() {
		case decimalType:
			return ofDecimal
		case membersType:
			return 0
		}
		for i := range v.NumField() {
			bytes += referred(v.Field(i))
		}
	}
	return bytes
}

// decimalType is the type of amounts. A list has hundreds of thousands of them, which nearly
// all have digits of one word.
var decimalType = reflect.TypeFor[decimal.Decimal]()

const ofDecimal = 48 // the integer and its digits

// membersType is the type of sets of invitees, which exist once each, whatever refers to them. A
// cached set states its own weight.
var membersType = reflect.TypeFor[affiliate.Members]()

// shared are the types of what all values share: time zones, and the names of people, which
// change while they are in use.
var shared = []reflect.Type{reflect.TypeFor[*time.Location](), reflect.TypeFor[*people.NameBook]()}

// flat reports whether values of the type refer to nothing.
func flat(t reflect.Type) bool {
	switch t.Kind() {
	case reflect.String, reflect.Pointer, reflect.Interface, reflect.Slice, reflect.Map, reflect.Chan, reflect.Func:
		return false
	case reflect.Array:
		return flat(t.Elem())
	case reflect.Struct:
		for i := range t.NumField() {
			if !flat(t.Field(i).Type) {
				return false
			}
		}
	}
	return true
}
