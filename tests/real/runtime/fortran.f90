! SPDX-License-Identifier: BSD-3-Clause
! A Fortran program with the runtime: each task squares its block; the sum tells that all ran once.
module squares
    use lbrun
    implicit none
    type, bind(c) :: block
        type(c_ptr) :: first
        integer(c_int) :: count
    end type
contains
    subroutine square(argument) bind(c)
        type(c_ptr), value :: argument
        type(block), pointer :: b
        real(c_double), pointer :: x(:)
        call c_f_pointer(argument, b)
        call c_f_pointer(b%first, x, [b%count])
        x = x**2
    end subroutine
end module

program main
    use mpi
    use squares
    implicit none
    integer, parameter :: n = 1000, size = 50
    real(c_double), pointer :: x(:)
    real(c_double) :: mine, all
    type(c_ptr) :: memory
    type(block), target :: b
    integer :: i, ierror, rank

    call lbrun_start()
    call MPI_Comm_rank(lbrun_world(), rank, ierror)
    memory = lbrun_alloc(int(n, c_size_t) * 8)
    call c_f_pointer(memory, x, [n])
    x = [(i + rank, i = 1, n)]
    do i = 1, n, size
        b = block(c_loc(x(i)), size)
        call lbrun_task(c_funloc(square), c_loc(b), c_sizeof(b), 1_c_int, &
                        [lbrun_access(LBRUN_INOUT, c_loc(x(i)), int(size, c_size_t) * 8)], c_null_ptr)
    end do
    call lbrun_taskwait()
    mine = sum(x) - sum([(real(i + rank, c_double)**2, i = 1, n)])
    call MPI_Allreduce(abs(mine), all, 1, MPI_DOUBLE_PRECISION, MPI_MAX, lbrun_world(), ierror)
    call lbrun_iteration()
    call lbrun_stop()
    if (all > 0) stop 1
end program
