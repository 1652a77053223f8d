package access

import (
	"fmt"
	"maps"
	"slices"
	"time"

	"golang.org/x/time/rate"

	"rebatedesk/store/audit"
	"rebatedesk/store/identity"
)

// maxAddresses is how many addresses of one token are counted separately until they are
// written to the audit log: a thief may use very many.
const maxAddresses = 20

// further is the name under which all other addresses are counted.
const further = "further addresses"

// program is a token in use.
type program struct {
	limiter *rate.Limiter
	user    string
	name    string
	use     identity.TokenUse
	stored  identity.TokenUse    // the use that is in the store
	asked   map[string]int64     // requests by address since the last line in the audit log
	told    map[string]time.Time // when that line was written, as long as that counts
}

func newProgram(x identity.TokenUser) *program {
	return &program{limiter: rate.NewLimiter(tokenRate, tokenBurst), user: x.User.Name, name: x.Token.Name,
		asked: map[string]int64{}, told: map[string]time.Time{}}
}

// used counts a request. Each address is counted separately: the last address alone would
// be that of the owner, who sends requests all the time, and never that of a thief.
func (p *program) used(use identity.TokenUse) {
	p.use = use
	address := use.Address
	if _, known := p.asked[address]; !known && len(p.asked) >= maxAddresses {
		address = further
	}
	p.asked[address]++
}

// news returns the requests that are due for the audit log, by address.
func (p *program) news(now time.Time) map[string]int64 {
	news := maps.Clone(p.asked)
	maps.DeleteFunc(news, func(address string, _ int64) bool {
		at, told := p.told[address]
		return told && now.Sub(at) < tellEvery
	})
	return news
}

// lines returns the lines of the audit log about news.
func (p *program) lines(news map[string]int64) []audit.Line {
	var lines []audit.Line
	for _, address := range slices.Sorted(maps.Keys(news)) {
		line := Actor{Name: p.user, Via: ViaToken, Address: address}.line("token used")
		line.Object, line.Detail = p.name, fmt.Sprintf("%d requests", news[address])
		if address == further {
			line.Address, line.Detail = "", line.Detail+" from "+further
		}
		lines = append(lines, line)
	}
	return lines
}

// heard notes that news was written to the audit log. More requests may have arrived since.
func (p *program) heard(news map[string]int64, now time.Time) {
	for address, n := range news {
		p.told[address] = now
		if p.asked[address] -= n; p.asked[address] == 0 {
			delete(p.asked, address)
		}
	}
	maps.DeleteFunc(p.told, func(_ string, at time.Time) bool { return now.Sub(at) >= tellEvery })
}
