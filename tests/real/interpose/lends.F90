! SPDX-License-Identifier: BSD-3-Clause
! Two appranks with a core each: one has tasks, the other waits in MPI for it, and lends its core. The first
! prints how many tasks there were at a time: 2.
program lends
    use, intrinsic :: iso_c_binding
    use lbrun
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
    interface
        subroutine lends_task(argument) bind(c)
            import :: c_ptr
            type(c_ptr), value :: argument
        end subroutine
        integer(c_int) function lends_most() bind(c)
            import :: c_int
        end function
    end interface
    integer :: rank, error, i, total
#ifdef MODULE_08
    type(MPI_Comm) :: world
    call lbrun_start()
    world%MPI_VAL = lbrun_world()
#else
    integer :: world
    call lbrun_start()
    world = lbrun_world()
#endif
    call MPI_Comm_rank(world, rank, error)
    if (rank == 0) then
        do i = 1, 40
            call lbrun_task(c_funloc(lends_task), c_null_ptr, 0_c_size_t, 0_c_int, [lbrun_access::], c_null_ptr)
        end do
        call lbrun_taskwait()
    end if
    call MPI_Allreduce(rank, total, 1, MPI_INTEGER, MPI_SUM, world, error)
    if (total /= 1) stop 2
    if (rank == 0) print '(a, i0)', 'at most ', lends_most()
    call lbrun_iteration()
    call lbrun_stop()
end program
