// Command create creates an endpoint and prints its id and signing secret.
package main

import (
	"encoding/json"
	"fmt"
	"log"
	"net/http"
	"os"
	"strings"
)

func main() {
	body := fmt.Sprintf(`{"url":%q,"events":["*"]}`, os.Getenv("WEBHOOK_URL"))
	url := os.Getenv("HCTL_URL") + "/api/v1/webhooks"
	request, err := http.NewRequest(http.MethodPost, url, strings.NewReader(body))
	if err != nil {
		log.Fatal(err)
	}
	request.Header.Set("Authorization", "Bearer "+os.Getenv("HCTL_TOKEN"))
	request.Header.Set("Content-Type", "application/json")
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		log.Fatal(err)
	}
	defer response.Body.Close()
	var created struct {
		Webhook struct{ ID string }
		Secret  string
		Detail  string
	}
	if err := json.NewDecoder(response.Body).Decode(&created); err != nil {
		log.Fatal(err)
	}
	if response.StatusCode != http.StatusCreated {
		log.Fatal(created.Detail)
	}
	fmt.Println("WEBHOOK_ID=" + created.Webhook.ID)
	fmt.Println("WEBHOOK_SECRET=" + created.Secret) // It is returned only once.
}
