! SPDX-License-Identifier: BSD-3-Clause
! The live runtime for Fortran: the calls of lbrun.h, with arrays and derived types.
!
!     use lbrun
!     real(real64), pointer, contiguous :: x(:, :)
!     call lbrun_start()
!     call lbrun_allocate(x, n, m)
!     call lbrun_task(c_funloc(update), column, [lbrun_updates(x(:, j)), lbrun_reads(y)], priority=1)
!     call lbrun_taskwait()
!
! - A task's procedure is bind(c) and has one argument, a scalar of a type that is bind(c) or of an
!   intrinsic type, by reference: a copy of what lbrun_task() was given. Pointers to data in it are c_ptr
!   (lbrun_address() of an array), or indices.
! - Accesses are of whole arrays or contiguous sections of them, of any type, up to rank 3.
! - Pointers to cluster memory are declared `contiguous`. One that is not, given to a procedure whose array is, goes there as a
!   copy (gfortran), which is gone when the procedure returns: tasks that it made would work on that, not on the array.
! - A loop's procedure is called with its part of the iterations, of which `end` is the first that is not its own:
!       subroutine smooth(begin, end, argument) bind(c)
!           integer(int64), value :: begin, end
!   Iteration i accesses x(i), of rank 2 or 3 the i-th of the last dimension, where that begins at 1; else lower=lbound(x, 1):
!       call lbrun_taskloop(c_funloc(smooth), 2, n - 1, argument, [lbrun_slice_of(LBRUN_IN, x, before=1, after=1), &
!                                                                  lbrun_slice_of(LBRUN_OUT, y)])
! - The calls with C's arguments are there, too.
module lbrun
    use, intrinsic :: iso_c_binding
    use, intrinsic :: iso_fortran_env, only: int32, int64, real32, real64
    implicit none
    ! Names that do not begin with lbrun_ are the program's.
    private :: constant_native, options_of, task_native, taskloop_int64, taskloop_int32, slice_from, slice_1, slice_2, slice_3, &
               taskwait_on_native, check_contiguous, access_0, in_0, out_0, inout_0, access_1, in_1, out_1, inout_1, &
               access_2, in_2, out_2, inout_2, access_3, in_3, out_3, inout_3, allocate_real64_1, deallocate_real64_1, &
               allocate_real64_2, deallocate_real64_2, allocate_real64_3, deallocate_real64_3, allocate_real32_1, &
               deallocate_real32_1, allocate_real32_2, deallocate_real32_2, allocate_real32_3, deallocate_real32_3, &
               allocate_int32_1, deallocate_int32_1, allocate_int32_2, deallocate_int32_2, allocate_int32_3, &
               deallocate_int32_3, allocate_int64_1, deallocate_int64_1, allocate_int64_2, deallocate_int64_2, &
               allocate_int64_3, deallocate_int64_3

    integer(c_int), parameter :: LBRUN_IN = 1, LBRUN_OUT = 2, LBRUN_INOUT = 3, LBRUN_COMMUTATIVE = 19
    integer(c_int), parameter :: LBRUN_WEAK_IN = 65537, LBRUN_WEAK_OUT = 65538, LBRUN_WEAK_INOUT = 65539
    integer(c_int), parameter :: LBRUN_REDUCTION = 16384
    integer(c_int), parameter :: LBRUN_SUM_DOUBLE = LBRUN_REDUCTION, LBRUN_SUM_FLOAT = LBRUN_REDUCTION + 32
    integer(c_int), parameter :: LBRUN_SUM_INT32 = LBRUN_REDUCTION + 64, LBRUN_SUM_INT64 = LBRUN_REDUCTION + 96
    integer(c_int), parameter :: LBRUN_MIN_DOUBLE = LBRUN_REDUCTION + 128, LBRUN_MIN_FLOAT = LBRUN_REDUCTION + 160
    integer(c_int), parameter :: LBRUN_MIN_INT32 = LBRUN_REDUCTION + 192, LBRUN_MIN_INT64 = LBRUN_REDUCTION + 224
    integer(c_int), parameter :: LBRUN_MAX_DOUBLE = LBRUN_REDUCTION + 256, LBRUN_MAX_FLOAT = LBRUN_REDUCTION + 288
    integer(c_int), parameter :: LBRUN_MAX_INT32 = LBRUN_REDUCTION + 320, LBRUN_MAX_INT64 = LBRUN_REDUCTION + 352
    integer(c_int32_t), parameter :: LBRUN_ANYWHERE = 0, LBRUN_HERE = 1

    type, bind(c) :: lbrun_access
        integer(c_int) :: mode
        type(c_ptr) :: address
        integer(c_size_t) :: bytes
    end type

    ! Iteration i accesses so many bytes from address + i * stride on; with a stride of 0 all access the same.
    type, bind(c) :: lbrun_slice
        integer(c_int) :: mode
        type(c_ptr) :: address
        integer(c_size_t) :: bytes, stride
    end type

    type, bind(c) :: lbrun_range
        integer(c_int64_t) :: begin, end, grain ! end: the first that is not executed
    end type

    type, bind(c) :: lbrun_options
        integer(c_int32_t) :: priority = 0, flags = LBRUN_ANYWHERE
        real(c_double) :: cost = 0
        type(c_ptr) :: home = c_null_ptr ! of an array of type(c_ptr)
    end type

    interface
        subroutine lbrun_start_c(argc, argv) bind(c, name='lbrun_start')
            import :: c_ptr
            type(c_ptr), value :: argc, argv
        end subroutine

        subroutine lbrun_stop() bind(c)
        end subroutine

        ! The appranks' communicator, as Fortran's MPI knows it.
        integer(c_int) function lbrun_world() bind(c, name='lbrun_world_f')
            import :: c_int
        end function

        type(c_ptr) function lbrun_alloc(bytes) bind(c)
            import :: c_ptr, c_size_t
            integer(c_size_t), value :: bytes
        end function

        subroutine lbrun_free(address) bind(c)
            import :: c_ptr
            type(c_ptr), value :: address
        end subroutine

        subroutine lbrun_task_c(function, argument, argument_bytes, naccess, access, options) bind(c, name='lbrun_task')
            import :: c_funptr, c_ptr, c_size_t, c_int, lbrun_access
            type(c_funptr), value :: function
            type(c_ptr), value :: argument
            integer(c_size_t), value :: argument_bytes
            integer(c_int), value :: naccess
            type(lbrun_access), intent(in) :: access(*)
            type(c_ptr), value :: options
        end subroutine

        subroutine lbrun_taskwait_on_c(naccess, access) bind(c, name='lbrun_taskwait_on')
            import :: c_int, lbrun_access
            integer(c_int), value :: naccess
            type(lbrun_access), intent(in) :: access(*)
        end subroutine

        ! A kind of reduction: neutral(value, bytes), combine(into, from, bytes), of bind(c), with bytes by value. Its mode is
        ! for the rank that made it.
        integer(c_int) function lbrun_reduction_of(element_bytes, neutral, combine) bind(c, name='lbrun_reduction')
            import :: c_int, c_size_t, c_funptr
            integer(c_size_t), value :: element_bytes
            type(c_funptr), value :: neutral, combine
        end function

        ! In a task: where its own value of what is at `address` is.
        type(c_ptr) function lbrun_private(address) bind(c)
            import :: c_ptr
            type(c_ptr), value :: address
        end function

        ! Where something is, of any type: for the argument of a task.
        type(c_ptr) function lbrun_address(something) bind(c)
            import :: c_ptr
            type(*), intent(in) :: something(*)
        end function

        subroutine lbrun_constant_c(address, bytes) bind(c, name='lbrun_constant')
            import :: c_ptr, c_size_t
            type(c_ptr), value :: address
            integer(c_size_t), value :: bytes
        end subroutine

        subroutine lbrun_taskwait() bind(c)
        end subroutine

        subroutine lbrun_taskwait_noflush() bind(c)
        end subroutine

        subroutine lbrun_iteration() bind(c)
        end subroutine

        integer(c_int32_t) function lbrun_node() bind(c)
            import :: c_int32_t
        end function

        integer(c_int32_t) function lbrun_place() bind(c)
            import :: c_int32_t
        end function

        integer(c_int32_t) function lbrun_nnode() bind(c)
            import :: c_int32_t
        end function

        integer(c_int32_t) function lbrun_cores_per_node() bind(c)
            import :: c_int32_t
        end function
    end interface

    interface
        type(c_ptr) function lbrun_address_of_scalar(something) bind(c, name='lbrun_address')
            import :: c_ptr
            type(*), intent(in) :: something
        end function

        subroutine lbrun_task_any(function, argument, argument_bytes, naccess, access, options) bind(c, name='lbrun_task')
            import :: c_funptr, c_size_t, c_int, lbrun_access, lbrun_options
            type(c_funptr), value :: function
            type(*), intent(in) :: argument
            integer(c_size_t), value :: argument_bytes
            integer(c_int), value :: naccess
            type(lbrun_access), intent(in) :: access(*)
            type(lbrun_options), intent(in) :: options
        end subroutine

        subroutine lbrun_taskloop_any(function, range, argument, argument_bytes, nslice, slice, options) &
            bind(c, name='lbrun_taskloop')
            import :: c_funptr, c_size_t, c_int, lbrun_range, lbrun_slice, lbrun_options
            type(c_funptr), value :: function
            type(lbrun_range), intent(in) :: range
            type(*), intent(in) :: argument
            integer(c_size_t), value :: argument_bytes
            integer(c_int), value :: nslice
            type(lbrun_slice), intent(in) :: slice(*)
            type(lbrun_options), intent(in) :: options
        end subroutine

        subroutine lbrun_fail_c(text) bind(c, name='lbrun_fail')
            import :: c_char
            character(kind=c_char), intent(in) :: text(*)
        end subroutine
    end interface

    ! A task of a procedure, its argument, what it accesses; and as C has it. In this order: gfortran 12 fails
    ! within itself where it compares c_loc() with the native argument last.
    interface lbrun_task
        procedure :: task_native, lbrun_task_c
    end interface

    ! A loop from first to last as tasks of its parts: of a procedure, its argument, what iterations access.
    interface lbrun_taskloop
        procedure :: taskloop_int32, taskloop_int64
    end interface

    ! lbrun_slice_of(mode, x): iteration i accesses x(i) or the i-th of x's last dimension, and so many before and after it.
    ! An array that is passed on begins at 1, whatever its bounds are: of others `lower` says with which iteration, lbound(x).
    interface lbrun_slice_of
        procedure :: slice_1, slice_2, slice_3
    end interface

    ! What does not change any more: call lbrun_constant(lbrun_reads(x)).
    interface lbrun_constant
        procedure :: lbrun_constant_c, constant_native
    end interface

    interface lbrun_taskwait_on
        procedure :: lbrun_taskwait_on_c, taskwait_on_native
    end interface

    ! A pointer to an array in cluster memory: call lbrun_allocate(x, n), of rank 2 (x, n, m), of rank 3 (x, n, m, l).
    interface lbrun_allocate
        procedure :: allocate_real64_1, &
                     allocate_real64_2, &
                     allocate_real64_3, &
                     allocate_real32_1, &
                     allocate_real32_2, &
                     allocate_real32_3, &
                     allocate_int32_1, &
                     allocate_int32_2, &
                     allocate_int32_3, &
                     allocate_int64_1, &
                     allocate_int64_2, &
                     allocate_int64_3
    end interface

    interface lbrun_deallocate
        procedure :: deallocate_real64_1, &
                     deallocate_real64_2, &
                     deallocate_real64_3, &
                     deallocate_real32_1, &
                     deallocate_real32_2, &
                     deallocate_real32_3, &
                     deallocate_int32_1, &
                     deallocate_int32_2, &
                     deallocate_int32_3, &
                     deallocate_int64_1, &
                     deallocate_int64_2, &
                     deallocate_int64_3
    end interface

    ! Accesses: lbrun_reads(x), lbrun_writes(x), lbrun_updates(x) (both), and lbrun_access_of(LBRUN_SUM_DOUBLE, x) and its like.
    interface lbrun_access_of
        procedure :: access_0, access_1, access_2, access_3
    end interface

    interface lbrun_reads
        procedure :: in_0, in_1, in_2, in_3
    end interface

    interface lbrun_writes
        procedure :: out_0, out_1, out_2, out_3
    end interface

    interface lbrun_updates
        procedure :: inout_0, inout_1, inout_2, inout_3
    end interface

