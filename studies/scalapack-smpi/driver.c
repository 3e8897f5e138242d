// Times routines of ScaLAPACK on simulated clusters; writes rows of a file of times of routines.
// usage: smpirun … driver LAWS CASES [TRACE]
// CASES has a row for each call: routine,variant,m,n,k,block,rows,columns,to_rows,to_columns.
// TRACE is a file for the kernels and messages of each rank, TRACE.RANK.
#include <mpi.h>
#include <simgrid/actor.h>
#include <simgrid/barrier.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "kernels.h"

typedef const int *integer;
extern void Cblacs_get(int context, int what, int *value);
extern void Cblacs_gridmap(int *context, int *map, int leading, int rows, int columns);
extern void Cblacs_gridinfo(int context, int *rows, int *columns, int *row, int *column);
extern void Cblacs_gridexit(int context);
extern void Cpdgemr2d(int m, int n, double *a, int ia, int ja, int *desca, double *b, int ib,
                      int jb, int *descb, int context);
extern int numroc_(integer n, integer block, integer own, integer first, integer processes);
extern void descinit_(int *desc, integer m, integer n, integer mb, integer nb, integer row,
                      integer column, integer context, integer leading, int *info);
extern void pdgemm_(const char *, const char *, integer m, integer n, integer k, const double *,
                    double *a, integer, integer, int *, double *b, integer, integer, int *,
                    const double *, double *c, integer, integer, int *);
extern void pdtrsm_(const char *, const char *, const char *, const char *, integer m, integer n,
                    const double *, double *a, integer, integer, int *, double *b, integer,
                    integer, int *);
extern void pdsyrk_(const char *, const char *, integer n, integer k, const double *, double *a,
                    integer, integer, int *, const double *, double *c, integer, integer, int *);
extern void pdgetrf_(integer m, integer n, double *a, integer, integer, int *, int *pivots,
                     int *info);
extern void pdpotrf_(const char *, integer n, double *a, integer, integer, int *, int *info);
extern void pdgeqrf_(integer m, integer n, double *a, integer, integer, int *, double *tau,
                     double *work, integer, int *info);

struct call { char routine[16], variant[8]; int m, n, k, block, grid[2], to[2]; };
struct matrix { double *elements; int desc[9], rows, columns; };

static int rank, ranks;
static sg_bar_t barrier;

static void fail(const char *reason) {
  fprintf(stderr, "driver: %s\n", reason);
  MPI_Abort(MPI_COMM_WORLD, 1);
}

// A grid of the first processes of the job, row by row; all ranks call this.
static int grid_of(const int shape[2]) {
  int context, *map = malloc((size_t)shape[0] * (size_t)shape[1] * sizeof *map);
  for (int i = 0; i < shape[0]; i++)
    for (int j = 0; j < shape[1]; j++) map[j * shape[0] + i] = i * shape[1] + j;
  Cblacs_get(-1, 0, &context);
  Cblacs_gridmap(&context, map, shape[0], shape[0], shape[1]);
  free(map);
  return context;
}

// A distributed matrix; a context below 0 is that of a process outside the grid. Elements are 0
// without touching their memory, or a noise with a large diagonal.
static struct matrix matrix_of(int context, int rows, int columns, int block, int is_noise) {
  struct matrix matrix = {NULL, {0}, 0, 0};
  int shape[2], at[2], zero = 0, info = 0;
  if (context < 0) { matrix.desc[1] = -1; return matrix; }
  Cblacs_gridinfo(context, &shape[0], &shape[1], &at[0], &at[1]);
  matrix.rows = numroc_(&rows, &block, &at[0], &zero, &shape[0]);
  matrix.columns = numroc_(&columns, &block, &at[1], &zero, &shape[1]);
  int leading = matrix.rows > 1 ? matrix.rows : 1;
  descinit_(matrix.desc, &rows, &columns, &block, &block, &zero, &zero, &context, &leading, &info);
  size_t count = (size_t)leading * (size_t)(matrix.columns > 1 ? matrix.columns : 1);
  matrix.elements = calloc(count, sizeof(double));
  if (!matrix.elements || info != 0) fail("no memory for a matrix");
  unsigned long long state = 88172645463325252ULL + 977ULL * (unsigned)rank;
  for (size_t e = 0; is_noise && e < count; e++) {
    state ^= state << 13, state ^= state >> 7, state ^= state << 17;
    matrix.elements[e] = (double)(state >> 11) / 9007199254740992.0 - 0.5;
  }
  return matrix;
}

