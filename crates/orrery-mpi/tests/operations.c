/* Calls every collective operation of an intracommunicator, in plain and other forms, and checks what arrives. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int rank, ranks, count;
static int *own, *found;
static int *counts, *places;

/* Ends the program unless elements of the answer have this form. */
static void check(const char *what, const int *values, int length, int (*expected)(int))
{
    for (int i = 0; i < length; i++)
        if (values[i] != expected(i)) {
            fprintf(stderr, "%s of %d: element %d on rank %d is %d and not %d\n", what, count, i, rank, values[i], expected(i));
            MPI_Abort(MPI_COMM_WORLD, 1);
        }
}

static int of_root(int i) { return 1000 * (ranks - 1) + i; }
static int of_own_block(int i) { return 1000 * (ranks - 1) + rank * count + i; }
static int of_all(int i) { return 1000 * (i / count) + i % count; }
static int of_exchange(int i) { return 1000 * (i / count) + rank * count + i % count; }
static int sum(int i) { return 1000 * (ranks * (ranks - 1) / 2) + ranks * i; }
static int sum_of_block(int i) { return sum(rank * count + i); }
static int sum_up_to(int i) { return 1000 * (rank * (rank + 1) / 2) + (rank + 1) * i; }
static int sum_below(int i) { return 1000 * (rank * (rank - 1) / 2) + rank * i; }

static void add(void *in, void *inout, int *length, MPI_Datatype *type)
{
    (void)type;
    for (int i = 0; i < *length; i++)
        ((int *)inout)[i] += ((int *)in)[i];
}

/* The vector of this rank: 1000 times the rank, and the place. */
static void fill(int length)
{
    for (int i = 0; i < length; i++)
        own[i] = 1000 * rank + i;
    memset(found, 0xff, sizeof *found * (size_t)(ranks * count));
}

static void operations(MPI_Comm comm, MPI_Op op)
{
    const int root = ranks - 1, total = ranks * count;
    fill(total);
    if (rank == root)
        memcpy(found, own, sizeof *found * (size_t)count);
    MPI_Bcast(found, count, MPI_INT, root, comm);
    check("bcast", found, count, of_root);
    fill(total);
    MPI_Scatter(own, count, MPI_INT, found, count, MPI_INT, root, comm);
    check("scatter", found, count, of_own_block);
    fill(total);
    MPI_Scatterv(own, counts, places, MPI_INT, found, count, MPI_INT, root, comm);
    check("scatterv", found, count, of_own_block);
    fill(total);
    MPI_Gather(own, count, MPI_INT, found, count, MPI_INT, root, comm);
    if (rank == root)
        check("gather", found, total, of_all);
    fill(total);
    MPI_Gatherv(own, count, MPI_INT, found, counts, places, MPI_INT, root, comm);
    if (rank == root)
        check("gatherv", found, total, of_all);
    fill(total);
    MPI_Allgather(own, count, MPI_INT, found, count, MPI_INT, comm);
    check("allgather", found, total, of_all);
    memcpy(found + rank * count, own, sizeof *found * (size_t)count);
    MPI_Allgather(MPI_IN_PLACE, 0, MPI_INT, found, count, MPI_INT, comm);
    check("allgather in place", found, total, of_all);
    fill(total);
    MPI_Allgatherv(own, count, MPI_INT, found, counts, places, MPI_INT, comm);
    check("allgatherv", found, total, of_all);
    fill(total);
    MPI_Alltoall(own, count, MPI_INT, found, count, MPI_INT, comm);
    check("alltoall", found, total, of_exchange);
    memcpy(found, own, sizeof *found * (size_t)total);
    MPI_Alltoall(MPI_IN_PLACE, 0, MPI_INT, found, count, MPI_INT, comm);
    check("alltoall in place", found, total, of_exchange);
    fill(total);
    MPI_Alltoallv(own, counts, places, MPI_INT, found, counts, places, MPI_INT, comm);
    check("alltoallv", found, total, of_exchange);
    fill(count);
    MPI_Reduce(own, found, count, MPI_INT, op, root, comm);
    if (rank == root)
        check("reduce", found, count, sum);
    fill(count);
    MPI_Allreduce(own, found, count, MPI_INT, op, comm);
    check("allreduce", found, count, sum);
    memcpy(found, own, sizeof *found * (size_t)count);
    MPI_Allreduce(MPI_IN_PLACE, found, count, MPI_INT, op, comm);
    check("allreduce in place", found, count, sum);
    fill(total);
    MPI_Reduce_scatter(own, found, counts, MPI_INT, op, comm);
    check("reduce_scatter", found, count, sum_of_block);
    fill(total);
    MPI_Reduce_scatter_block(own, found, count, MPI_INT, op, comm);
    check("reduce_scatter_block", found, count, sum_of_block);
    fill(count);
    MPI_Scan(own, found, count, MPI_INT, op, comm);
    check("scan", found, count, sum_up_to);
    fill(count);
    MPI_Exscan(own, found, count, MPI_INT, op, comm);
    if (rank > 0)
        check("exscan", found, count, sum_below);
    MPI_Barrier(comm);

    MPI_Request request;
    fill(total);
    MPI_Iallgather(own, count, MPI_INT, found, count, MPI_INT, comm, &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    check("iallgather", found, total, of_all);
    fill(count);
    MPI_Iallreduce(own, found, count, MPI_INT, op, comm, &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    check("iallreduce", found, count, sum);
    MPI_Ibarrier(comm, &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
}

int main(int argument_count, char **arguments)
{
    MPI_Init(&argument_count, &arguments);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    MPI_Op own_sum;
    MPI_Op_create(add, 0, &own_sum);
    const int sizes[] = {1, 3, 64, 1024, 16384, 100000};
    counts = malloc(sizeof *counts * (size_t)ranks);
    places = malloc(sizeof *places * (size_t)ranks);
    for (size_t size = 0; size < sizeof sizes / sizeof *sizes; size++) {
        count = sizes[size];
        for (int i = 0; i < ranks; i++) {
            counts[i] = count;
            places[i] = i * count;
        }
        own = malloc(sizeof *own * (size_t)(ranks * count));
        found = malloc(sizeof *found * (size_t)(ranks * count));
        operations(MPI_COMM_WORLD, MPI_SUM);
        operations(MPI_COMM_WORLD, own_sum);
        free(own);
        free(found);
    }
    if (rank == 0)
        printf("all operations on %d ranks have their results\n", ranks);
    MPI_Op_free(&own_sum);
    MPI_Finalize();
    free(counts);
    free(places);
    return 0;
}
