package main

import (
	"fmt"
	"runtime"
	"runtime/debug"

	"github.com/spf13/cobra"

	"example.com/minillm/internal/simd"
)

func newVersion() *cobra.Command {
	return &cobra.Command{
		Use:   "version",
		Short: "Print the version, and which kernels this processor gets",
		Args:  exactly(0, "no argument"),
		RunE: func(cmd *cobra.Command, args []string) error {
			_, err := fmt.Printf("minillm %s\n%s %s/%s\nkernels: %s\n", version(), runtime.Version(), runtime.GOOS, runtime.GOARCH, simd.Tier())
			return printed(err)
		},
	}
}

// version is the module's, or the commit's where it was built from a checkout.
func version() string {
	info, ok := debug.ReadBuildInfo()
	if !ok || info.Main.Version == "" {
		return "(devel)"
	}
	return info.Main.Version
}
