// Package jmm is `ravel jmm`: Java memory models put to the test.
//
// [Check] decides the assertions of a litmus test in Java under a model: required outcomes are allowed,
// forbidden ones are not. [Compile] translates the test for a processor and compares what its model allows with
// what the Java model allows. [Stress] runs the test on the JVM and compares what it shows.
//
// Package justify decides what a Java model allows; this package asks, compares and prints.
package jmm
