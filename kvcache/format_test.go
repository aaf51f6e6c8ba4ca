package kvcache_test

import (
	"strings"
	"testing"

	"example.com/minillm/kvcache"
)

func TestFormatNames(t *testing.T) {
	for _, f := range formats {
		var back kvcache.Format
		name, err := f.MarshalText()
		if err == nil {
			err = back.UnmarshalText(name)
		}
		if err != nil || back != f || string(name) != f.String() {
			t.Errorf("%v: %v, %v", f, back, err)
		}
	}
	f := kvcache.Q8
	if err := f.UnmarshalText([]byte("f16")); err == nil || !strings.Contains(err.Error(), "i16, f32, q8") || f != kvcache.Q8 {
		t.Errorf("f16 became %v: %v", f, err)
	}
}
