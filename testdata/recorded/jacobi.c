// Jacobi iteration on rows of a square: each rank exchanges a row with its neighbours, and all ranks sum the change.
#include <math.h>
#include <mpi.h>
#include <stdlib.h>

enum { COLUMNS = 2000, ROWS = 250, ITERATIONS = 20 };

static double old[ROWS + 2][COLUMNS + 2], new[ROWS + 2][COLUMNS + 2];

int main(int argc, char **argv) {
  int rank, ranks;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  int above = rank > 0 ? rank - 1 : MPI_PROC_NULL, below = rank + 1 < ranks ? rank + 1 : MPI_PROC_NULL;
  for (int column = 0; column < COLUMNS + 2; column++) old[0][column] = rank == 0;
  for (int iteration = 0; iteration < ITERATIONS; iteration++) {
    MPI_Request requests[4];
    MPI_Irecv(old[0], COLUMNS + 2, MPI_DOUBLE, above, 1, MPI_COMM_WORLD, &requests[0]);
    MPI_Irecv(old[ROWS + 1], COLUMNS + 2, MPI_DOUBLE, below, 2, MPI_COMM_WORLD, &requests[1]);
    MPI_Isend(old[ROWS], COLUMNS + 2, MPI_DOUBLE, below, 1, MPI_COMM_WORLD, &requests[2]);
    MPI_Isend(old[1], COLUMNS + 2, MPI_DOUBLE, above, 2, MPI_COMM_WORLD, &requests[3]);
    MPI_Waitall(4, requests, MPI_STATUSES_IGNORE);
    double change = 0;
    for (int row = 1; row <= ROWS; row++)
      for (int column = 1; column <= COLUMNS; column++) {
        double next = (old[row - 1][column] + old[row + 1][column] + old[row][column - 1] + old[row][column + 1]) / 4;
        change += fabs(next - old[row][column]);
        new[row][column] = next;
      }
    for (int row = 1; row <= ROWS; row++)
      for (int column = 1; column <= COLUMNS; column++) old[row][column] = new[row][column];
    MPI_Allreduce(MPI_IN_PLACE, &change, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
  }
  MPI_Finalize();
  return EXIT_SUCCESS;
}