// Makes the diagonal of a square matrix positive, so that it stays so without computation.
static void make_definite(struct matrix *matrix, int context, int n, int block) {
  int shape[2], at[2];
  Cblacs_gridinfo(context, &shape[0], &shape[1], &at[0], &at[1]);
  for (int i = 0; i < n; i++) {
    int number = i / block;
    if (number % shape[0] != at[0] || number % shape[1] != at[1]) continue;
    long row = (long)(number / shape[0]) * block + i % block;
    long column = (long)(number / shape[1]) * block + i % block;
    matrix->elements[row + column * matrix->desc[8]] = 1e6;
  }
}

// The file of a trace of this rank, NULL without a name.
static FILE *trace_of(const char *name) {
  char own[256];
  snprintf(own, sizeof own, "%s.%d", name ? name : "", rank);
  FILE *file = name ? fopen(own, "w") : NULL;
  if (file) setvbuf(file, NULL, _IOLBF, 0);
  return file;
}

// Times a call; processes outside a grid have a context below 0.
static void run(const struct call *call, int context, int other, int all, const char *name) {
  const char *v = call->variant;
  char letters[4][2] = {{0}};
  for (int l = 0; l < 4 && v[l]; l++) letters[l][0] = (char)(v[l] - 32);
  int m = call->m, n = call->n, k = call->k, one = 1, info = 0, block = call->block;
  const double unit = 1;
  const char *routine = call->routine;
  int is_lu = strcmp(routine, "pdgetrf") == 0, is_copy = strcmp(routine, "pdgemr2d") == 0;
  int is_qr = strcmp(routine, "pdgeqrf") == 0;
  struct matrix a = {0}, b = {0}, c = {0};
  int *pivots = NULL;
  double *tau = NULL, *work = NULL, size = 0;
  int length = -1;
  if (strcmp(routine, "pdgemm") == 0) {
    a = matrix_of(context, v[0] == 't' ? k : m, v[0] == 't' ? m : k, block, 0);
    b = matrix_of(context, v[1] == 't' ? n : k, v[1] == 't' ? k : n, block, 0);
    c = matrix_of(context, m, n, block, 0);
  } else if (strcmp(routine, "pdtrsm") == 0) {
    a = matrix_of(context, v[0] == 'l' ? m : n, v[0] == 'l' ? m : n, block, 0);
    b = matrix_of(context, m, n, block, 0);
  } else if (strcmp(routine, "pdsyrk") == 0) {
    a = matrix_of(context, v[1] == 't' ? k : n, v[1] == 't' ? n : k, block, 0);
    c = matrix_of(context, n, n, block, 0);
  } else if (is_copy) {
    a = matrix_of(context, m, n, block, 0);
    b = matrix_of(other, m, n, block, 0);
  } else {
    a = matrix_of(context, is_lu || is_qr ? m : n, n, block, 1);
    if (is_lu) pivots = malloc(((size_t)a.rows + (size_t)block) * sizeof *pivots);
    else if (!is_qr && context >= 0) make_definite(&a, context, n, block);
  }
  if (is_qr && context >= 0) {
    tau = malloc(((size_t)a.columns + 1) * sizeof *tau);
    pdgeqrf_(&m, &n, a.elements, &one, &one, a.desc, tau, &size, &length, &info);
    length = (int)size;
    work = malloc(((size_t)length + 1) * sizeof *work);
  }
  FILE *trace = trace_of(name);
  int is_member = context >= 0 || (is_copy && all >= 0);
  sg_barrier_wait(barrier);
  // Nothing is in flight any more.
  sg_actor_sleep_for(0.01);
  trace_to(trace);
  double begin = MPI_Wtime();
  if (!is_member) { }
  else if (strcmp(routine, "pdgemm") == 0)
    pdgemm_(letters[0], letters[1], &m, &n, &k, &unit, a.elements, &one, &one, a.desc, b.elements,
            &one, &one, b.desc, &unit, c.elements, &one, &one, c.desc);
  else if (strcmp(routine, "pdtrsm") == 0)
    pdtrsm_(letters[0], letters[1], letters[2], "N", &m, &n, &unit, a.elements, &one, &one, a.desc,
            b.elements, &one, &one, b.desc);
  else if (strcmp(routine, "pdsyrk") == 0)
    pdsyrk_(letters[0], letters[1], &n, &k, &unit, a.elements, &one, &one, a.desc, &unit,
            c.elements, &one, &one, c.desc);
  else if (is_copy)
    Cpdgemr2d(m, n, a.elements, 1, 1, a.desc, b.elements, 1, 1, b.desc, all);
  else if (is_lu) pdgetrf_(&m, &n, a.elements, &one, &one, a.desc, pivots, &info);
  else if (is_qr)
    pdgeqrf_(&m, &n, a.elements, &one, &one, a.desc, tau, work, &length, &info);
  else if (strcmp(routine, "pdpotrf") == 0)
    pdpotrf_(letters[0], &n, a.elements, &one, &one, a.desc, &info);
  else fail("unknown routine");
  pass_pending();
  double took = MPI_Wtime() - begin, longest = 0;
  if (info != 0) fail("a routine returns an error");
  trace_to(NULL);
  if (trace) fclose(trace);
  MPI_Reduce(&took, &longest, 1, MPI_DOUBLE, MPI_MAX, 0, MPI_COMM_WORLD);
  if (rank == 0) {
    char numbers[3][16] = {"", "", ""}, to[32] = ",";
    int has_m = strcmp(routine, "pdsyrk") != 0 && strcmp(routine, "pdpotrf") != 0;
    int has_k = strcmp(routine, "pdsyrk") == 0 || strcmp(routine, "pdgemm") == 0;
    if (has_m) snprintf(numbers[0], sizeof numbers[0], "%d", m);
    snprintf(numbers[1], sizeof numbers[1], "%d", n);
    if (has_k) snprintf(numbers[2], sizeof numbers[2], "%d", k);
    if (is_copy) snprintf(to, sizeof to, "%d,%d", call->to[0], call->to[1]);
    printf("%s,%s,%s,%s,%s,%d,%d,%d,%s,0,0,%.9g\n", routine, v[0] == '-' ? "" : v, numbers[0],
           numbers[1], numbers[2], block, call->grid[0], call->grid[1], to, longest);
    fflush(stdout);
  }
  // Messages of ranks that have finished may still be on their way.
  sg_barrier_wait(barrier);
  void *const all_memory[] = {a.elements, b.elements, c.elements, pivots, tau, work};
  for (size_t i = 0; i < sizeof all_memory / sizeof *all_memory; i++) free(all_memory[i]);
}

