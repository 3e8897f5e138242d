! A program on 3 ranks whose calls are known: scripts/test-mpi traces it and compares the record. It is compiled with the
! module mpi, and with MODULE defined as mpi_f08.
program calls
#ifdef F08
  use mpi_f08
#else
  use mpi
#endif
  implicit none
  integer :: rank, error, index, k, counts(3), offsets(3)
  double precision :: numbers(64), room(64)
  logical :: flag
#ifdef F08
  type(MPI_Comm) :: reversed
  type(MPI_Request) :: requests(3)
  type(MPI_Status) :: status
#else
  integer :: reversed, requests(3), status(MPI_STATUS_SIZE)
#endif

  call MPI_Init(error)
  call MPI_Comm_rank(MPI_COMM_WORLD, rank, error)
  numbers = 0
  if (rank == 0) then
    call MPI_Send(numbers, 1, MPI_DOUBLE_PRECISION, 1, 10, MPI_COMM_WORLD, error)
    do k = 1, 3
      call MPI_Isend(numbers, k, MPI_DOUBLE_PRECISION, 1, 10 + k, MPI_COMM_WORLD, requests(k), error)
    end do
    call MPI_Waitall(3, requests, MPI_STATUSES_IGNORE, error)
    call MPI_Recv(room, 4, MPI_INTEGER, MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, MPI_STATUS_IGNORE, error)
  else if (rank == 1) then
    call MPI_Recv(room, 1, MPI_DOUBLE_PRECISION, MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, status, error)
    do k = 1, 3
      call MPI_Irecv(room(k), k, MPI_DOUBLE_PRECISION, MPI_ANY_SOURCE, 10 + k, MPI_COMM_WORLD, requests(k), error)
    end do
    call MPI_Waitall(2, requests, MPI_STATUSES_IGNORE, error)
    call MPI_Waitany(3, requests, index, MPI_STATUS_IGNORE, error)
    flag = .false.
    call MPI_Isend(numbers, 4, MPI_INTEGER, 0, 14, MPI_COMM_WORLD, requests(1), error)
    do while (.not. flag)
      call MPI_Test(requests(1), flag, MPI_STATUS_IGNORE, error)
    end do
  end if
  call MPI_Comm_split(MPI_COMM_WORLD, 0, -rank, reversed, error)
  call MPI_Allreduce(MPI_IN_PLACE, room, 5, MPI_DOUBLE_PRECISION, MPI_SUM, MPI_COMM_WORLD, error)
  call MPI_Bcast(numbers, 6, MPI_INTEGER, 1, MPI_COMM_WORLD, error)
  counts = 2
  offsets = (/ 0, 2, 4 /)
  call MPI_Alltoallv(MPI_IN_PLACE, counts, offsets, MPI_INTEGER, room, counts, offsets, MPI_INTEGER, MPI_COMM_WORLD, error)
  ! Rank 0 of the reversed communicator is rank 2.
  if (rank == 2) call MPI_Send(numbers, 7, MPI_INTEGER, 2, 15, reversed, error)
  if (rank == 0) call MPI_Recv(room, 7, MPI_INTEGER, 0, 15, reversed, MPI_STATUS_IGNORE, error)
  call MPI_Comm_free(reversed, error)
  call MPI_Finalize(error)
end program
