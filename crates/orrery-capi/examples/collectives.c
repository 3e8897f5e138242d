/* Compares scatter, gather, bcast and reduce by the algorithms of an estimated model with those of the MPI library.
 *
 * Prints a line for each operation and size: the medians of the times in microseconds, each the longest of the ranks.
 */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "orrery_mpi.h"

enum { SMALLEST = 1 << 10, LARGEST = 1 << 20, MAX_REPETITIONS = 31 };

static int rank, size;
static char *all, *one;

static void check(orrery_status status)
{
    if (status != ORRERY_OK) {
        fprintf(stderr, "rank %d: %s\n", rank, orrery_error());
        MPI_Abort(MPI_COMM_WORLD, 1);
    }
}

static void by_model(const char *operation, int bytes, orrery_model model)
{
    if (strcmp(operation, "scatter") == 0)
        check(orrery_scatter(all, bytes, MPI_BYTE, one, bytes, MPI_BYTE, 0, MPI_COMM_WORLD, model));
    else if (strcmp(operation, "gather") == 0)
        check(orrery_gather(one, bytes, MPI_BYTE, all, bytes, MPI_BYTE, 0, MPI_COMM_WORLD, model));
    else if (strcmp(operation, "bcast") == 0)
        check(orrery_bcast(one, bytes, MPI_BYTE, 0, MPI_COMM_WORLD, model));
    else
        check(orrery_reduce(one, all, bytes / 8, MPI_INT64_T, MPI_SUM, 0, MPI_COMM_WORLD, model));
}

static void by_library(const char *operation, int bytes)
{
    if (strcmp(operation, "scatter") == 0)
        MPI_Scatter(all, bytes, MPI_BYTE, one, bytes, MPI_BYTE, 0, MPI_COMM_WORLD);
    else if (strcmp(operation, "gather") == 0)
        MPI_Gather(one, bytes, MPI_BYTE, all, bytes, MPI_BYTE, 0, MPI_COMM_WORLD);
    else if (strcmp(operation, "bcast") == 0)
        MPI_Bcast(one, bytes, MPI_BYTE, 0, MPI_COMM_WORLD);
    else
        MPI_Reduce(one, all, bytes / 8, MPI_INT64_T, MPI_SUM, 0, MPI_COMM_WORLD);
}

static int compare(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

int main(int count, char **arguments)
{
    MPI_Init(&count, &arguments);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    int repetitions = count > 3 ? atoi(arguments[3]) : 0;
    if (repetitions < 1 || repetitions > MAX_REPETITIONS) {
        if (rank == 0)
            fprintf(stderr, "usage: collectives FILE KINDS REPETITIONS OPERATION...\n"
                            "FILE has a model; if there is none, models of these kinds are estimated and written to it.\n");
        MPI_Abort(MPI_COMM_WORLD, 2);
    }
    all = calloc(size, LARGEST);
    one = calloc(1, LARGEST);
    orrery_model model;
    if (orrery_model_read(arguments[1], &model) != ORRERY_OK) {
        double begin = MPI_Wtime();
        check(orrery_estimate(MPI_COMM_WORLD, arguments[2], NULL, &model));
        if (rank == 0) {
            fprintf(stderr, "%s estimated in %.2f s\n", arguments[2], MPI_Wtime() - begin);
            check(orrery_model_write(model, arguments[1]));
        }
    }
    for (int place = 4; place < count; place++) {
        for (int bytes = SMALLEST; bytes <= LARGEST; bytes *= 4) {
            double times[2][MAX_REPETITIONS];
            for (int repetition = -1; repetition < repetitions; repetition++) {
                for (int turn = 0; turn < 2; turn++) {
                    int is_library = (turn + repetition) & 1;
                    MPI_Barrier(MPI_COMM_WORLD);
                    double begin = MPI_Wtime();
                    if (is_library)
                        by_library(arguments[place], bytes);
                    else
                        by_model(arguments[place], bytes, model);
                    double time = MPI_Wtime() - begin, longest;
                    MPI_Allreduce(&time, &longest, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
                    /* The first call chooses, and opens connections. */
                    if (repetition >= 0)
                        times[is_library][repetition] = 1e6 * longest;
                }
            }
            for (int which = 0; which < 2; which++)
                qsort(times[which], repetitions, sizeof(double), compare);
            if (rank == 0) {
                printf("%s %d %.1f %.1f\n", arguments[place], bytes, times[0][repetitions / 2], times[1][repetitions / 2]);
                fflush(stdout);
            }
        }
    }
    check(orrery_model_free(model));
    free(all);
    free(one);
    MPI_Finalize();
    return 0;
}
