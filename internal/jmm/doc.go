// Package jmm is `ravel jmm`: it puts Java memory models to the test.
//
// [Check] decides the assertions of a litmus test in Java under a model: the model allows required outcomes and forbids
// forbidden ones. [Compile] translates the test for a processor, and compares the outcomes that the processor's model allows
// with those of the Java model. [Stress] runs the test on the JVM and compares the outcomes that it shows.
//
// Package justify decides which outcomes a Java model allows. This package asks, compares and prints.
package jmm
