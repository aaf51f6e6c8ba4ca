package main

import "os"

func Example() {
	if err := run(os.Stdout, ""); err != nil {
		panic(err)
	}
	// Output:
	// step  1  B+13 C+10 D+4 A+5   0 blocks free
	// step  2  B+1 C+8 D+1 A+22    0 blocks free
	// step  3  B+1 C+1 D+1 A+26    0 blocks free
	// step  4  B+1 C+1 D+1 A+1     0 blocks free
	// step  5  B+1 C+1 D+1         3 blocks free  A loses its blocks
	// step  6  B+1 C+1 D+1         3 blocks free
	// step  7  B+1 C+1 A+7         0 blocks free  A is back and finds 48 of 55
	// step  8  B+1 C+1 A+1         0 blocks free
	// step  9  B+1 C+1 A+1         0 blocks free
	// step 10  B+1 C+1 A+1         0 blocks free
	// step 11  B+1 C+1 A+1         0 blocks free
	// step 12  B+1 C+1 A+1         0 blocks free
	// step 13  B+1 C+1 A+1         0 blocks free
	// step 14  B+1 C+1 A+1         0 blocks free
	// step 15  B+1 C+1 A+1         0 blocks free
	// step 16  B+1 C+1 A+1         0 blocks free
	// step 17  B+1 C+1             3 blocks free  A loses its blocks
	// step 18  B+1 C+1             3 blocks free
	// step 19  B+1 C+1             3 blocks free
	// step 20  B+1 C+1             3 blocks free
	// step 21  C+1 A+17            0 blocks free  A is back and finds 48 of 65
	// step 22  C+1 A+1             0 blocks free
	// step 23  C+1 A+1             0 blocks free
	// step 24  C+1 A+1             0 blocks free
	// step 25  C+1 A+1             0 blocks free
	// step 26  A+1                 3 blocks free
	// step 27  A+1                 3 blocks free
	// step 28  A+1                 3 blocks free
	// step 29  A+1                 3 blocks free
	// step 30  A+1                 3 blocks free
	// step 31  A+1                 3 blocks free
	// step 32  A+1                 3 blocks free
	//
	// 2 preemptions gave up 118 computed tokens, of which 96 were found again
	// each request has the tokens that it has alone
}
