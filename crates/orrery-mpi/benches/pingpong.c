/* The rival of the MPI machine: a round trip as everybody writes it, between ranks 0 and 1.
 *
 * Each repetition is timed by itself, as the machine does. */

#include <mpi.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static double now(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

/* Writes the times of `repetitions` round trips of `size` bytes at rank 0; returns the first error code of MPI. */
int orrery_pingpong(int size, int warm_up, int repetitions, double *seconds)
{
    static MPI_Comm comm = MPI_COMM_NULL;
    static char *out, *back;
    static int room, rank;
    int code = MPI_SUCCESS;

    if (comm == MPI_COMM_NULL) {
        if ((code = MPI_Comm_dup(MPI_COMM_WORLD, &comm)) != MPI_SUCCESS) return code;
        if ((code = MPI_Comm_rank(comm, &rank)) != MPI_SUCCESS) return code;
    }
    if (size > room) {
        free(out);
        free(back);
        room = size;
        if (posix_memalign((void **)&out, 4096, (size_t)room)) return MPI_ERR_NO_MEM;
        if (posix_memalign((void **)&back, 4096, (size_t)room)) return MPI_ERR_NO_MEM;
        memset(out, 1, (size_t)room);
        memset(back, 1, (size_t)room);
    }
    if (rank > 1) return code;
    for (int repetition = -warm_up; repetition < repetitions && code == MPI_SUCCESS; repetition++) {
        double begin = now();
        if (rank == 0) {
            MPI_Send(out, size, MPI_BYTE, 1, 0, comm);
            code = MPI_Recv(back, size, MPI_BYTE, 1, 0, comm, MPI_STATUS_IGNORE);
        } else {
            code = MPI_Recv(back, size, MPI_BYTE, 0, 0, comm, MPI_STATUS_IGNORE);
            MPI_Send(out, size, MPI_BYTE, 0, 0, comm);
        }
        double end = now();
        if (repetition >= 0) seconds[repetition] = end - begin;
    }
    return code;
}
