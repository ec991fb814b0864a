package provider

import (
	"errors"
	"net/http"
	"net/http/httptest"
	"testing"
)

func TestAnErrorOfAnObmNamesThatObm(t *testing.T) {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, request *http.Request) {
		w.Header().Set("X-Request-Id", "1")
		if request.Method == http.MethodGet {
			_, _ = w.Write([]byte("[]"))
			return
		}
		w.WriteHeader(http.StatusBadRequest)
		_, _ = w.Write([]byte(`{"code":"INVALID","message":"bad","errors":[{"path":"config.user","message":"is missing"}]}`))
	}))
	t.Cleanup(server.Close)
	made, err := newClient(server.URL, token, "", false)
	if err != nil {
		t.Fatal(err)
	}
	err = amendObms(call{t.Context(), made}, "1", []any{object{"service": "ipmi-obm-service", "config": object{}}})
	var refusal *apiError
	if !errors.As(err, &refusal) || refusal.Errors[0].Path != "obms.0.config.user" {
		t.Errorf("found %v", err)
	}
}
