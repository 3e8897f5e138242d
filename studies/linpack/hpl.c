/* HPL of the HPC Challenge benchmark by itself: its driver, with what the benchmark provides otherwise. */
#include <mpi.h>

#include "hpl.h"

void *HPCC_malloc(size_t size)
{
    return malloc(size);
}

void HPCC_free(void *memory)
{
    free(memory);
}

/* Called in place of reading hpccinf.txt if it is missing. */
void HPCC_Defaults(void)
{
    fputs("hpl: hpccinf.txt is missing or invalid\n", stderr);
    MPI_Abort(MPI_COMM_WORLD, 1);
}

int main(int argc, char **argv)
{
    HPL_RuntimeData best = {0};
    int failure = 0;
    MPI_Init(&argc, &argv);
    HPL_main(argc, argv, &best, &failure);
    MPI_Finalize();
    return failure;
}
