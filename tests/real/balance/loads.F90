! SPDX-License-Identifier: BSD-3-Clause
! Known loads in Fortran: rank 0 rests 20 ms, the others 1 ms, forty times, then all meet. The first prints a sum.
program loads
#ifdef MODULE_08
    use mpi_f08
#else
    use mpi
#endif
    use, intrinsic :: iso_c_binding
    implicit none
    interface
        function usleep(duration_us) bind(C, name="usleep") result(code)
            import c_int
            integer(c_int), value :: duration_us
            integer(c_int) :: code
        end function
    end interface
    integer :: rank, error, step
    integer(c_int) :: code
    double precision :: mine, all, total
    call MPI_Init(error)
    call MPI_Comm_rank(MPI_COMM_WORLD, rank, error)
    total = 0
    do step = 1, 40
        code = usleep(merge(20000_c_int, 1000_c_int, rank == 0))
        mine = 1d0 / (rank + step)
        call MPI_Allreduce(mine, all, 1, MPI_DOUBLE_PRECISION, MPI_SUM, MPI_COMM_WORLD, error)
        total = total + all
    end do
    if (rank == 0) print '(Z16)', total
    call MPI_Finalize(error)
end program
