package client

import (
	"fmt"
	"strconv"
	"strings"
	"time"

	"go.mongodb.org/mongo-driver/v2/bson"
	"go.mongodb.org/mongo-driver/v2/mongo/readpref"

	"github.com/benchd/benchd/internal/target/mongodb/mongodbspec"
)

// ReadPreference returns which members answer reads.
func ReadPreference(s mongodbspec.Settings) (*readpref.ReadPref, error) {
	mode, err := readpref.ModeFromString(s.ReadPreference)
	if err != nil {
		return nil, fmt.Errorf("read mongodb.readPreference: %w", err)
	}
	var with []readpref.Option
	if tags := s.URL.Option("readPreferenceTags"); tags != "" {
		var names []string
		for pair := range strings.SplitSeq(tags, ",") {
			name, value, _ := strings.Cut(pair, ":")
			names = append(names, name, value)
		}
		with = append(with, readpref.WithTags(names...))
	}
	if text := s.URL.Option("maxStalenessSeconds"); text != "" && text != "-1" {
		n, err := strconv.Atoi(text)
		if err != nil {
			return nil, fmt.Errorf("read maxStalenessSeconds of mongodb.url: %w", err)
		}
		with = append(with, readpref.WithMaxStaleness(time.Duration(n)*time.Second))
	}
	from, err := readpref.New(mode, with...)
	if err != nil {
		return nil, fmt.Errorf("read readPreference of mongodb.url: %w", err)
	}
	return from, nil
}

// WriteConcern returns the write concern as commands have it, or nil for the server's default.
func WriteConcern(w mongodbspec.WriteConcern) bson.D {
	var d bson.D
	if n, ok := w.Servers(); ok {
		d = append(d, bson.E{Key: "w", Value: int32(n)})
	} else if w.W != "" {
		d = append(d, bson.E{Key: "w", Value: w.W})
	}
	if w.Journal != "" {
		d = append(d, bson.E{Key: "j", Value: w.Journal == "true"})
	}
	if w.Timeout > 0 && d != nil {
		d = append(d, bson.E{Key: "wtimeout", Value: w.Timeout})
	}
	return d
}
