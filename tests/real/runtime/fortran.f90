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

    ! Of an array that begins at -3.
    subroutine add(begin, end, b) bind(c)
        integer(int64), value :: begin, end
        type(block), intent(in) :: b
        real(c_double), pointer :: all(:), x(:)
        call c_f_pointer(b%first, all, [b%count])
        x(-3:) => all
        x(begin:end - 1) = x(begin:end - 1) + 1
    end subroutine
end module

program main
    use mpi
    use squares
    implicit none
    integer, parameter :: n = 1000, size = 50
    real(c_double), pointer :: x(:), from(:), table(:, :)
    real(c_double) :: mine, all
    type(c_ptr) :: memory
    type(block), target :: b
    type(lbrun_access) :: none(2)
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
    from(-3:) => x
    call lbrun_taskloop(c_funloc(add), lbound(from, 1), ubound(from, 1), block(memory, n), &
                        [lbrun_slice_of(LBRUN_INOUT, from, lower=lbound(from, 1))], grain=7)
    call lbrun_taskwait()
    x = x - 1
    table(1:20, 1:50) => x
    call check_one(lbrun_access_of(LBRUN_IN, table(3:3, 2:2)), c_loc(table(3, 2)))
    call check_one(lbrun_reads(x(7:7)), c_loc(x(7)))
    none = [lbrun_reads(x(7:6)), lbrun_reads(table(3:2, 2:2))]
    if (any(none%bytes /= 0)) error stop 'none'
    mine = sum(x) - sum([(real(i + rank, c_double)**2, i = 1, n)])
    call MPI_Allreduce(abs(mine), all, 1, MPI_DOUBLE_PRECISION, MPI_MAX, lbrun_world(), ierror)
    call lbrun_iteration()
    call lbrun_stop()
    if (all > 0) stop 1
contains
    ! Of the element itself, not of a copy.
    subroutine check_one(access, element)
        type(lbrun_access), intent(in) :: access
        type(c_ptr), intent(in) :: element
        if (.not. c_associated(access%address, element) .or. access%bytes /= 8) error stop 'an element'
    end subroutine
end program
