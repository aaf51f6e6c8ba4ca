//go:build !purego

#include "textflag.h"

// func pause(n uint32)
TEXT ·pause(SB), NOSPLIT, $0-4
	MOVWU n+0(FP), R0

again:
	ISB  $15
	SUBW $1, R0
	CBNZW R0, again
	RET
