package provider

import (
	"bytes"
	"context"
	"crypto/tls"
	"crypto/x509"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"os"
	"strings"
	"time"
)

const (
	// The longest time for an answer.
	limit = 60 * time.Second
	// Bytes; more than a page of the largest records.
	answerLimit = 256 << 20
	pageSize    = "1000"
)

type client struct {
	url, token string
	http       *http.Client
}

// Makes a client. `ca` is a file with certificates to trust, besides those of the system.
func newClient(address, token, ca string, insecure bool) (*client, error) {
	parsed, err := url.Parse(address)
	if err != nil || parsed.Host == "" || (parsed.Scheme != "http" && parsed.Scheme != "https") {
		return nil, fmt.Errorf("found the url %q; expected one such as https://nodewright.example:8080", address)
	}
	trusted := &tls.Config{InsecureSkipVerify: insecure}
	if ca != "" {
		pem, err := os.ReadFile(ca)
		if err != nil {
			return nil, fmt.Errorf("found no certificates: %w", err)
		}
		if trusted.RootCAs, err = x509.SystemCertPool(); err != nil {
			trusted.RootCAs = x509.NewCertPool()
		}
		if !trusted.RootCAs.AppendCertsFromPEM(pem) {
			return nil, fmt.Errorf("found no certificates in %s; expected PEM", ca)
		}
	}
	transport := http.DefaultTransport.(*http.Transport).Clone()
	transport.TLSClientConfig = trusted
	return &client{
		url:   strings.TrimRight(address, "/"),
		token: token,
		http: &http.Client{
			Transport: transport,
			Timeout:   limit,
			// The token is only for the address that the user gave.
			CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
		},
	}, nil
}

// An apiError is an answer of the daemon that refuses a request.
type apiError struct {
	Status   int      `json:"status"`
	Code     string   `json:"code"`
	Message  string   `json:"message"`
	Required []string `json:"requiredPrivileges"`
	Errors   []struct {
		Path    string `json:"path"`
		Message string `json:"message"`
	} `json:"errors"`
}

func (e *apiError) Error() string { return e.Code + ": " + e.Message }

func isMissing(err error) bool {
	var refusal *apiError
	return errors.As(err, &refusal) && refusal.Status == http.StatusNotFound
}

// Sends a request, and returns the body of the answer.
func (c *client) send(ctx context.Context, method, path string, body any) (any, error) {
	answer, _, err := c.exchange(ctx, method, path, body)
	return answer, err
}

// Returns all records of a list, whose filters are `query`.
func (c *client) list(ctx context.Context, path string, query url.Values) ([]any, error) {
	filter := url.Values{"$top": {pageSize}}
	for name, values := range query {
		filter[name] = values
	}
	records := []any{}
	for next := path + "?" + filter.Encode(); next != ""; {
		answer, following, err := c.exchange(ctx, http.MethodGet, next, nil)
		if err != nil {
			return nil, err
		}
		page, _ := answer.([]any)
		records, next = append(records, page...), following
	}
	return records, nil
}

func (c *client) exchange(ctx context.Context, method, path string, body any) (answer any, next string, err error) {
	var sent io.Reader
	if body != nil {
		text, err := json.Marshal(body)
		if err != nil {
			return nil, "", err
		}
		sent = bytes.NewReader(text)
	}
	request, err := http.NewRequestWithContext(ctx, method, c.url+path, sent)
	if err != nil {
		return nil, "", err
	}
	if body != nil {
		request.Header.Set("Content-Type", "application/json")
	}
	request.Header.Set("Authorization", "Bearer "+c.token)
	response, err := c.http.Do(request)
	if err != nil {
		return nil, "", fmt.Errorf("no answer of a daemon: %w; check the url, and that it runs", err)
	}
	defer response.Body.Close()
	received, err := io.ReadAll(io.LimitReader(response.Body, answerLimit))
	if err != nil {
		return nil, "", fmt.Errorf("the answer of %s broke off: %w", c.url, err)
	}
	if response.Header.Get("X-Request-Id") == "" {
		return nil, "", fmt.Errorf("%s answers %d, and not as a nodewright daemon does; correct the url, or the proxy", c.url, response.StatusCode)
	}
	if response.StatusCode >= http.StatusBadRequest {
		return nil, "", refusalOf(response.StatusCode, received)
	}
	if len(received) > 0 {
		answer, err = decode(received)
	}
	return answer, nextOf(response.Header.Get("Link")), err
}

func refusalOf(status int, body []byte) error {
	refusal := &apiError{}
	// A body that is no JSON leaves the status.
	_ = json.Unmarshal(body, refusal)
	refusal.Status = status
	if refusal.Code == "" {
		refusal.Code = fmt.Sprintf("HTTP %d", status)
	}
	return refusal
}

// Returns the path of the next page, of a Link header.
func nextOf(link string) string {
	for _, part := range strings.Split(link, ",") {
		target, relation, _ := strings.Cut(part, ";")
		if strings.Contains(relation, `rel="next"`) {
			parsed, err := url.Parse(strings.Trim(strings.TrimSpace(target), "<>"))
			if err == nil {
				return parsed.RequestURI()
			}
		}
	}
	return ""
}
