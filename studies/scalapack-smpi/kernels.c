// Kernels of BLAS that take simulated time in place of computing. They come before those of the
// library in the link of the driver, as it has the same names. Values of matrices are not needed:
// times of ScaLAPACK depend on them in the pivots of pdgetrf only.
#include <mpi.h>
#include "kernels.h"
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// The law of a kernel in seconds: for a call, for an operation, for an element of the operands.
struct law { double call, operation, element; };

enum kernel { GEMM, TRSM, SYRK, TRMM, GEMV, GER, TRMV, TRSV, SYR, VECTOR, KERNELS };
static const char *const names[KERNELS] = {
  "gemm", "trsm", "syrk", "trmm", "gemv", "ger", "trmv", "trsv", "syr", "vector"};
static struct law laws[KERNELS];

void read_laws(const char *path) {
  FILE *file = fopen(path, "r");
  char line[256], name[32];
  if (!file) { fprintf(stderr, "%s: cannot be read\n", path); exit(2); }
  while (fgets(line, sizeof line, file)) {
    struct law law;
    int read = sscanf(line, "%31s %lf %lf %lf", name, &law.call, &law.operation, &law.element);
    if (line[0] == '#' || read < 1) continue;
    int kernel = 0;
    while (kernel < KERNELS && strcmp(names[kernel], name) != 0) kernel++;
    if (read != 4 || kernel == KERNELS) { fprintf(stderr, "%s: wrong: %s", path, line); exit(2); }
    laws[kernel] = law;
  }
  fclose(file);
}

static double seconds_of(enum kernel kernel, double operations, double elements) {
  struct law law = laws[kernel];
  return law.call + law.operation * operations + law.element * elements;
}

// The time of kernels on vectors that has not passed yet: many calls are one event.
static double pending;

void pass_pending(void) {
  double seconds = pending;
  pending = 0;
  if (seconds > 0) smpi_execute_flops(seconds * 1e9);
}

// Passes the time of a call on a host of 1 Gflop/s; hosts of other speeds scale it.
static void run(enum kernel kernel, double operations, double elements, int m, int n, int k) {
  pass_pending();
  double begin = trace_begin();
  smpi_execute_flops(seconds_of(kernel, operations, elements) * 1e9);
  trace_kernel(begin, names[kernel], m, n, k);
}

static int is(const char *letter, char expected) { return toupper(*letter) == expected; }

typedef const char *letter;
typedef const int *integer;
typedef const double *in;
typedef double *inout;

void dgemm_(letter ta, letter tb, integer m, integer n, integer k, in alpha, in a, integer lda,
            in b, integer ldb, in beta, inout c, integer ldc) {
  (void)ta, (void)tb, (void)alpha, (void)a, (void)lda, (void)b, (void)ldb, (void)beta, (void)c,
    (void)ldc;
  if (*m < 1 || *n < 1 || *k < 1) return;
  double x = *m, y = *n, z = *k;
  run(GEMM, 2 * x * y * z, x * y + x * z + y * z, *m, *n, *k);
}

static void triangular(enum kernel kernel, letter side, integer m, integer n) {
  if (*m < 1 || *n < 1) return;
  double order = is(side, 'L') ? *m : *n, other = is(side, 'L') ? *n : *m;
  run(kernel, order * order * other, order * other + order * order / 2, *m, *n, 1);
}

void dtrsm_(letter side, letter uplo, letter trans, letter diag, integer m, integer n, in alpha,
            in a, integer lda, inout b, integer ldb) {
  (void)uplo, (void)trans, (void)diag, (void)alpha, (void)a, (void)lda, (void)b, (void)ldb;
  triangular(TRSM, side, m, n);
}

void dtrmm_(letter side, letter uplo, letter trans, letter diag, integer m, integer n, in alpha,
            in a, integer lda, inout b, integer ldb) {
  (void)uplo, (void)trans, (void)diag, (void)alpha, (void)a, (void)lda, (void)b, (void)ldb;
  triangular(TRMM, side, m, n);
}

void dsyrk_(letter uplo, letter trans, integer n, integer k, in alpha, in a, integer lda, in beta,
            inout c, integer ldc) {
  (void)uplo, (void)trans, (void)alpha, (void)a, (void)lda, (void)beta, (void)c, (void)ldc;
  if (*n < 1 || *k < 1) return;
  double order = *n, inner = *k;
  run(SYRK, order * order * inner, order * inner + order * order / 2, 1, *n, *k);
}

