// Plays programs under SMPI: reads batches from the input, answers with times. See src/lines.rs and src/player.rs.
// usage: smpirun -no-privatize … smpi [BYTES]   (bytes that a host of 1 Gflop/s combines in a second)
// Ranks share all variables, so that rank 0 reads for all of them; barriers are those of the simulator and take no time.
#include <mpi.h>
#include <simgrid/actor.h>
#include <simgrid/barrier.h>
#include <simgrid/host.h>
#include "operations.h"

enum { MAX_RANKS = 256 };
static struct batch batch;
static sg_bar_t barrier;
static char *outgoing, *incoming;
static double begins[MAX_RANKS], ends[MAX_RANKS], sums[MAX_RANKS][TIMERS], combined_per_flop = 2;

static void check(int status) { if (status != MPI_SUCCESS) MPI_Abort(MPI_COMM_WORLD, 1); }

// Buffers that hold the largest message of the batch.
static void reserve(void) {
  static long reserved;
  long largest = 1;
  for (int r = 0; r < batch.ranks; r++)
    for (int o = 0; o < batch.programs[r].count; o++)
      if (batch.programs[r].operations[o].size > largest) largest = batch.programs[r].operations[o].size;
  if (largest <= reserved) return;
  reserved = largest;
  outgoing = realloc(outgoing, (size_t)largest);
  incoming = realloc(incoming, (size_t)largest);
  if (!outgoing || !incoming) MPI_Abort(MPI_COMM_WORLD, 1);
}

static void play(int rank) {
  const struct program *program = &batch.programs[rank];
  MPI_Request *requests = malloc(((size_t)batch.requests + 1) * sizeof *requests);
  for (int r = 0; r <= batch.requests; r++) requests[r] = MPI_REQUEST_NULL;
  double starts[TIMERS] = {0}, *sum = sums[rank];
  memset(sum, 0, sizeof sums[rank]);
  begins[rank] = MPI_Wtime();
  for (int o = 0; o < program->count; o++) {
    const struct operation *one = &program->operations[o];
    int size = (int)one->size, tag = one->tag, done;
    int peer = one->peer < 0 ? MPI_ANY_SOURCE : batch.programs[one->peer].processor;
    MPI_Request *request = &requests[one->request];
    switch (one->kind) {
      case SEND: check(MPI_Send(outgoing, size, MPI_CHAR, peer, tag, MPI_COMM_WORLD)); break;
      case RECEIVE: check(MPI_Recv(incoming, size, MPI_CHAR, peer, tag, MPI_COMM_WORLD, MPI_STATUS_IGNORE)); break;
      case POST_SEND: check(MPI_Isend(outgoing, size, MPI_CHAR, peer, tag, MPI_COMM_WORLD, request)); break;
      case POST_RECEIVE: check(MPI_Irecv(incoming, size, MPI_CHAR, peer, tag, MPI_COMM_WORLD, request)); break;
      case WAIT: check(MPI_Wait(request, MPI_STATUS_IGNORE)); break;
      case TEST: if (*request != MPI_REQUEST_NULL) check(MPI_Request_get_status(*request, &done, MPI_STATUS_IGNORE)); break;
      case SPIN: sg_actor_sleep_for(one->seconds); break;
      case COMBINE: smpi_execute_flops((double)one->size / combined_per_flop); break;
      case START: starts[one->request] = MPI_Wtime(); break;
      case STOP: sum[one->request] += MPI_Wtime() - starts[one->request]; break;
    }
  }
  check(MPI_Waitall(batch.requests + 1, requests, MPI_STATUSES_IGNORE));
  ends[rank] = MPI_Wtime();
  free(requests);
}

int main(int argc, char **argv) {
  int rank, ranks;
  check(MPI_Init(&argc, &argv));
  check(MPI_Comm_rank(MPI_COMM_WORLD, &rank));
  check(MPI_Comm_size(MPI_COMM_WORLD, &ranks));
  if (ranks > MAX_RANKS) { fprintf(stderr, "at most %d ranks\n", MAX_RANKS); MPI_Abort(MPI_COMM_WORLD, 2); }
  if (rank == 0) {
    if (argc > 1) combined_per_flop = atof(argv[1]) / 1e9;
    barrier = sg_barrier_init((unsigned)ranks);
  }
  check(MPI_Barrier(MPI_COMM_WORLD));
  for (;;) {
    static int more;
    if (rank == 0 && (more = read_batch(&batch))) reserve();
    sg_barrier_wait(barrier);
    if (!more) break;
    for (int r = 0; r < batch.ranks; r++)
      if (batch.programs[r].processor == rank) play(r);
    // Nothing is in flight any more when all ranks have ended and a while has passed.
    sg_barrier_wait(barrier);
    sg_actor_sleep_for(0.01);
    if (rank == 0) {
      for (int r = 0; r < batch.ranks; r++) print_times(begins[r], ends[r], sums[r]);
      fflush(stdout);
    }
    sg_barrier_wait(barrier);
  }
  check(MPI_Finalize());
  return 0;
}
