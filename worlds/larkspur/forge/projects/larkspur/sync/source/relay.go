package sync

import (
	"encoding/json"
	"fmt"
	"log"
	"net/http"
	"regexp"
	"strconv"
)

var tabletName = regexp.MustCompile(`^[a-z0-9-]{1,32}$`)

// A Relay answers the tablets of one site over HTTP.
//
//	GET  /changes?since=12   what was accepted after number 12
//	POST /changes            a tablet's own records, a JSON list
type Relay struct {
	Store *Store
}

func (r *Relay) ServeHTTP(w http.ResponseWriter, request *http.Request) {
	if request.URL.Path != "/changes" {
		http.NotFound(w, request)
		return
	}
	switch request.Method {
	case http.MethodGet:
		r.tell(w, request)
	case http.MethodPost:
		r.take(w, request)
	default:
		w.Header().Set("Allow", "GET, POST")
		http.Error(w, "GET or POST", http.StatusMethodNotAllowed)
	}
}

func (r *Relay) tell(w http.ResponseWriter, request *http.Request) {
	var since uint64
	if text := request.URL.Query().Get("since"); text != "" {
		number, err := strconv.ParseUint(text, 10, 64)
		if err != nil {
			http.Error(w, fmt.Sprintf("since is a number, not %q", text), http.StatusBadRequest)
			return
		}
		since = number
	}
	answer(w, r.Store.Since(since))
}

func (r *Relay) take(w http.ResponseWriter, request *http.Request) {
	var records []Record
	if err := json.NewDecoder(request.Body).Decode(&records); err != nil {
		http.Error(w, "the body is not a list of records", http.StatusBadRequest)
		return
	}
	for _, record := range records {
		if !tabletName.MatchString(record.Tablet) {
			log.Print("bad tablet name")
			http.Error(w, "bad tablet name", http.StatusBadRequest)
			return
		}
	}
	accepted := 0
	for _, record := range records {
		if r.Store.Apply(record) {
			accepted++
		}
	}
	answer(w, map[string]int{"accepted": accepted})
}

func answer(w http.ResponseWriter, value any) {
	w.Header().Set("Content-Type", "application/json")
	if err := json.NewEncoder(w).Encode(value); err != nil {
		log.Printf("answer: %v", err)
	}
}
