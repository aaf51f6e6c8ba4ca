package main

import "os"

func Example() {
	if err := run(os.Stdout, ""); err != nil {
		panic(err)
	}
	// Output:
	// after "O"      the model expects "<"      and gets "n"      with  0.02 %
	// after "n"      the model expects "<"      and gets "c"      with  0.00 %
	// after "c"      the model expects "y"      and gets "e"      with  0.00 %
	// after "e"      the model expects "@"      and gets " "      with  0.01 %
	// after " "      the model expects "a"      and gets "u"      with  0.00 %
	// after "u"      the model expects "h"      and gets "p"      with  0.01 %
	// after "p"      the model expects "X"      and gets "on"     with  0.02 %
	// after "on"     the model expects "on"     and gets " a"     with  0.00 %
	// after " a"     the model expects "p"      and gets " t"     with  0.00 %
	// after " t"     the model expects "X"      and gets "i"      with  0.00 %
	// after "i"      the model expects "?"      and gets "m"      with  0.00 %
	// after "m"      the model expects "3"      and gets "e"      with  0.09 %
	// perplexity 3.52e+05: as unsure as among so many equally likely tokens
}
