package collector

import (
	"runtime"
	"testing"
	"weak"

	"rebatedesk/affiliate"
	"rebatedesk/store/records"
)

// The records of a written window are released, even while others wait behind it.
func TestWriterLetsGoOfWhatIsWritten(t *testing.T) {
	begun, goOn := make(chan int), make(chan bool)
	w := newWriter(func(list []fetched) ([]records.Written, error) {
		begun <- len(list)
		<-goOn
		return make([]records.Written, len(list)), nil
	})
	records := func(day affiliate.Day, kind affiliate.StreamKind) weak.Pointer[affiliate.Commission] {
		f := waiting(kind, day, 1000)
		w.put(f)
		return weak.Make(&f.Commissions.Records[0])
	}
	records(1, affiliate.Commissions)
	<-begun
	second := records(2, affiliate.Invitees)
	records(3, affiliate.Commissions)
	goOn <- true
	<-begun // the second
	goOn <- true
	<-begun // the third
	runtime.GC()
	if second.Value() != nil {
		t.Error("the records of the second window are held while the third is written")
	}
	goOn <- true
	w.end()
}
