// Command receiver verifies deliveries and prints the type and id of each event.
package main

import (
	"encoding/json"
	"fmt"
	"io"
	"log"
	"net/http"
	"os"
	"time"

	"quickstart/webhooks"
)

func receive(w http.ResponseWriter, r *http.Request) {
	if r.Method != http.MethodPost {
		w.WriteHeader(http.StatusMethodNotAllowed)
		return
	}
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, 1<<20))
	if err != nil {
		w.WriteHeader(http.StatusBadRequest)
		return
	}
	secrets := []string{os.Getenv("WEBHOOK_SECRET")}
	if !webhooks.Verify(body, r.Header.Get("Service-Signature"), secrets, time.Now()) {
		w.WriteHeader(http.StatusBadRequest)
		return
	}
	var event struct{ Type, ID string }
	if err := json.Unmarshal(body, &event); err != nil {
		w.WriteHeader(http.StatusBadRequest)
		return
	}
	fmt.Println(event.Type, event.ID) // Store the event here, and work afterwards.
	w.WriteHeader(http.StatusNoContent)
}

func main() {
	http.HandleFunc("/", receive)
	fmt.Println("listening")
	// The limits end connections that send nothing.
	server := &http.Server{Addr: ":" + os.Getenv("PORT"), ReadTimeout: 30 * time.Second}
	log.Fatal(server.ListenAndServe())
}
