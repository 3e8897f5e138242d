/* The rival of the MPI machine: round trips between two ranks as everybody writes them, in a program with MPI_Init.
 *
 * usage: pingpong SIZE REPETITIONS [SIZE REPETITIONS ...]
 *
 * For each size rank 0 prints the size and the median time in seconds. Each repetition is timed by itself, as the machine
 * does. */

#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { WARM_UP = 100 };

static double now(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

static void *pages(size_t size)
{
    void *memory = NULL;
    if (posix_memalign(&memory, 4096, size)) MPI_Abort(MPI_COMM_WORLD, 1);
    memset(memory, 1, size);
    return memory;
}

static int compare(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* Returns the median time of a round trip. */
static double round_trip(int rank, int size, int repetitions)
{
    char *out = pages((size_t)size), *back = pages((size_t)size);
    double *seconds = pages((size_t)repetitions * sizeof *seconds);
    for (int repetition = -WARM_UP; repetition < repetitions; repetition++) {
        double begin = now();
        if (rank == 0) {
            MPI_Send(out, size, MPI_BYTE, 1, 0, MPI_COMM_WORLD);
            MPI_Recv(back, size, MPI_BYTE, 1, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        } else {
            MPI_Recv(back, size, MPI_BYTE, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
            MPI_Send(out, size, MPI_BYTE, 0, 0, MPI_COMM_WORLD);
        }
        double end = now();
        if (repetition >= 0) seconds[repetition] = end - begin;
    }
    qsort(seconds, (size_t)repetitions, sizeof *seconds, compare);
    double median = seconds[repetitions / 2];
    free(out);
    free(back);
    free(seconds);
    return median;
}

int main(int count, char **arguments)
{
    int rank;
    MPI_Init(&count, &arguments);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    for (int place = 1; place + 1 < count; place += 2) {
        int size = atoi(arguments[place]);
        double median = round_trip(rank, size, atoi(arguments[place + 1]));
        if (rank == 0) printf("%d %.9f\n", size, median);
    }
    MPI_Finalize();
    return 0;
}
