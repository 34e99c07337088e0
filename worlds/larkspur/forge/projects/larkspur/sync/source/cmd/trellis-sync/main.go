// Trellis-sync is the relay of one site.
package main

import (
	"flag"
	"log"
	"net/http"
	"time"

	"larkspur.test/sync"
)

func main() {
	address := flag.String("listen", "127.0.0.1:7070", "where tablets reach the relay")
	flag.Parse()
	server := &http.Server{
		Addr:              *address,
		Handler:           &sync.Relay{Store: sync.NewStore()},
		ReadHeaderTimeout: 5 * time.Second,
	}
	log.Printf("listening on %s", *address)
	log.Fatal(server.ListenAndServe())
}
