package main

import "os"

func Example() {
	if err := run(os.Stdout, ""); err != nil {
		panic(err)
	}
	// Output:
	//     request 1  Pddd
	//     request 2  Pddddddddddd
	//     request 3  Pddddd
	//     request 4  ............Pddddddddd
	//     request 5  ............Pdd
	//     request 6  ............Pdddd
	//     request 7  ......................Pddddddd
	//     request 8  ......................Pd
	// static: 50 tokens in 30 steps, 56 % of 3 places busy
	//
	//     request 1  Pddd
	//     request 2  Pddddddddddd
	//     request 3  Pddddd
	//     request 4  ....Pddddddddd
	//     request 5  ......Pdd
	//     request 6  .........Pdddd
	//     request 7  ............Pddddddd
	//     request 8  ..............Pd
	// continuous: 50 tokens in 20 steps, 83 % of 3 places busy
	//
	// the tokens are the same
}
