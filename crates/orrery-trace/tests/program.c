// A program on 3 ranks whose calls are known: scripts/test-mpi traces it and compares the record. The first argument selects
// what it does. With LARGE_COUNTS it calls the functions with large counts of MPI 4 in place of the others.
#include <mpi.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#ifdef LARGE_COUNTS
typedef MPI_Count count;
typedef MPI_Aint displacement;
#define MPI_Send MPI_Send_c
#define MPI_Ssend MPI_Ssend_c
#define MPI_Bsend MPI_Bsend_c
#define MPI_Rsend MPI_Rsend_c
#define MPI_Recv MPI_Recv_c
#define MPI_Isend MPI_Isend_c
#define MPI_Issend MPI_Issend_c
#define MPI_Irecv MPI_Irecv_c
#define MPI_Sendrecv MPI_Sendrecv_c
#define MPI_Sendrecv_replace MPI_Sendrecv_replace_c
#define MPI_Mrecv MPI_Mrecv_c
#define MPI_Send_init MPI_Send_init_c
#define MPI_Recv_init MPI_Recv_init_c
#define MPI_Bcast MPI_Bcast_c
#define MPI_Reduce MPI_Reduce_c
#define MPI_Allreduce MPI_Allreduce_c
#define MPI_Gather MPI_Gather_c
#define MPI_Scatter MPI_Scatter_c
#define MPI_Allgather MPI_Allgather_c
#define MPI_Alltoall MPI_Alltoall_c
#define MPI_Scan MPI_Scan_c
#define MPI_Exscan MPI_Exscan_c
#define MPI_Gatherv MPI_Gatherv_c
#define MPI_Scatterv MPI_Scatterv_c
#define MPI_Allgatherv MPI_Allgatherv_c
#define MPI_Alltoallv MPI_Alltoallv_c
#define MPI_Alltoallw MPI_Alltoallw_c
#define MPI_Reduce_scatter MPI_Reduce_scatter_c
#define MPI_Reduce_scatter_block MPI_Reduce_scatter_block_c
#else
typedef int count, displacement;
#endif

static int rank;
static double data[4096], room[4096];

