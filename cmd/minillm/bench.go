package main

import "github.com/spf13/cobra"

func newBench() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "bench",
		Short: "Measure the engine on this machine, or any OpenAI-compatible server",
		Args:  subcommand,
		RunE:  func(cmd *cobra.Command, args []string) error { return cmd.Help() },
	}
	cmd.AddCommand(newBenchEngine(), newBenchServe(), newBenchCompare())
	return cmd
}
