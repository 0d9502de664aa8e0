package observe

import (
	"net"
	"net/http"
)

var dialer net.Dialer

func client() *http.Client { return &http.Client{Transport: new(http.Transport)} }