static void rectangular(enum kernel kernel, integer m, integer n) {
  if (*m < 1 || *n < 1) return;
  double elements = (double)*m * *n;
  run(kernel, 2 * elements, elements, *m, *n, 1);
}

void dgemv_(letter trans, integer m, integer n, in alpha, in a, integer lda, in x, integer incx,
            in beta, inout y, integer incy) {
  (void)trans, (void)alpha, (void)a, (void)lda, (void)x, (void)incx, (void)beta, (void)y,
    (void)incy;
  rectangular(GEMV, m, n);
}

void dger_(integer m, integer n, in alpha, in x, integer incx, in y, integer incy, inout a,
           integer lda) {
  (void)alpha, (void)x, (void)incx, (void)y, (void)incy, (void)a, (void)lda;
  rectangular(GER, m, n);
}

static void square(enum kernel kernel, integer n) {
  if (*n < 1) return;
  double elements = (double)*n * *n / 2;
  run(kernel, 2 * elements, elements, 1, *n, 1);
}

void dtrmv_(letter uplo, letter trans, letter diag, integer n, in a, integer lda, inout x,
            integer incx) {
  (void)uplo, (void)trans, (void)diag, (void)a, (void)lda, (void)x, (void)incx;
  square(TRMV, n);
}

void dtrsv_(letter uplo, letter trans, letter diag, integer n, in a, integer lda, inout x,
            integer incx) {
  (void)uplo, (void)trans, (void)diag, (void)a, (void)lda, (void)x, (void)incx;
  square(TRSV, n);
}

void dsyr_(letter uplo, integer n, in alpha, in x, integer incx, inout a, integer lda) {
  (void)uplo, (void)alpha, (void)x, (void)incx, (void)a, (void)lda;
  square(SYR, n);
}

// Kernels on vectors compute, since pivots and norms depend on them.
static void vector(integer n) { if (*n > 0) pending += seconds_of(VECTOR, *n, *n); }

#define AT(x, inc, i) (x)[(long)(i) * (inc) + ((inc) < 0 ? (1L - *n) * (inc) : 0)]

void dscal_(integer n, in alpha, inout x, integer incx) {
  for (int i = 0; i < *n; i++) AT(x, *incx, i) *= *alpha;
  vector(n);
}

void dcopy_(integer n, in x, integer incx, inout y, integer incy) {
  for (int i = 0; i < *n; i++) AT(y, *incy, i) = AT(x, *incx, i);
  vector(n);
}

void dswap_(integer n, inout x, integer incx, inout y, integer incy) {
  for (int i = 0; i < *n; i++) {
    double old = AT(x, *incx, i);
    AT(x, *incx, i) = AT(y, *incy, i);
    AT(y, *incy, i) = old;
  }
  vector(n);
}

void daxpy_(integer n, in alpha, in x, integer incx, inout y, integer incy) {
  for (int i = 0; i < *n; i++) AT(y, *incy, i) += *alpha * AT(x, *incx, i);
  vector(n);
}

int idamax_(integer n, in x, integer incx) {
  int best = 0;
  for (int i = 1; i < *n; i++) {
    double one = AT(x, *incx, i), other = AT(x, *incx, best);
    if ((one < 0 ? -one : one) > (other < 0 ? -other : other)) best = i;
  }
  vector(n);
  return *n > 0 ? best + 1 : 0;
}

double ddot_(integer n, in x, integer incx, in y, integer incy) {
  double sum = 0;
  for (int i = 0; i < *n; i++) sum += AT(x, *incx, i) * AT(y, *incy, i);
  vector(n);
  return sum;
}

double dasum_(integer n, in x, integer incx) {
  double sum = 0;
  for (int i = 0; i < *n; i++) sum += AT(x, *incx, i) < 0 ? -AT(x, *incx, i) : AT(x, *incx, i);
  vector(n);
  return sum;
}

// SMPI 3.32 has no such function; BLACS calls it for the type of Fortran's integer.
int MPI_Type_match_size(int typeclass, int size, MPI_Datatype *type) {
  if (typeclass != MPI_TYPECLASS_INTEGER) return MPI_ERR_ARG;
  *type = size == 8 ? MPI_INT64_T : MPI_INT;
  return MPI_SUCCESS;
}