// All forms of messages between ranks 0 and 1.
static void point_to_point(void) {
  MPI_Request requests[4];
  MPI_Status status;
  int flag = 0, index, indices[4];
  MPI_Comm world = MPI_COMM_WORLD;
  char *copies = malloc(1 << 16);
  MPI_Buffer_attach(copies, 1 << 16);
  if (rank == 0) {
    MPI_Send(data, 1, MPI_DOUBLE, 1, 10, world);
    MPI_Ssend(data, 2, MPI_DOUBLE, 1, 11, world);
    MPI_Bsend(data, 3, MPI_DOUBLE, 1, 12, world);
    MPI_Recv(room, 1, MPI_INT, 1, 13, world, MPI_STATUS_IGNORE);
    MPI_Rsend(data, 4, MPI_DOUBLE, 1, 14, world);
    MPI_Isend(data, 5, MPI_DOUBLE, 1, 15, world, &requests[0]);
    MPI_Wait(&requests[0], MPI_STATUS_IGNORE);
    for (int k = 0; k < 4; k++) MPI_Isend(data, 6 + k, MPI_DOUBLE, 1, 16 + k, world, &requests[k]);
    MPI_Waitall(4, requests, MPI_STATUSES_IGNORE);
    MPI_Sendrecv(data, 1, MPI_INT, 1, 20, room, 2, MPI_INT, 1, 21, world, MPI_STATUS_IGNORE);
    MPI_Sendrecv_replace(data, 3, MPI_INT, 1, 22, MPI_ANY_SOURCE, MPI_ANY_TAG, world, MPI_STATUS_IGNORE);
    MPI_Send(data, 0, MPI_INT, MPI_PROC_NULL, 24, world);
    MPI_Recv(data, 0, MPI_INT, MPI_PROC_NULL, 24, world, &status);
    MPI_Issend(data, 1, MPI_INT, 1, 25, world, &requests[0]);
    while (!flag) MPI_Test(&requests[0], &flag, MPI_STATUS_IGNORE);
    MPI_Send(data, 1, MPI_INT, 1, 26, world);
    MPI_Send(data, 7, MPI_BYTE, 1, 27, world);
  } else if (rank == 1) {
    MPI_Recv(room, 1, MPI_DOUBLE, 0, 10, world, MPI_STATUS_IGNORE);
    MPI_Recv(room, 2, MPI_DOUBLE, MPI_ANY_SOURCE, 11, world, MPI_STATUS_IGNORE);
    MPI_Recv(room, 3, MPI_DOUBLE, 0, MPI_ANY_TAG, world, &status);
    MPI_Irecv(room, 4, MPI_DOUBLE, MPI_ANY_SOURCE, MPI_ANY_TAG, world, &requests[0]);
    MPI_Send(data, 1, MPI_INT, 0, 13, world);
    MPI_Wait(&requests[0], MPI_STATUS_IGNORE);
    MPI_Probe(MPI_ANY_SOURCE, 15, world, &status);
    MPI_Recv(room, 5, MPI_DOUBLE, status.MPI_SOURCE, 15, world, MPI_STATUS_IGNORE);
    for (int k = 0; k < 4; k++) MPI_Irecv(room, 6 + k, MPI_DOUBLE, k % 2 ? MPI_ANY_SOURCE : 0, 16 + k, world, &requests[k]);
    // One request is active in each of these calls, so that it is known which one is complete.
    MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
    MPI_Waitany(3, requests, &index, MPI_STATUS_IGNORE);
    MPI_Waitsome(4, requests, &flag, indices, MPI_STATUSES_IGNORE);
    MPI_Waitall(4, requests, MPI_STATUSES_IGNORE);
    flag = 0;
    MPI_Sendrecv(data, 2, MPI_INT, 0, 21, room, 1, MPI_INT, 0, 20, world, &status);
    MPI_Sendrecv_replace(data, 3, MPI_INT, 0, 23, 0, 22, world, MPI_STATUS_IGNORE);
    MPI_Recv(room, 1, MPI_INT, 0, 25, world, MPI_STATUS_IGNORE);
    while (!flag) MPI_Iprobe(0, 26, world, &flag, &status);
    MPI_Recv(room, 1, MPI_INT, 0, 26, world, MPI_STATUS_IGNORE);
    MPI_Message message;
    MPI_Mprobe(MPI_ANY_SOURCE, 27, world, &message, &status);
    MPI_Mrecv(room, 8, MPI_BYTE, &message, MPI_STATUS_IGNORE);
  }
  MPI_Buffer_detach(&copies, &flag);
  free(copies);
}

