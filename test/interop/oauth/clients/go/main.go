package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"os"
)

var (
	service  = os.Getenv("HOSTING_URL")
	clientID = os.Getenv("HOSTING_CLIENT")
	input    = bufio.NewReader(os.Stdin)
)

func show(value any) {
	text, _ := json.Marshal(value)
	fmt.Println(string(text))
}

func check(err error) {
	if err != nil {
		panic(err)
	}
}

func me(token string) (int, string) {
	request, _ := http.NewRequest("GET", service+"/api/v1/auth/me", nil)
	request.Header.Set("Authorization", "Bearer "+token)
	response, err := http.DefaultClient.Do(request)
	check(err)
	defer response.Body.Close()
	var body struct {
		Key struct{ Name string }
	}
	check(json.NewDecoder(response.Body).Decode(&body))
	return response.StatusCode, body.Key.Name
}

func revoke(token string) {
	response, err := http.PostForm(service+"/oauth/revoke", url.Values{"token": {token}})
	check(err)
	response.Body.Close()
}

// Shows the code of a device login, and waits until the person presses Enter.
func showCode(userCode string) {
	show(map[string]string{"user_code": userCode})
	_, err := input.ReadString('\n')
	check(err)
}

// A library: it starts a device login with scopes, and gets the token with its scope, or the error code.
type library struct {
	signIn  func(scopes []string) (token, scope string)
	errorOf func() string
}

func main() {
	if os.Args[1] == "exchange" {
		exchangeTokens()
		return
	}
	client := map[string]library{"oauth2": oauth2Library, "cli-oauth": cliOauthLibrary}[os.Args[1]]
	token, scope := client.signIn([]string{"sites:read", "dns:read"})
	before, name := me(token)
	revoke(token)
	after, _ := me(token)
	show(map[string]any{
		"statuses": []int{before, after},
		"name":     name,
		"scope":    scope,
		"denied":   client.errorOf(),
		"expired":  client.errorOf(),
	})
}
