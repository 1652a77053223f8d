package forecast

import "reflect"

// AnswerType is the type of the answer for programs.
func AnswerType() reflect.Type { return reflect.TypeFor[answer]() }