// Persistent requests between ranks 0 and 1, cancelled and freed ones.
static void persistent(void) {
  MPI_Request requests[2], request;
  int index, flag = 0;
  if (rank < 2) {
    MPI_Send_init(data, 10, MPI_INT, 1 - rank, 1, MPI_COMM_WORLD, &requests[0]);
    MPI_Recv_init(room, 10, MPI_INT, MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &requests[1]);
    for (int round = 0; round < 2; round++) {
      MPI_Startall(2, requests);
      MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
    }
    MPI_Start(&requests[0]);
    MPI_Wait(&requests[0], MPI_STATUS_IGNORE);
    MPI_Start(&requests[1]);
    while (!flag) MPI_Testany(2, requests, &index, &flag, MPI_STATUS_IGNORE);
    MPI_Request_free(&requests[0]);
    MPI_Request_free(&requests[1]);
  }
  MPI_Barrier(MPI_COMM_WORLD);
  MPI_Irecv(room, 1, MPI_INT, (rank + 1) % 3, 99, MPI_COMM_WORLD, &request);
  MPI_Cancel(&request);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  if (rank == 2) {
    MPI_Isend(data, 3, MPI_INT, 0, 5, MPI_COMM_WORLD, &request);
    MPI_Request_free(&request);
  } else if (rank == 0) {
    MPI_Recv(room, 3, MPI_INT, 2, 5, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  }
}

// Several communicators with equal tags, and derived datatypes.
static void communicators(void) {
  MPI_Comm twin, reversed, pair, grid;
  MPI_Comm_dup(MPI_COMM_WORLD, &twin);
  MPI_Comm_split(MPI_COMM_WORLD, 0, -rank, &reversed);
  MPI_Comm_split(MPI_COMM_WORLD, rank == 2 ? MPI_UNDEFINED : 0, 0, &pair);
  int size = 3, period = 1, peer, source;
  MPI_Cart_create(MPI_COMM_WORLD, 1, &size, &period, 0, &grid);
  MPI_Datatype column, pieces;
  MPI_Type_vector(4, 2, 8, MPI_DOUBLE, &column);
  MPI_Type_commit(&column);
  MPI_Type_contiguous(3, column, &pieces);
  MPI_Type_commit(&pieces);
  MPI_Request requests[2];
  if (rank == 0) {
    MPI_Isend(data, 1, column, 1, 7, MPI_COMM_WORLD, &requests[0]);
    MPI_Isend(data, 1, pieces, 1, 7, twin, &requests[1]);
    MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
  } else if (rank == 1) {
    MPI_Recv(room, 1, pieces, 0, 7, twin, MPI_STATUS_IGNORE);
    MPI_Recv(room, 1, column, 0, 7, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  }
  // Rank 0 of the reversed communicator is rank 2.
  if (rank == 2) MPI_Send(data, 4, MPI_INT, 2, 8, reversed);
  if (rank == 0) MPI_Recv(room, 4, MPI_INT, MPI_ANY_SOURCE, 8, reversed, MPI_STATUS_IGNORE);
  if (pair != MPI_COMM_NULL) {
    MPI_Bcast(data, 5, MPI_INT, 1, pair);
    MPI_Comm_free(&pair);
  }
  MPI_Cart_shift(grid, 0, 1, &source, &peer);
  MPI_Sendrecv(data, 6, MPI_INT, peer, 9, room, 6, MPI_INT, source, 9, grid, MPI_STATUS_IGNORE);
  // A communicator may be freed while a message is on its way.
  if (rank == 1) MPI_Irecv(room, 1, MPI_INT, MPI_ANY_SOURCE, MPI_ANY_TAG, twin, &requests[0]);
  MPI_Barrier(MPI_COMM_WORLD);
  if (rank == 2) MPI_Send(data, 1, MPI_INT, 1, 6, twin);
  MPI_Comm_free(&twin);
  if (rank == 1) MPI_Wait(&requests[0], MPI_STATUS_IGNORE);
  MPI_Comm_dup(reversed, &twin);
  MPI_Barrier(twin);
  MPI_Type_free(&column);
  MPI_Type_free(&pieces);
}

// Collective operations of all ranks.
static void collectives(void) {
  count ones[3] = {1, 2, 3}, equal[3] = {2, 2, 2};
  displacement offsets[3] = {0, 1, 3}, gaps[3] = {0, 2, 4};
  MPI_Datatype types[3] = {MPI_INT, MPI_DOUBLE, MPI_CHAR};
  displacement bytes[3] = {0, 64, 128};
  MPI_Comm world = MPI_COMM_WORLD;
  MPI_Barrier(world);
  MPI_Bcast(data, 100, MPI_DOUBLE, 1, world);
  MPI_Reduce(data, room, 10, MPI_DOUBLE, MPI_SUM, 2, world);
  MPI_Allreduce(MPI_IN_PLACE, room, 3, MPI_FLOAT, MPI_MAX, world);
  MPI_Gather(rank == 0 ? MPI_IN_PLACE : data, 4, MPI_INT, room, 4, MPI_INT, 0, world);
  MPI_Scatter(data, 5, MPI_INT, rank == 1 ? MPI_IN_PLACE : room, 5, MPI_INT, 1, world);
  MPI_Allgather(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, room, 6, MPI_INT, world);
  MPI_Alltoall(data, 7, MPI_INT, room, 7, MPI_INT, world);
  MPI_Scan(data, room, 8, MPI_INT, MPI_SUM, world);
  MPI_Exscan(data, room, 9, MPI_INT, MPI_SUM, world);
  MPI_Gatherv(data, rank + 1, MPI_INT, room, ones, offsets, MPI_INT, 1, world);
  MPI_Scatterv(data, ones, offsets, MPI_INT, room, rank + 1, MPI_INT, 2, world);
  MPI_Allgatherv(data, rank + 1, MPI_INT, room, ones, offsets, MPI_INT, world);
  MPI_Alltoallv(data, equal, gaps, MPI_INT, room, equal, gaps, MPI_INT, world);
  MPI_Alltoallv(MPI_IN_PLACE, NULL, NULL, MPI_DATATYPE_NULL, room, equal, gaps, MPI_DOUBLE, world);
  MPI_Alltoallw(data, equal, bytes, (MPI_Datatype[]){types[rank], types[rank], types[rank]}, room, equal, bytes, types, world);
  MPI_Reduce_scatter(data, room, ones, MPI_DOUBLE, MPI_SUM, world);
  MPI_Reduce_scatter_block(data, room, 2, MPI_DOUBLE, MPI_SUM, world);
}

// A message of more than 4 GiB, to no process.
static void large(void) {
  MPI_Datatype block, blocks;
  MPI_Type_contiguous(1 << 16, MPI_BYTE, &block);
  MPI_Type_contiguous(1 << 16, block, &blocks);
  MPI_Type_commit(&blocks);
  MPI_Send(data, 1, blocks, MPI_PROC_NULL, 1, MPI_COMM_WORLD);
#ifdef LARGE_COUNTS
  MPI_Send(data, (MPI_Count)1 << 33 | 5, MPI_BYTE, MPI_PROC_NULL, 1, MPI_COMM_WORLD);
#endif
  MPI_Type_free(&blocks);
  MPI_Type_free(&block);
}

#ifdef LARGE_COUNTS
// Functions of MPI 4 that no replay represents: partitioned and persistent ones, and an exchange with one request.
static void of_mpi_4(void) {
  MPI_Request requests[2], request;
  MPI_Psend_init(data, 2, 8, MPI_DOUBLE, (rank + 1) % 3, 1, MPI_COMM_WORLD, MPI_INFO_NULL, &requests[0]);
  MPI_Precv_init(room, 2, 8, MPI_DOUBLE, (rank + 2) % 3, 1, MPI_COMM_WORLD, MPI_INFO_NULL, &requests[1]);
  MPI_Startall(2, requests);
  MPI_Pready(0, requests[0]);
  MPI_Pready(1, requests[0]);
  MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
  MPI_Request_free(&requests[0]);
  MPI_Request_free(&requests[1]);
  MPI_Bcast_init(data, 5, MPI_INT, 0, MPI_COMM_WORLD, MPI_INFO_NULL, &request);
  MPI_Start(&request);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  MPI_Request_free(&request);
  MPI_Isendrecv(data, 1, MPI_INT, rank, 2, room, 1, MPI_INT, rank, 2, MPI_COMM_WORLD, &request);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
}

// A program that begins MPI with a session.
static int of_session(void) {
  MPI_Session session;
  MPI_Group group;
  MPI_Comm comm;
  MPI_Session_init(MPI_INFO_NULL, MPI_ERRORS_ARE_FATAL, &session);
  MPI_Group_from_session_pset(session, "mpi://WORLD", &group);
  MPI_Comm_create_from_group(group, "orrery", MPI_INFO_NULL, MPI_ERRORS_ARE_FATAL, &comm);
  MPI_Barrier(comm);
  MPI_Group_free(&group);
  MPI_Comm_free(&comm);
  MPI_Session_finalize(&session);
  return 0;
}
#endif

static void *send_to_self(void *argument) {
  MPI_Send(data, 1, MPI_INT, rank, 1, MPI_COMM_WORLD);
  return argument;
}

// This send ends after the receive has begun, in whatever order they are called.
static void *send_synchronously_to_self(void *argument) {
  MPI_Ssend(data, 1, MPI_INT, rank, 1, MPI_COMM_WORLD);
  return argument;
}

int main(int argc, char **argv) {
  const char *what = argc > 1 ? argv[1] : "";
  int provided = 0;
#ifdef LARGE_COUNTS
  if (strcmp(what, "session") == 0) return of_session();
#endif
  if (strcmp(what, "threads") == 0 || strcmp(what, "serial") == 0) {
    MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided);
  } else {
    MPI_Init(&argc, &argv);
  }
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  if (strcmp(what, "messages") == 0) point_to_point();
  if (strcmp(what, "persistent") == 0) persistent();
  if (strcmp(what, "communicators") == 0) communicators();
  if (strcmp(what, "collectives") == 0) collectives();
  if (strcmp(what, "large") == 0) large();
#ifdef LARGE_COUNTS
  if (strcmp(what, "mpi-4") == 0) of_mpi_4();
#endif
  // Ranks 0 and 1 wait for the last one within MPI_Finalize.
  if (strcmp(what, "late") == 0 && rank == 2) usleep(300000);
  if (strcmp(what, "serial") == 0) {
    // Threads that call one after the other.
    pthread_t thread;
    pthread_create(&thread, NULL, send_to_self, NULL);
    pthread_join(thread, NULL);
    MPI_Recv(room, 1, MPI_INT, rank, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  }
  if (strcmp(what, "threads") == 0) {
    // The send and the receive wait for each other.
    pthread_t thread;
    pthread_create(&thread, NULL, send_synchronously_to_self, NULL);
    MPI_Recv(room, 1, MPI_INT, rank, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    pthread_join(thread, NULL);
  }
  if (strcmp(what, "nonblocking") == 0) {
    MPI_Request request;
    int flag = 0;
    MPI_Ibarrier(MPI_COMM_WORLD, &request);
    while (!flag) MPI_Request_get_status(request, &flag, MPI_STATUS_IGNORE);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
  }
  if (strcmp(what, "window") == 0) {
    MPI_Win window;
    MPI_Win_create(room, sizeof room, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &window);
    MPI_Win_lock_all(0, window);
    MPI_Win_sync(window);
    MPI_Win_unlock_all(window);
    MPI_Win_fence(0, window);
    MPI_Put(data, 1, MPI_INT, (rank + 1) % 3, 0, 1, MPI_INT, window);
    MPI_Win_fence(0, window);
    MPI_Win_free(&window);
  }
  if (strcmp(what, "killed") == 0) {
    MPI_Barrier(MPI_COMM_WORLD);
    for (int k = 0; k < 1000; k++) {
      if (rank == 0) MPI_Send(data, 1, MPI_INT, 1, k, MPI_COMM_WORLD);
      if (rank == 1) MPI_Recv(room, 1, MPI_INT, 0, k, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    }
    MPI_Barrier(MPI_COMM_WORLD);
    if (rank == 1) raise(SIGKILL);
  }
  if (strcmp(what, "long") == 0) {
    for (int k = 0; k < 200000; k++) MPI_Sendrecv(data, 1, MPI_INT, rank, 1, room, 1, MPI_INT, rank, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  }
  if (strcmp(what, "exit") == 0) {
    MPI_Barrier(MPI_COMM_WORLD);
    _Exit(0);
  }
  if (strcmp(what, "abort") == 0) {
    if (rank == 0) MPI_Abort(MPI_COMM_WORLD, 3);
    /* Not into MPI_Finalize: there, the launcher of Open MPI 4.1.4 crashes or hangs in one abort of ten. */
    sleep(60);
  }
  MPI_Finalize();
  return 0;
}
