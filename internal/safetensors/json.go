package safetensors

import (
	"encoding/json"
	"errors"
	"fmt"
)

// object reads a JSON object key by key; each reads the value. Decoding it to a struct or a map would let the last of
// several equal keys win, or one of other case, and readers that choose differently would see different files.
func object(d *json.Decoder, each func(key string) error) error {
	open, err := d.Token()
	if err != nil {
		return err
	}
	if open != json.Delim('{') {
		return errors.New("it is no JSON object")
	}
	seen := map[string]bool{}
	for d.More() {
		token, err := d.Token()
		if err != nil {
			return err
		}
		key := token.(string) // the decoder lets nothing else through here
		if seen[key] {
			return fmt.Errorf("%q is there twice", key)
		}
		seen[key] = true
		if err := each(key); err != nil {
			return err
		}
	}
	_, err = d.Token()
	return err
}

// readEntry reads what the header says of a tensor; what else it says is skipped.
func readEntry(d *json.Decoder) (e entry, err error) {
	err = object(d, func(key string) error {
		switch key {
		case "dtype":
			return d.Decode(&e.dtype)
		case "shape":
			return d.Decode(&e.shape)
		case "data_offsets":
			return d.Decode(&e.offsets)
		}
		var skipped json.RawMessage
		return d.Decode(&skipped)
	})
	return e, err
}
