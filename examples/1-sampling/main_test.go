package main

import "os"

func Example() {
	run(os.Stdout)
	// Output:
	// the model's own probabilities
	//   mat    50.9 % ####################
	//   sofa   27.9 % ###########
	//   roof   16.9 % #######
	//   moon    2.5 % #
	//   cat     1.5 % #
	//   of      0.1 % #
	//
	// greedy takes the highest: mat
	//
	// temperature 0.5 sharpens
	//   mat    70.7 % ############################
	//   sofa   21.3 % #########
	//   roof    7.8 % ###
	//   moon    0.2 % #
	//   cat     0.1 % #
	//   of      0.0 % #
	//
	// temperature 2 flattens
	//   mat    36.2 % ##############
	//   sofa   26.8 % ###########
	//   roof   20.9 % ########
	//   moon    8.1 % ###
	//   cat     6.3 % ###
	//   of      1.8 % #
	//
	// top-k 3 keeps three
	//   mat    53.1 % #####################
	//   sofa   29.2 % ############
	//   roof   17.7 % #######
	//
	// top-p 0.8 keeps the fewest that reach 80 %
	//   mat    53.1 % #####################
	//   sofa   29.2 % ############
	//   roof   17.7 % #######
	//
	// min-p 0.1 keeps what has a tenth of the best
	//   mat    53.1 % #####################
	//   sofa   29.2 % ############
	//   roof   17.7 % #######
	//
	// a repetition penalty of 2, after "mat" was said
	//   mat    12.3 % #####
	//   sofa   49.9 % ####################
	//   roof   30.3 % ############
	//   moon    4.5 % ##
	//   cat     2.7 % #
	//   of      0.2 % #
	//
	// seed 0: mat sofa sofa mat sofa sofa mat sofa
	// seed 1: roof mat roof mat sofa mat sofa sofa
	// seed 2: roof mat mat roof sofa roof sofa mat
}
