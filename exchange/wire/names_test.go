package wire

import "testing"

// Names of people are emptied, and nothing else is touched, also where a text ends early.
func TestNameless(t *testing.T) {
	for text, want := range map[string]string{
		`{"uid":"1","nickName":"Ann \"A\" B","code":"x"}`:      `{"uid":"1","nickName":"","code":"x"}`,
		`{"nickName" : "Ann\\","uid":1},{"nickname":12.5e3}`:   `{"nickName" : "","uid":1},{"nickname":""}`,
		`{"nickName":null,"nick_name":"","other":"nickName"}`:  `{"nickName":null,"nick_name":"","other":"nickName"}`,
		`{"uid":"1","nickName":"Ann of so`:                     `{"uid":"1","nickName":""`,
		`{"uid":"1","nickName":"Ann \`:                         `{"uid":"1","nickName":""`,
		`{"code":"a: \"nickName\":\"no name\"","nickName":""}`: `{"code":"a: \"nickName\":\"no name\"","nickName":""}`,
	} {
		if got := string(Nameless([]byte(text))); got != want {
			t.Errorf("%s\nbecomes %s\nnot     %s", text, got, want)
		}
	}
}