contains

    subroutine lbrun_start()
        call lbrun_start_c(c_null_ptr, c_null_ptr)
    end subroutine

    type(lbrun_options) function options_of(priority, flags, cost) result(options)
        integer, intent(in), optional :: priority
        integer(c_int32_t), intent(in), optional :: flags
        real(c_double), intent(in), optional :: cost
        options = lbrun_options()
        if (present(priority)) options%priority = priority
        if (present(flags)) options%flags = flags
        if (present(cost)) options%cost = cost
    end function

    subroutine task_native(procedure, argument, access, priority, flags, cost)
        type(c_funptr), value :: procedure
        class(*), intent(in) :: argument
        type(lbrun_access), intent(in) :: access(:)
        integer, intent(in), optional :: priority
        integer(c_int32_t), intent(in), optional :: flags
        real(c_double), intent(in), optional :: cost
        call lbrun_task_any(procedure, argument, storage_size(argument, c_size_t) / 8, size(access, kind=c_int), access, &
                            options_of(priority, flags, cost))
    end subroutine

    subroutine taskloop_int64(procedure, first, last, argument, slice, grain, priority, flags, cost)
        type(c_funptr), value :: procedure
        integer(int64), intent(in) :: first, last
        class(*), intent(in) :: argument
        type(lbrun_slice), intent(in) :: slice(:)
        integer, intent(in), optional :: grain, priority
        integer(c_int32_t), intent(in), optional :: flags
        real(c_double), intent(in), optional :: cost
        type(lbrun_range) :: range
        range = lbrun_range(first, max(first, last + 1), 0)
        if (present(grain)) range%grain = grain
        call lbrun_taskloop_any(procedure, range, argument, storage_size(argument, c_size_t) / 8, size(slice, kind=c_int), slice, &
                                options_of(priority, flags, cost))
    end subroutine

    subroutine taskloop_int32(procedure, first, last, argument, slice, grain, priority, flags, cost)
        type(c_funptr), value :: procedure
        integer(int32), intent(in) :: first, last
        class(*), intent(in) :: argument
        type(lbrun_slice), intent(in) :: slice(:)
        integer, intent(in), optional :: grain, priority
        integer(c_int32_t), intent(in), optional :: flags
        real(c_double), intent(in), optional :: cost
        call taskloop_int64(procedure, int(first, int64), int(last, int64), argument, slice, grain, priority, flags, cost)
    end subroutine

    ! Of an array whose part for one iteration has so many bytes, the first for iteration `lower`, or 1.
    type(lbrun_slice) function slice_from(mode, first, stride, before, after, lower) result(slice)
        integer(c_int), intent(in) :: mode
        type(c_ptr), intent(in) :: first
        integer(c_size_t), intent(in) :: stride
        integer, intent(in), optional :: before, after, lower
        integer(c_size_t) :: back, count, from
        back = 0
        from = 1
        if (present(before)) back = before
        if (present(lower)) from = lower
        count = 1 + back
        if (present(after)) count = count + after
        slice = lbrun_slice(mode, transfer(transfer(first, back) - (from + back) * stride, first), count * stride, stride)
    end function

    type(lbrun_slice) function slice_1(mode, x, before, after, lower) result(slice)
        integer(c_int), intent(in) :: mode
        class(*), intent(in), target :: x(:)
        integer, intent(in), optional :: before, after, lower
        type(lbrun_access) :: all
        all = access_1(mode, x)
        slice = slice_from(mode, all%address, storage_size(x, c_size_t) / 8, before, after, lower)
    end function

    type(lbrun_slice) function slice_2(mode, x, before, after, lower) result(slice)
        integer(c_int), intent(in) :: mode
        class(*), intent(in), target :: x(:, :)
        integer, intent(in), optional :: before, after, lower
        type(lbrun_access) :: all
        all = access_2(mode, x)
        slice = slice_from(mode, all%address, storage_size(x, c_size_t) / 8 * size(x, 1, kind=c_size_t), before, after, lower)
    end function

    type(lbrun_slice) function slice_3(mode, x, before, after, lower) result(slice)
        integer(c_int), intent(in) :: mode
        class(*), intent(in), target :: x(:, :, :)
        integer, intent(in), optional :: before, after, lower
        integer(c_size_t) :: stride
        type(lbrun_access) :: all
        all = access_3(mode, x)
        stride = storage_size(x, c_size_t) / 8 * size(x, 1, kind=c_size_t) * size(x, 2, kind=c_size_t)
        slice = slice_from(mode, all%address, stride, before, after, lower)
    end function

    ! End the job with a message.
    subroutine lbrun_fail(text)
        character(*), intent(in) :: text
        call lbrun_fail_c(text//c_null_char)
    end subroutine

    subroutine taskwait_on_native(access)
        type(lbrun_access), intent(in) :: access(:)
        call lbrun_taskwait_on_c(size(access, kind=c_int), access)
    end subroutine

    subroutine constant_native(access)
        type(lbrun_access), intent(in) :: access
        call lbrun_constant_c(access%address, access%bytes)
    end subroutine

    subroutine check_contiguous(is)
        logical, intent(in) :: is
        if (.not. is) call lbrun_fail_c('an access to a section that is not contiguous'//c_null_char)
    end subroutine

    type(lbrun_access) function access_0(mode, x) result(access)
        integer(c_int), intent(in) :: mode
        class(*), intent(in), target :: x
        access = lbrun_access(mode, lbrun_address_of_scalar(x), storage_size(x, c_size_t) / 8 * 1)
    end function

    type(lbrun_access) function in_0(x) result(access)
        class(*), intent(in), target :: x
        access = access_0(LBRUN_IN, x)
    end function

    type(lbrun_access) function out_0(x) result(access)
        class(*), intent(in), target :: x
        access = access_0(LBRUN_OUT, x)
    end function

    type(lbrun_access) function inout_0(x) result(access)
        class(*), intent(in), target :: x
        access = access_0(LBRUN_INOUT, x)
    end function

    type(lbrun_access) function access_1(mode, x) result(access)
        integer(c_int), intent(in) :: mode
        class(*), intent(in), target :: x(:)
        type(c_ptr) :: first
        call check_contiguous(is_contiguous(x))
        first = lbrun_address(x) ! a copy of a section of one element
        if (size(x) > 0) first = lbrun_address_of_scalar(x(1))
        access = lbrun_access(mode, first, storage_size(x, c_size_t) / 8 * size(x, kind=c_size_t))
    end function

    type(lbrun_access) function in_1(x) result(access)
        class(*), intent(in), target :: x(:)
        access = access_1(LBRUN_IN, x)
    end function

    type(lbrun_access) function out_1(x) result(access)
        class(*), intent(in), target :: x(:)
        access = access_1(LBRUN_OUT, x)
    end function

    type(lbrun_access) function inout_1(x) result(access)
        class(*), intent(in), target :: x(:)
        access = access_1(LBRUN_INOUT, x)
    end function

    type(lbrun_access) function access_2(mode, x) result(access)
        integer(c_int), intent(in) :: mode
        class(*), intent(in), target :: x(:, :)
        type(c_ptr) :: first
        call check_contiguous(is_contiguous(x))
        first = lbrun_address(x) ! a copy of a section of one element
        if (size(x) > 0) first = lbrun_address_of_scalar(x(1, 1))
        access = lbrun_access(mode, first, storage_size(x, c_size_t) / 8 * size(x, kind=c_size_t))
    end function

    type(lbrun_access) function in_2(x) result(access)
        class(*), intent(in), target :: x(:, :)
        access = access_2(LBRUN_IN, x)
    end function

    type(lbrun_access) function out_2(x) result(access)
        class(*), intent(in), target :: x(:, :)
        access = access_2(LBRUN_OUT, x)
    end function

    type(lbrun_access) function inout_2(x) result(access)
        class(*), intent(in), target :: x(:, :)
        access = access_2(LBRUN_INOUT, x)
    end function

    type(lbrun_access) function access_3(mode, x) result(access)
        integer(c_int), intent(in) :: mode
        class(*), intent(in), target :: x(:, :, :)
        type(c_ptr) :: first
        call check_contiguous(is_contiguous(x))
        first = lbrun_address(x) ! a copy of a section of one element
        if (size(x) > 0) first = lbrun_address_of_scalar(x(1, 1, 1))
        access = lbrun_access(mode, first, storage_size(x, c_size_t) / 8 * size(x, kind=c_size_t))
    end function

    type(lbrun_access) function in_3(x) result(access)
        class(*), intent(in), target :: x(:, :, :)
        access = access_3(LBRUN_IN, x)
    end function

    type(lbrun_access) function out_3(x) result(access)
        class(*), intent(in), target :: x(:, :, :)
        access = access_3(LBRUN_OUT, x)
    end function

    type(lbrun_access) function inout_3(x) result(access)
        class(*), intent(in), target :: x(:, :, :)
        access = access_3(LBRUN_INOUT, x)
    end function

    subroutine allocate_real64_1(x, n)
        real(real64), pointer, intent(out) :: x(:)
        integer, intent(in) :: n
        integer(c_size_t) :: count
        count = product(int([n], c_size_t))
        call c_f_pointer(lbrun_alloc(count * (storage_size(x, c_size_t) / 8)), x, [n])
    end subroutine

    subroutine deallocate_real64_1(x)
        real(real64), pointer, intent(inout) :: x(:)
        if (associated(x)) call lbrun_free(lbrun_address(x))
        nullify (x)
    end subroutine

    subroutine allocate_real64_2(x, n, m)
        real(real64), pointer, intent(out) :: x(:, :)
        integer, intent(in) :: n, m
        integer(c_size_t) :: count
        count = product(int([n, m], c_size_t))
        call c_f_pointer(lbrun_alloc(count * (storage_size(x, c_size_t) / 8)), x, [n, m])
    end subroutine

    subroutine deallocate_real64_2(x)
        real(real64), pointer, intent(inout) :: x(:, :)
        if (associated(x)) call lbrun_free(lbrun_address(x))
        nullify (x)
    end subroutine

    subroutine allocate_real64_3(x, n, m, l)
        real(real64), pointer, intent(out) :: x(:, :, :)
        integer, intent(in) :: n, m, l
        integer(c_size_t) :: count
        count = product(int([n, m, l], c_size_t))
        call c_f_pointer(lbrun_alloc(count * (storage_size(x, c_size_t) / 8)), x, [n, m, l])
    end subroutine

    subroutine deallocate_real64_3(x)
        real(real64), pointer, intent(inout) :: x(:, :, :)
        if (associated(x)) call lbrun_free(lbrun_address(x))
        nullify (x)
    end subroutine

    subroutine allocate_real32_1(x, n)
        real(real32), pointer, intent(out) :: x(:)
        integer, intent(in) :: n
        integer(c_size_t) :: count
        count = product(int([n], c_size_t))
        call c_f_pointer(lbrun_alloc(count * (storage_size(x, c_size_t) / 8)), x, [n])
    end subroutine

    subroutine deallocate_real32_1(x)
        real(real32), pointer, intent(inout) :: x(:)
        if (associated(x)) call lbrun_free(lbrun_address(x))
        nullify (x)
    end subroutine

    subroutine allocate_real32_2(x, n, m)
        real(real32), pointer, intent(out) :: x(:, :)
        integer, intent(in) :: n, m
        integer(c_size_t) :: count
        count = product(int([n, m], c_size_t))
        call c_f_pointer(lbrun_alloc(count * (storage_size(x, c_size_t) / 8)), x, [n, m])
    end subroutine

    subroutine deallocate_real32_2(x)
        real(real32), pointer, intent(inout) :: x(:, :)
        if (associated(x)) call lbrun_free(lbrun_address(x))
        nullify (x)
    end subroutine

    subroutine allocate_real32_3(x, n, m, l)
        real(real32), pointer, intent(out) :: x(:, :, :)
        integer, intent(in) :: n, m, l
        integer(c_size_t) :: count
        count = product(int([n, m, l], c_size_t))
        call c_f_pointer(lbrun_alloc(count * (storage_size(x, c_size_t) / 8)), x, [n, m, l])
    end subroutine

    subroutine deallocate_real32_3(x)
        real(real32), pointer, intent(inout) :: x(:, :, :)
        if (associated(x)) call lbrun_free(lbrun_address(x))
        nullify (x)
    end subroutine

    subroutine allocate_int32_1(x, n)
        integer(int32), pointer, intent(out) :: x(:)
        integer, intent(in) :: n
        integer(c_size_t) :: count
        count = product(int([n], c_size_t))
        call c_f_pointer(lbrun_alloc(count * (storage_size(x, c_size_t) / 8)), x, [n])
    end subroutine

    subroutine deallocate_int32_1(x)
        integer(int32), pointer, intent(inout) :: x(:)
        if (associated(x)) call lbrun_free(lbrun_address(x))
        nullify (x)
    end subroutine

    subroutine allocate_int32_2(x, n, m)
        integer(int32), pointer, intent(out) :: x(:, :)
        integer, intent(in) :: n, m
        integer(c_size_t) :: count
        count = product(int([n, m], c_size_t))
        call c_f_pointer(lbrun_alloc(count * (storage_size(x, c_size_t) / 8)), x, [n, m])
    end subroutine

    subroutine deallocate_int32_2(x)
        integer(int32), pointer, intent(inout) :: x(:, :)
        if (associated(x)) call lbrun_free(lbrun_address(x))
        nullify (x)
    end subroutine

    subroutine allocate_int32_3(x, n, m, l)
        integer(int32), pointer, intent(out) :: x(:, :, :)
        integer, intent(in) :: n, m, l
        integer(c_size_t) :: count
        count = product(int([n, m, l], c_size_t))
        call c_f_pointer(lbrun_alloc(count * (storage_size(x, c_size_t) / 8)), x, [n, m, l])
    end subroutine

    subroutine deallocate_int32_3(x)
        integer(int32), pointer, intent(inout) :: x(:, :, :)
        if (associated(x)) call lbrun_free(lbrun_address(x))
        nullify (x)
    end subroutine

    subroutine allocate_int64_1(x, n)
        integer(int64), pointer, intent(out) :: x(:)
        integer, intent(in) :: n
        integer(c_size_t) :: count
        count = product(int([n], c_size_t))
        call c_f_pointer(lbrun_alloc(count * (storage_size(x, c_size_t) / 8)), x, [n])
    end subroutine

    subroutine deallocate_int64_1(x)
        integer(int64), pointer, intent(inout) :: x(:)
        if (associated(x)) call lbrun_free(lbrun_address(x))
        nullify (x)
    end subroutine

    subroutine allocate_int64_2(x, n, m)
        integer(int64), pointer, intent(out) :: x(:, :)
        integer, intent(in) :: n, m
        integer(c_size_t) :: count
        count = product(int([n, m], c_size_t))
        call c_f_pointer(lbrun_alloc(count * (storage_size(x, c_size_t) / 8)), x, [n, m])
    end subroutine

    subroutine deallocate_int64_2(x)
        integer(int64), pointer, intent(inout) :: x(:, :)
        if (associated(x)) call lbrun_free(lbrun_address(x))
        nullify (x)
    end subroutine

    subroutine allocate_int64_3(x, n, m, l)
        integer(int64), pointer, intent(out) :: x(:, :, :)
        integer, intent(in) :: n, m, l
        integer(c_size_t) :: count
        count = product(int([n, m, l], c_size_t))
        call c_f_pointer(lbrun_alloc(count * (storage_size(x, c_size_t) / 8)), x, [n, m, l])
    end subroutine

    subroutine deallocate_int64_3(x)
        integer(int64), pointer, intent(inout) :: x(:, :, :)
        if (associated(x)) call lbrun_free(lbrun_address(x))
        nullify (x)
    end subroutine
end module
