! SPDX-License-Identifier: BSD-3-Clause
! Known numbers of calls, on two ranks, and arguments that only MPI knows: MPI_IN_PLACE, MPI_BOTTOM,
! MPI_STATUS_IGNORE. Compiled with HEADER, MODULE or MODULE_08 for each of Fortran's ways.
program known
#ifdef MODULE
    use mpi
#endif
#ifdef MODULE_08
    use mpi_f08
#endif
    implicit none
#ifdef HEADER
    include 'mpif.h'
#endif
    integer :: rank, error, i, word, other, total
    double precision :: part(2)
#ifdef MODULE_08
    type(MPI_Request) :: request(2)
#else
    integer :: request(2)
#endif

    call MPI_Init(error)
    call MPI_Comm_rank(MPI_COMM_WORLD, rank, error)
    do i = 1, 3
        call MPI_Barrier(MPI_COMM_WORLD, error)
    end do
    do i = 1, 5
        part = [rank + 1, i]
        call MPI_Allreduce(MPI_IN_PLACE, part, 2, MPI_DOUBLE_PRECISION, MPI_SUM, MPI_COMM_WORLD, error)
        if (part(1) /= 3 .or. part(2) /= 2 * i) stop 2
    end do
    do i = 1, 4
        call MPI_Reduce(rank, total, 1, MPI_INTEGER, MPI_SUM, 0, MPI_COMM_WORLD, error)
        if (rank == 0 .and. total /= 1) stop 3
    end do
    word = rank + 40
    do i = 1, 2
        if (rank == 0) then
            call MPI_Send(word, 1, MPI_INTEGER, 1, 0, MPI_COMM_WORLD, error)
        else
            call MPI_Recv(other, 1, MPI_INTEGER, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE, error)
            if (other /= 40) stop 4
        end if
    end do
    call MPI_Irecv(other, 1, MPI_INTEGER, 1 - rank, 1, MPI_COMM_WORLD, request(1), error)
    call MPI_Isend(word, 1, MPI_INTEGER, 1 - rank, 1, MPI_COMM_WORLD, request(2), error)
    call MPI_Waitall(2, request, MPI_STATUSES_IGNORE, error)
    if (other /= 41 - rank) stop 5
    call MPI_Finalize(error)
end program
