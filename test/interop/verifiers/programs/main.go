// Prints what each verifier says of each delivery: null, or its error. Argument: a file with the deliveries.
package main

import (
	"encoding/json"
	"net/http"
	"os"
)

type delivery struct {
	Headers map[string]string
	Body    string
	Secret  string
}

type verifier func(body []byte, signature string, secret string, r *http.Request) error

func main() {
	text, err := os.ReadFile(os.Args[1])
	if err != nil {
		panic(err)
	}
	var deliveries []delivery
	if err := json.Unmarshal(text, &deliveries); err != nil {
		panic(err)
	}
	answers := [][]*string{}
	for _, verify := range verifiers {
		row := []*string{}
		for _, each := range deliveries {
			row = append(row, answerOf(verify, each))
		}
		answers = append(answers, row)
	}
	if err := json.NewEncoder(os.Stdout).Encode(answers); err != nil {
		panic(err)
	}
}

func answerOf(verify verifier, each delivery) *string {
	r := &http.Request{Header: http.Header{}}
	for name, value := range each.Headers {
		r.Header.Set(name, value)
	}
	err := verify([]byte(each.Body), r.Header.Get("Service-Signature"), each.Secret, r)
	if err == nil {
		return nil
	}
	message := err.Error()
	return &message
}

// errorOf returns the last of a function's results.
func errorOf(results ...any) error {
	err, _ := results[len(results)-1].(error)
	return err
}
