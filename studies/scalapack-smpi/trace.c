// A trace of the kernels and of the calls of MPI of each rank: a line for each with its begin, its
// end, its name and numbers. The calls come before those of SMPI in the link of the driver. The
// time of kernels on vectors passes before each of them.
#include <mpi.h>
#include "kernels.h"

static FILE *file;
static int depth;

void trace_to(FILE *to) { file = to; }

double trace_begin(void) { return file ? MPI_Wtime() : 0; }

void trace_kernel(double begin, const char *name, int m, int n, int k) {
  if (file) fprintf(file, "%.9f %.9f %s %d %d %d\n", begin, MPI_Wtime(), name, m, n, k);
}

static long bytes_of(int count, MPI_Datatype type) {
  int size = 0;
  PMPI_Type_size(type, &size);
  return (long)count * size;
}

static int world_rank(MPI_Comm comm, int rank) {
  MPI_Group group, world;
  int translated = -1;
  if (rank < 0) return -1;
  PMPI_Comm_group(comm, &group);
  PMPI_Comm_group(MPI_COMM_WORLD, &world);
  PMPI_Group_translate_ranks(group, 1, &rank, world, &translated);
  PMPI_Group_free(&group);
  PMPI_Group_free(&world);
  return translated;
}

// The number of a communicator's ranks for collective operations; 1 for messages.
static int group_of(MPI_Comm comm, int is_collective) {
  int ranks = 1;
  if (is_collective) PMPI_Comm_size(comm, &ranks);
  return ranks;
}

// Calls, then adds a line: name, peer or root, bytes, ranks.
#define TRACED(name, call, peer, bytes, comm, is_collective)                                     \
  do {                                                                                           \
    pass_pending();                                                                              \
    double begin = trace_begin();                                                                \
    depth++;                                                                                     \
    int result = call;                                                                           \
    depth--;                                                                                     \
    if (file && depth == 0)                                                                      \
      fprintf(file, "%.9f %.9f %s %d %ld %d\n", begin, MPI_Wtime(), name,                        \
              world_rank(comm, peer), bytes, group_of(comm, is_collective));                     \
    return result;                                                                               \
  } while (0)

int MPI_Send(const void *b, int n, MPI_Datatype t, int peer, int tag, MPI_Comm c) {
  TRACED("send", PMPI_Send(b, n, t, peer, tag, c), peer, bytes_of(n, t), c, 0);
}

int MPI_Isend(const void *b, int n, MPI_Datatype t, int peer, int tag, MPI_Comm c,
              MPI_Request *r) {
  TRACED("isend", PMPI_Isend(b, n, t, peer, tag, c, r), peer, bytes_of(n, t), c, 0);
}

int MPI_Irecv(void *b, int n, MPI_Datatype t, int peer, int tag, MPI_Comm c, MPI_Request *r) {
  TRACED("irecv", PMPI_Irecv(b, n, t, peer, tag, c, r), peer, bytes_of(n, t), c, 0);
}

int MPI_Recv(void *b, int n, MPI_Datatype t, int peer, int tag, MPI_Comm c, MPI_Status *s) {
  MPI_Status own, *used = s == MPI_STATUS_IGNORE ? &own : s;
  pass_pending();
  double begin = trace_begin();
  int result = PMPI_Recv(b, n, t, peer, tag, c, used), bytes = 0;
  if (file) {
    PMPI_Get_count(used, MPI_BYTE, &bytes);
    fprintf(file, "%.9f %.9f recv %d %d 1\n", begin, MPI_Wtime(),
            world_rank(c, used->MPI_SOURCE), bytes);
  }
  return result;
}

int MPI_Sendrecv(const void *b, int n, MPI_Datatype t, int to, int tag, void *b2, int n2,
                 MPI_Datatype t2, int from, int tag2, MPI_Comm c, MPI_Status *s) {
  TRACED("sendrecv", PMPI_Sendrecv(b, n, t, to, tag, b2, n2, t2, from, tag2, c, s), to,
         bytes_of(n, t), c, 0);
}

int MPI_Wait(MPI_Request *r, MPI_Status *s) {
  TRACED("wait", PMPI_Wait(r, s), -1, 0L, MPI_COMM_WORLD, 0);
}

int MPI_Waitall(int n, MPI_Request *r, MPI_Status *s) {
  TRACED("waitall", PMPI_Waitall(n, r, s), -1, 0L, MPI_COMM_WORLD, 0);
}

int MPI_Testall(int n, MPI_Request *r, int *flag, MPI_Status *s) {
  TRACED("testall", PMPI_Testall(n, r, flag, s), -1, 0L, MPI_COMM_WORLD, 0);
}

int MPI_Bcast(void *b, int n, MPI_Datatype t, int root, MPI_Comm c) {
  TRACED("bcast", PMPI_Bcast(b, n, t, root, c), root, bytes_of(n, t), c, 1);
}

int MPI_Reduce(const void *b, void *r, int n, MPI_Datatype t, MPI_Op op, int root, MPI_Comm c) {
  TRACED("reduce", PMPI_Reduce(b, r, n, t, op, root, c), root, bytes_of(n, t), c, 1);
}

int MPI_Allreduce(const void *b, void *r, int n, MPI_Datatype t, MPI_Op op, MPI_Comm c) {
  TRACED("allreduce", PMPI_Allreduce(b, r, n, t, op, c), -1, bytes_of(n, t), c, 1);
}
