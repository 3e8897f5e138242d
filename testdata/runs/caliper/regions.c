/* A program with nested regions for Caliper: regions N STEPS. The second process takes longer. */
#include <caliper/cali.h>
#include <mpi.h>
#include <stdlib.h>
#include <unistd.h>

static void region(const char* name, useconds_t time)
{
    CALI_MARK_BEGIN(name);
    usleep(time);
    CALI_MARK_END(name);
}

int main(int argc, char* argv[])
{
    int n = argc > 1 ? atoi(argv[1]) : 100;
    int steps = argc > 2 ? atoi(argv[2]) : 2;
    int rank;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    cali_set_global_int_byname("problem_size", n);
    cali_set_global_int_byname("steps", steps);
    cali_set_global_double_byname("figure_of_merit", n / 2.0);
    cali_set_global_string_byname("compiler", "cc, version 12=a");
    CALI_MARK_FUNCTION_BEGIN;
    region("setup", 1000);
    CALI_MARK_LOOP_BEGIN(loop, "time stepping");
    for (int step = 0; step < steps; ++step) {
        CALI_MARK_ITERATION_BEGIN(loop, step);
        CALI_MARK_BEGIN("solve");
        usleep(n * 10 * (1 + rank));
        region("exchange", n * 5);
        CALI_MARK_END("solve");
        region("a=b,c\\d", 500);
        CALI_MARK_ITERATION_END(loop);
    }
    CALI_MARK_LOOP_END(loop);
    CALI_MARK_FUNCTION_END;
    MPI_Finalize();
    return 0;
}
