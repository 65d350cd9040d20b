! SPDX-License-Identifier: BSD-3-Clause
! Known loads as in burn.c: 0.1 s of processor time times rank + 1, five times, then all meet.
program burn
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
    integer :: rank, error, step
    real :: sum, total
    double precision :: now, until
    call MPI_Init(error)
    call MPI_Comm_rank(MPI_COMM_WORLD, rank, error)
    do step = 1, 5
        call cpu_time(now)
        until = now + 0.1d0 * (rank + 1)
        do while (now < until)
            call cpu_time(now)
        end do
        sum = rank
        call MPI_Allreduce(sum, total, 1, MPI_REAL, MPI_SUM, MPI_COMM_WORLD, error)
        if (total /= 6) stop 2
    end do
    call MPI_Finalize(error)
end program
