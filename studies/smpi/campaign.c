// Measures a simulated cluster as `orrery measure comm` and `measure collectives` do, under SMPI, and prints samples.
// usage: smpirun … campaign SIZES ROOTS   (sizes in bytes separated by commas; every ROOTS-th rank is a root)
// Times are those of SMPI's clock, which all ranks share, so that one repetition of each experiment suffices.
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { MAX_SIZES = 64, MAX_RANKS = 256 };
static int rank, ranks;
static char *buffer, *incoming;

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
  printf("%s,%s,%s,%s,%s,%d,%s,,,,,0,0,%.12g\n", experiment, words[0], words[1], words[2], of_procs, size, of_reply, seconds);
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

static void two_to_one(int i, int j, int k, int size) {
  double begin = start();
  if (rank == i) { send_to(j, 0); send_to(k, 0); receive_from(j, size); receive_from(k, size); }
  if (rank == j || rank == k) { receive_from(i, 0); send_to(i, size); }
  if (rank == i) print("two-to-one", i, j, k, 0, size, -1, MPI_Wtime() - begin);
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

// Pairs of ranks that exchange messages at the same time: both send, then the higher rank answers; read at the lower rank.
// The number of a set is the hash FNV-1a of its pairs, 0 for one pair.
static void exchanges(int pairs[][2], int count, int size) {
  unsigned hash = 0x811c9dc5u;
  for (int p = 0; p < count; p++)
    for (int e = 0; e < 2; e++)
      for (int byte = 0; byte < 4; byte++) hash = (hash ^ ((unsigned)pairs[p][e] >> 8 * byte & 0xff)) * 0x01000193u;
  if (count == 1) hash = 0; else if (hash == 0) hash = 1;
  double begin = start();
  for (int p = 0; p < count; p++) {
    if (rank != pairs[p][0] && rank != pairs[p][1]) continue;
    int is_read = rank == pairs[p][0], peer = pairs[p][is_read];
    MPI_Request requests[2];
    check(MPI_Irecv(incoming, size, MPI_CHAR, peer, 0, MPI_COMM_WORLD, &requests[0]));
    check(MPI_Isend(buffer, size, MPI_CHAR, peer, 0, MPI_COMM_WORLD, &requests[1]));
    check(MPI_Waitall(2, requests, MPI_STATUSES_IGNORE));
    if (is_read) receive_from(peer, 0); else send_to(peer, 0);
    if (is_read)
      printf("exchanges,%d,%d,,,%d,,,%d,,%u,0,0,%.12g\n", rank, peer, size, count, hash, MPI_Wtime() - begin);
  }
}

static int by_ranks(const void *a, const void *b) {
  const int *x = a, *y = b;
  return x[0] != y[0] ? x[0] - y[0] : x[1] - y[1];
}

// The rounds of a tournament in which every rank of each block of `block` consecutive ranks meets all others of it.
static void tournament(int block, int size) {
  for (int round = 0; round < block - 1; round++) {
    int pairs[MAX_RANKS][2], count = 0;
    for (int first = 0; first + block <= ranks; first += block)
      for (int place = 0; place < block / 2; place++) {
        int last = block - 1, a = place == 0 ? last : (round + place) % last, b = (round + last - place) % last;
        pairs[count][0] = first + (a < b ? a : b);
        pairs[count++][1] = first + (a < b ? b : a);
      }
    qsort(pairs, count, sizeof *pairs, by_ranks);
    exchanges(pairs, count, size);
    for (int p = 0; p < count && block == ranks; p++) exchanges(&pairs[p], 1, size);
  }
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
  incoming = calloc((size_t)largest + 1, 1);
  if (ranks > MAX_RANKS) { fprintf(stderr, "at most %d ranks\n", MAX_RANKS); MPI_Abort(MPI_COMM_WORLD, 2); }
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
  for (int i = 0; i < ranks; i++)
    for (int d = 1; d <= 5; d += 2)
      two_to_one(i, (i + d) % ranks, (i + d + 1) % ranks, largest);
  for (int block = ranks; block >= 4 && block % 2 == 0; block /= 2) tournament(block, largest);
  for (int root = 0; root < ranks; root += step)
    for (int s = 0; s < count; s++)
      if (sizes[s] > 0) { collective(0, root, sizes[s]); collective(1, root, sizes[s]); }
  free(incoming);
  free(buffer);
  check(MPI_Finalize());
  return 0;
}
