// Package cluster spreads a search over processes and machines.
package cluster
