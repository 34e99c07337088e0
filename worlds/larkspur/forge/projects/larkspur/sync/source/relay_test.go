package sync

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
)

func ask(relay *Relay, method, target, body string) *httptest.ResponseRecorder {
	answer := httptest.NewRecorder()
	relay.ServeHTTP(answer, httptest.NewRequest(method, target, strings.NewReader(body)))
	return answer
}

const ticked = `[{"key":"sweep","value":"done","tablet":"shop","at":"2025-06-05T09:00:00Z"}]`

func TestATabletLearnsWhatAnotherDid(t *testing.T) {
	relay := &Relay{Store: NewStore()}
	if got := ask(relay, "POST", "/changes", ticked); got.Code != http.StatusOK || !strings.Contains(got.Body.String(), `"accepted":1`) {
		t.Fatalf("POST: %d %s", got.Code, got.Body)
	}
	got := ask(relay, "GET", "/changes?since=0", "")
	if !strings.Contains(got.Body.String(), `"key":"sweep"`) {
		t.Errorf("GET: %s", got.Body)
	}
}

func TestWhatMakesNoSenseIsRefused(t *testing.T) {
	relay := &Relay{Store: NewStore()}
	for _, one := range []struct {
		method, target, body string
		code                 int
	}{
		{"GET", "/elsewhere", "", http.StatusNotFound},
		{"DELETE", "/changes", "", http.StatusMethodNotAllowed},
		{"GET", "/changes?since=yesterday", "", http.StatusBadRequest},
		{"POST", "/changes", "no list", http.StatusBadRequest},
		{"POST", "/changes", strings.Replace(ticked, "shop", "The Shop", 1), http.StatusBadRequest},
	} {
		if got := ask(relay, one.method, one.target, one.body); got.Code != one.code {
			t.Errorf("%s %s: %d", one.method, one.target, got.Code)
		}
	}
}
