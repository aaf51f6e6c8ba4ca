package memory

import "testing"

func TestAvailable(t *testing.T) {
	if n := Available(); n < 1<<20 {
		t.Errorf("Available() = %d bytes, too little to run this test in", n)
	}
}
