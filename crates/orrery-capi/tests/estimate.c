/* Estimates models on two communicators of a running MPI program; scripts/test-mpi starts it on four ranks. */
#include <math.h>
#include <mpi.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "orrery_mpi.h"

/* Ends the program unless a condition holds: assert is not for calls that are needed. */
#define NEED(condition)                                                                          \
    do {                                                                                         \
        if (!(condition)) {                                                                      \
            fprintf(stderr, "%s:%d: %s: %s\n", __FILE__, __LINE__, #condition, orrery_error());  \
            MPI_Abort(MPI_COMM_WORLD, 1);                                                        \
        }                                                                                        \
    } while (0)

/* Collective operations by the algorithms of a model, on the world and on a part of it. */
static void collectives(orrery_model model, int rank, int size)
{
    enum { COUNT = 3000 };
    static int all[4 * COUNT], one[COUNT], back[4 * COUNT];
    MPI_Comm pair;
    MPI_Comm_split(MPI_COMM_WORLD, rank / 2, -rank, &pair);
    for (int count = 1; count <= COUNT; count *= 5) {
        for (int root = 0; root < size; root++) {
            for (int i = 0; i < size * count; i++) {
                all[i] = rank == root ? 7 * i + count : -1;
                back[i] = -1;
            }
            NEED(orrery_scatter(all, count, MPI_INT, rank == root ? MPI_IN_PLACE : one, count, MPI_INT, root,
                                MPI_COMM_WORLD, model) == ORRERY_OK);
            for (int i = 0; rank != root && i < count; i++)
                NEED(one[i] == 7 * (rank * count + i) + count);
            if (rank == root)
                memcpy(one, all + rank * count, count * sizeof *one);
            NEED(orrery_gather(one, count, MPI_INT, back, count, MPI_INT, root, MPI_COMM_WORLD, model) == ORRERY_OK);
            NEED(rank != root || memcmp(all, back, size * count * sizeof *all) == 0);
            NEED(orrery_bcast(all, size * count, MPI_INT, root, MPI_COMM_WORLD, model) == ORRERY_OK);
            NEED(all[size * count - 1] == 7 * (size * count - 1) + count);
            NEED(orrery_reduce(all, back, count, MPI_INT, MPI_SUM, root, MPI_COMM_WORLD, model) == ORRERY_OK);
            NEED(rank != root || back[count - 1] == size * (7 * (count - 1) + count));
        }
        int mine = rank, sum;
        NEED(orrery_reduce(&mine, &sum, 1, MPI_INT, MPI_SUM, 1, pair, model) == ORRERY_OK);
        NEED(rank % 2 != 0 || sum == 2 * rank + 1);
    }
    /* All ranks are told what is wrong. */
    orrery_model none = {0};
    NEED(orrery_bcast(all, 1, MPI_INT, 0, MPI_COMM_WORLD, none) == ORRERY_HANDLE);
    NEED(orrery_bcast(all, 1, MPI_INT, size, MPI_COMM_WORLD, model) == ORRERY_MODEL && strstr(orrery_error(), "the root is 4"));
    /* A model of two processors, and a communicator of four ranks: rank 0 cannot choose, and says so to all. */
    double delay[2] = {1e-6, 1e-6}, latency = 1e-6, byte_delay = 1e-9;
    NEED(orrery_model_of_lmo(2, delay, delay, &latency, &byte_delay, &none) == ORRERY_OK);
    NEED(orrery_bcast(all, 1, MPI_INT, 0, MPI_COMM_WORLD, none) == ORRERY_MODEL && strstr(orrery_error(), "2 processors"));
    NEED(orrery_bcast(all, 1, MPI_INT, 0, pair, none) == ORRERY_OK);
    NEED(orrery_model_free(none) == ORRERY_OK);
    MPI_Comm_free(&pair);
}

int main(int count, char **arguments)
{
    orrery_model lmo, others;
    size_t processors, needed;
    char kinds[128];
    orrery_estimation options = orrery_estimation_options();

    /* Before MPI is initialised, and after. */
    NEED(orrery_lmo_estimate(MPI_COMM_WORLD, NULL, &lmo) == ORRERY_MODEL && strstr(orrery_error(), "not initialised"));
    MPI_Init(&count, &arguments);
    int rank, size;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    NEED(size == 4);

    /* Wrong calls are answered on all ranks, and leave MPI usable. */
    NEED(orrery_lmo_estimate(MPI_COMM_WORLD, NULL, NULL) == ORRERY_NULL);
    NEED(orrery_estimate(MPI_COMM_WORLD, "no-such", NULL, &lmo) == ORRERY_ARGUMENT);
    options.precision = -1;
    NEED(orrery_lmo_estimate(MPI_COMM_WORLD, &options, &lmo) == ORRERY_ARGUMENT);
    options = orrery_estimation_options();
    NEED(orrery_lmo_estimate(MPI_COMM_SELF, NULL, &lmo) == ORRERY_MODEL);

    /* All of LMO on all ranks; each gets the same model. */
    const uint64_t sizes[] = {1024, 8192};
    options.sizes = sizes;
    options.size_count = 2;
    options.max_repetitions = 10;
    /* Thousands of barriers: where ranks that wait keep their cores, they take minutes on fewer cores than ranks. */
    int is_long = count > 1 && strcmp(arguments[1], "long") == 0;
    options.thresholds = is_long;
    double begin = MPI_Wtime();
    NEED(orrery_lmo_estimate(MPI_COMM_WORLD, &options, &lmo) == ORRERY_OK);
    double elapsed = MPI_Wtime() - begin;
    NEED(orrery_model_processors(lmo, &processors) == ORRERY_OK && processors == 4);
    /* All ranks get the same warnings. Four ranks share the cores of a host that has fewer. */
    static char warnings[1 << 16];
    NEED(orrery_model_warnings(lmo, warnings, sizeof warnings, &needed) == ORRERY_OK);
    NEED(sysconf(_SC_NPROCESSORS_ONLN) >= 4 || strstr(warnings, "share core"));
    unsigned long bytes = needed, fewest, most;
    MPI_Allreduce(&bytes, &fewest, 1, MPI_UNSIGNED_LONG, MPI_MIN, MPI_COMM_WORLD);
    MPI_Allreduce(&bytes, &most, 1, MPI_UNSIGNED_LONG, MPI_MAX, MPI_COMM_WORLD);
    NEED(fewest == most);
    double mine, largest, smallest;
    NEED(orrery_message_time(lmo, "lmo", 0, 3, 4096, &mine) == ORRERY_OK && mine > 0 && isfinite(mine));
    MPI_Allreduce(&mine, &largest, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
    MPI_Allreduce(&mine, &smallest, 1, MPI_DOUBLE, MPI_MIN, MPI_COMM_WORLD);
    NEED(smallest == mine && largest == mine);

    /* A part of the ranks, while the others do something else. */
    MPI_Comm part;
    MPI_Comm_split(MPI_COMM_WORLD, rank == 1, rank, &part);
    if (rank != 1) {
        options.thresholds = false;
        NEED(orrery_estimate(part, is_long ? "hockney,loggp" : "hockney", &options, &others) == ORRERY_OK);
        NEED(orrery_model_processors(others, &processors) == ORRERY_OK && processors == 3);
        NEED(orrery_model_kinds(others, kinds, sizeof kinds, &needed) == ORRERY_OK && strstr(kinds, "hockney"));
        NEED(!is_long || strstr(kinds, "loggp"));
        NEED(orrery_model_free(others) == ORRERY_OK);
    }
    MPI_Comm_free(&part);
    MPI_Barrier(MPI_COMM_WORLD);

    orrery_prediction scatter = {.struct_size = sizeof scatter};
    NEED(orrery_predict_collective(lmo, "lmo", "scatter", "linear", 0, 4, 4096, &scatter) == ORRERY_OK);
    NEED(scatter.seconds > 0);
    collectives(lmo, rank, size);
    NEED(orrery_model_free(lmo) == ORRERY_OK);
    if (rank == 0)
        printf("LMO of 4 ranks estimated in %.2f s\n", elapsed);
    MPI_Finalize();
    NEED(count > 0);
    return orrery_lmo_estimate(MPI_COMM_WORLD, NULL, &lmo) != ORRERY_MODEL;
}
