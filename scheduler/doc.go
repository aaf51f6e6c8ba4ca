// Package scheduler is the policy of a busy server.
package scheduler
