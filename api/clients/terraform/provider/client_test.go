package provider

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
)

const token = "a-token-that-no-one-may-see"

func answering(t *testing.T, status int, isDaemon bool, body string) *client {
	t.Helper()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		if isDaemon {
			w.Header().Set("X-Request-Id", "1")
		}
		w.Header().Set("Location", "http://127.0.0.1:1/elsewhere")
		w.WriteHeader(status)
		_, _ = w.Write([]byte(body))
	}))
	t.Cleanup(server.Close)
	made, err := newClient(server.URL, token, "", false)
	if err != nil {
		t.Fatal(err)
	}
	return made
}

func TestErrorsSayWhatWasFoundAndHaveNoToken(t *testing.T) {
	cases := []struct {
		status   int
		isDaemon bool
		body     string
		expected string
	}{
		{403, true, `{"code":"FORBIDDEN","message":"Forbidden","requiredPrivileges":["Write"]}`, "FORBIDDEN: Forbidden"},
		{401, true, `{"message":"invalid signature"}`, "HTTP 401: invalid signature"},
		{502, true, `<html>`, "HTTP 502: "},
		{200, false, `{}`, "not as a nodewright daemon does"},
		{302, false, ``, "not as a nodewright daemon does"},
	}
	for _, one := range cases {
		_, err := answering(t, one.status, one.isDaemon, one.body).send(t.Context(), "GET", "/api/current/nodes", nil)
		if err == nil || !strings.Contains(err.Error(), one.expected) || strings.Contains(err.Error(), token) {
			t.Errorf("%d: found %v; expected %s", one.status, err, one.expected)
		}
	}
}

func TestAMissingRecordIsRecognized(t *testing.T) {
	_, err := answering(t, 404, true, `{"code":"NOT_FOUND","message":"Could not find it"}`).send(t.Context(), "GET", "/", nil)
	if !isMissing(err) {
		t.Errorf("found %v", err)
	}
}

func TestAnAddressOrACertificateFileThatCannotBeUsedIsRefused(t *testing.T) {
	for _, address := range []string{"", "nodewright", "ftp://x", "http://"} {
		if _, err := newClient(address, token, "", false); err == nil {
			t.Errorf("accepted %q", address)
		}
	}
	if _, err := newClient("https://127.0.0.1", token, "client_test.go", false); err == nil || !strings.Contains(err.Error(), "expected PEM") {
		t.Errorf("found %v", err)
	}
}

func TestTheNextPageIsFollowed(t *testing.T) {
	link := `<http://h/api/current/nodes?%24skip=0>; rel="first", <http://h/api/current/nodes?%24skip=1000>; rel="next"`
	if got := nextOf(link); got != "/api/current/nodes?%24skip=1000" {
		t.Errorf("found %s", got)
	}
}
