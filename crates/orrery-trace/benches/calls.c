// Prints the time of some calls in nanoseconds: scripts/bench-trace runs it with and without the tracer.
#include <mpi.h>
#include <stdio.h>

enum { CALLS = 200000, ROUNDS = 9 };

static char data[8], room[8];

static void probe(void) {
  int flag;
  MPI_Iprobe(MPI_ANY_SOURCE, 7, MPI_COMM_WORLD, &flag, MPI_STATUS_IGNORE);
}

static void exchange(void) {
  MPI_Sendrecv(data, 8, MPI_BYTE, 0, 1, room, 8, MPI_BYTE, 0, 1, MPI_COMM_SELF, MPI_STATUS_IGNORE);
}

// Three calls.
static void requests(void) {
  MPI_Request both[2];
  MPI_Irecv(room, 8, MPI_BYTE, MPI_ANY_SOURCE, 1, MPI_COMM_SELF, &both[0]);
  MPI_Isend(data, 8, MPI_BYTE, 0, 1, MPI_COMM_SELF, &both[1]);
  MPI_Waitall(2, both, MPI_STATUSES_IGNORE);
}

static void reduce(void) { MPI_Allreduce(data, room, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_SELF); }

// The time of the fastest round.
static void measure(const char *name, int calls, void (*run)(void)) {
  double fastest = 1e9;
  for (int round = 0; round < ROUNDS; round++) {
    double begin = MPI_Wtime();
    for (int call = 0; call < CALLS; call++) run();
    double time = (MPI_Wtime() - begin) / CALLS / calls;
    if (time < fastest) fastest = time;
  }
  printf("%-10s %7.1f ns\n", name, fastest * 1e9);
}

int main(int argc, char **argv) {
  MPI_Init(&argc, &argv);
  measure("iprobe", 1, probe);
  measure("sendrecv", 1, exchange);
  measure("requests", 3, requests);
  measure("allreduce", 1, reduce);
  MPI_Finalize();
  return 0;
}
