// The kernels of kernels.c and their laws, and the trace of trace.c.
#ifndef KERNELS_H
#define KERNELS_H
#include <stdio.h>

// Reads the laws: lines of a kernel, and the seconds for a call, an operation and an element.
void read_laws(const char *path);
// Traces to a file; NULL ends the trace.
void trace_to(FILE *file);
// Adds a kernel that began at a time to the trace.
void trace_kernel(double begin, const char *name, int m, int n, int k);
#endif
