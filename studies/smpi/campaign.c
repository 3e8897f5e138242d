// Measures a simulated cluster as `orrery measure comm` and `measure collectives` do, under SMPI, and prints samples.
// usage: smpirun … campaign SIZES ROOTS   (sizes in bytes separated by commas; every ROOTS-th rank is a root)
// Times are those of SMPI's clock, which all ranks share, so that one repetition of each experiment suffices.
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { MAX_SIZES = 64 };
static int rank, ranks;
static char *buffer;

static void check(int status) { if (status != MPI_SUCCESS) MPI_Abort(MPI_COMM_WORLD, 1); }
static void send_to(int to, int size) { check(MPI_Send(buffer, size, MPI_CHAR, to, 0, MPI_COMM_WORLD)); }
static void receive_from(int from, int size) {
  check(MPI_Recv(buffer, size, MPI_CHAR, from, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE));
}

// Waits until all ranks have arrived, then until a common time; returns that time.
static double start(void) {
  check(MPI_Barrier(MPI_COMM_WORLD));
  double now = MPI_Wtime(), begin;
  check(MPI_Allreduce(&now, &begin, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD));
  begin += 0.01;
  usleep((useconds_t)((begin - MPI_Wtime()) * 1e6 + 0.5));
  return MPI_Wtime();
}

static void print(const char *experiment, int i, int j, int k, int procs, int size, int reply, double seconds) {
  char words[3][16] = {"", "", ""};
  int numbers[3] = {i, j, k};
  for (int w = 0; w < 3; w++) if (numbers[w] >= 0) snprintf(words[w], sizeof words[w], "%d", numbers[w]);
  char of_procs[16] = "", of_reply[16] = "";
  if (procs > 0) snprintf(of_procs, sizeof of_procs, "%d", procs);
  if (reply >= 0) snprintf(of_reply, sizeof of_reply, "%d", reply);
  printf("%s,%s,%s,%s,%s,%d,%s,,,,0,0,%.12g\n", experiment, words[0], words[1], words[2], of_procs, size, of_reply, seconds);
}

static void round_trip(int i, int j, int size, int reply) {
  double begin = start();
  if (rank == i) { send_to(j, size); receive_from(j, reply); }
  if (rank == j) { receive_from(i, size); send_to(i, reply); }
  if (rank == i) print("roundtrip", i, j, -1, 0, size, reply, MPI_Wtime() - begin);
}

static void one_to_two(int i, int j, int k, int size) {
  double begin = start();
  if (rank == i) { send_to(j, size); send_to(k, size); receive_from(j, 0); receive_from(k, 0); }
  if (rank == j || rank == k) { receive_from(i, size); send_to(i, 0); }
  if (rank == i) print("one-to-two", i, j, k, 0, size, 0, MPI_Wtime() - begin);
}

// A linear scatter or gather, from the common start to the end of the last rank.
static void collective(int is_gather, int root, int size) {
  double begin = start();
  for (int r = 0; r < ranks; r++) {
    if (r == root) continue;
    if (rank == root) { if (is_gather) receive_from(r, size); else send_to(r, size); }
    if (rank == r) { if (is_gather) send_to(root, size); else receive_from(root, size); }
  }
  double took = MPI_Wtime() - begin, last;
  check(MPI_Reduce(&took, &last, 1, MPI_DOUBLE, MPI_MAX, 0, MPI_COMM_WORLD));
  if (rank == 0) print(is_gather ? "gather/linear" : "scatter/linear", root, -1, -1, ranks, size, -1, last);
}

int main(int argc, char **argv) {
  check(MPI_Init(&argc, &argv));
  check(MPI_Comm_rank(MPI_COMM_WORLD, &rank));
  check(MPI_Comm_size(MPI_COMM_WORLD, &ranks));
  if (argc != 3) { fprintf(stderr, "usage: campaign SIZES ROOTS\n"); MPI_Abort(MPI_COMM_WORLD, 2); }
  int sizes[MAX_SIZES], count = 0, largest = 0, step = atoi(argv[2]);
  for (char *word = strtok(argv[1], ","); word && count < MAX_SIZES; word = strtok(NULL, ",")) sizes[count++] = atoi(word);
  for (int s = 0; s < count; s++) if (sizes[s] > largest) largest = sizes[s];
  buffer = calloc((size_t)largest + 1, 1);
  for (int i = 0; i < ranks; i++)
    for (int j = i + 1; j < ranks; j++)
      for (int s = 0; s < count; s++) {
        round_trip(i, j, sizes[s], sizes[s]);
        if (sizes[s] == largest) round_trip(i, j, sizes[s], 0);
      }
  // Each rank with pairs of its next partners.
  for (int i = 0; i < ranks; i++)
    for (int d = 1; d <= 4; d++)
      for (int e = d + 1; e <= 5; e++)
        for (int s = 0; s < count; s++) one_to_two(i, (i + d) % ranks, (i + e) % ranks, sizes[s]);
  for (int root = 0; root < ranks; root += step)
    for (int s = 0; s < count; s++)
      if (sizes[s] > 0) { collective(0, root, sizes[s]); collective(1, root, sizes[s]); }
  free(buffer);
  check(MPI_Finalize());
  return 0;
}
