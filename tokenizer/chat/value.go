package chat

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strconv"

	"github.com/ardanlabs/jinja"
)

// maxDepth bounds how deep JSON values may nest; the engine recurses into them.
const maxDepth = 200

var errDeep = fmt.Errorf("values nest deeper than %d", maxDepth)

// parseJSON reads one JSON value. Unlike a Go map it keeps the order of keys,
// which templates write out.
func parseJSON(data []byte) (jinja.Value, error) {
	d := json.NewDecoder(bytes.NewReader(data))
	d.UseNumber()
	v, err := decode(d, 0)
	if errors.Is(err, io.EOF) {
		err = io.ErrUnexpectedEOF
	}
	if err != nil {
		return jinja.Undefined(), err
	}
	if _, err := d.Token(); !errors.Is(err, io.EOF) {
		return jinja.Undefined(), errors.New("more than one JSON value")
	}
	return v, nil
}

func decode(d *json.Decoder, depth int) (jinja.Value, error) {
	if depth > maxDepth {
		return jinja.Undefined(), errDeep
	}
	t, err := d.Token()
	if err != nil {
		return jinja.Undefined(), err
	}
	switch t := t.(type) {
	case json.Delim:
		if t == '{' {
			return decodeDict(d, depth)
		}
		return decodeList(d, depth)
	case json.Number:
		return number(t.String())
	case string:
		return jinja.NewString(t), nil
	case bool:
		return jinja.NewBool(t), nil
	}
	return jinja.None(), nil
}

func decodeDict(d *json.Decoder, depth int) (jinja.Value, error) {
	v := jinja.NewDict()
	for d.More() {
		key, err := d.Token()
		if err != nil {
			return v, err
		}
		item, err := decode(d, depth+1)
		if err != nil {
			return v, err
		}
		v.AsDict().Set(key.(string), item)
	}
	_, err := d.Token()
	return v, err
}

func decodeList(d *json.Decoder, depth int) (jinja.Value, error) {
	var items []jinja.Value
	for d.More() {
		item, err := decode(d, depth+1)
		if err != nil {
			return jinja.Undefined(), err
		}
		items = append(items, item)
	}
	_, err := d.Token()
	return jinja.NewList(items), err
}

// number keeps whole numbers whole, as Python does.
func number(s string) (jinja.Value, error) {
	if n, err := strconv.ParseInt(s, 10, 64); err == nil {
		return jinja.NewInt(n), nil
	}
	f, err := strconv.ParseFloat(s, 64)
	if err != nil {
		return jinja.Undefined(), fmt.Errorf("number %s: %w", s, err)
	}
	return jinja.NewFloat(f), nil
}

// eachString calls f with every string and key in v.
func eachString(v jinja.Value, f func(string)) {
	mapStrings(v, func(s string) string {
		f(s)
		return s
	})
}

// mapStrings is v with f applied to every string and key in it.
func mapStrings(v jinja.Value, f func(string) string) jinja.Value {
	switch {
	case v.IsString():
		return jinja.NewString(f(v.AsString()))
	case v.IsList():
		items := make([]jinja.Value, v.AsList().Len())
		for i, item := range v.AsList().Items {
			items[i] = mapStrings(item, f)
		}
		return jinja.NewList(items)
	case v.IsDict():
		out := jinja.NewDict()
		for _, key := range v.AsDict().Keys {
			out.AsDict().Set(f(key), mapStrings(v.AsDict().Data[key], f))
		}
		return out
	}
	return v
}