int main(int argc, char **argv) {
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  if (argc < 3) fail("usage: driver LAWS CASES [TRACE]");
  read_laws(argv[1]);
  // All ranks are threads of one process; each has its own variables.
  if (rank == 0) barrier = sg_barrier_init((unsigned)ranks);
  MPI_Bcast(&barrier, 1, MPI_UNSIGNED_LONG, 0, MPI_COMM_WORLD);
  FILE *cases = fopen(argv[2], "r");
  if (!cases) fail("the cases cannot be read");
  struct call call;
  while (fscanf(cases, " %15[^,],%7[^,],%d,%d,%d,%d,%d,%d,%d,%d", call.routine, call.variant,
                &call.m, &call.n, &call.k, &call.block, &call.grid[0], &call.grid[1], &call.to[0],
                &call.to[1]) == 10) {
    int is_copy = strcmp(call.routine, "pdgemr2d") == 0, size = call.grid[0] * call.grid[1];
    int other = -1, all = -1, to_size = is_copy ? call.to[0] * call.to[1] : 0;
    if (size > ranks || to_size > ranks) fail("a grid is larger than the job");
    int context = grid_of(call.grid);
    if (is_copy) {
      int line[2] = {1, size > to_size ? size : to_size};
      other = grid_of(call.to);
      all = grid_of(line);
    }
    run(&call, context, other, all, argc > 3 ? argv[3] : NULL);
    if (all >= 0) Cblacs_gridexit(all);
    if (other >= 0) Cblacs_gridexit(other);
    if (context >= 0) Cblacs_gridexit(context);
  }
  fclose(cases);
  MPI_Finalize();
  return 0;
}
