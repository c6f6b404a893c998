// Prints the result of verify.go for every vector, as JSON. Argument: the folder docs/webhooks.
package main

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"guide/webhooks"
)

func main() {
	text, err := os.ReadFile(filepath.Join(os.Args[1], "../generated/webhook-vectors.json"))
	if err != nil {
		panic(err)
	}
	var vectors []struct {
		Secrets      []string
		Header, Body string
		Now          int64
	}
	if err := json.Unmarshal(text, &vectors); err != nil {
		panic(err)
	}
	var results []bool
	for _, each := range vectors {
		now := time.Unix(each.Now, 0)
		results = append(results, webhooks.Verify([]byte(each.Body), each.Header, each.Secrets, now))
	}
	printed, err := json.Marshal(results)
	if err != nil {
		panic(err)
	}
	fmt.Println(string(printed))
}
