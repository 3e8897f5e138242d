// The kernels of kernels.c and their laws, and the trace of trace.c.
#ifndef KERNELS_H
#define KERNELS_H
#include <stdio.h>

// Reads the laws: lines of a kernel, and the seconds for a call, an operation and an element.
void read_laws(const char *path);
// Passes the time of the kernels on vectors since the last call.
void pass_pending(void);
// Traces to a file; NULL ends the trace.
void trace_to(FILE *file);
// The present time; 0 without a trace.
double trace_begin(void);
// Adds a kernel that began at a time to the trace.
void trace_kernel(double begin, const char *name, int m, int n, int k);
#endif
