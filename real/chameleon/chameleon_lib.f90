! SPDX-License-Identifier: BSD-3-Clause
! CHAMELEON's calls for Fortran, under the names of its own module, by the live runtime (chameleon.h says what they do).
!
!     mpifort chameleon_lib.f90 program.f90 ... ; mpicc -c chameleon_lib.c ; linked with the runtime's library
!
! A task's procedure is bind(c). Of its arguments those that are mapped are pointers to the data: a scalar dummy by reference
! or `type(c_ptr), value`; literals are whole numbers with `value`, as wide as a pointer.
module chameleon_lib
    use, intrinsic :: iso_c_binding
    implicit none
    private :: create_of_procedure, create_of_pointer

    integer(c_int), parameter :: CHAM_OMP_TGT_MAPTYPE_TO = 1, CHAM_OMP_TGT_MAPTYPE_FROM = 2
    integer(c_int), parameter :: CHAM_OMP_TGT_MAPTYPE_LITERAL = 256

    type, bind(c) :: map_entry
        type(c_ptr) :: valptr            ! of a literal its value
        integer(kind=c_size_t) :: size   ! bytes
        integer(kind=c_int) :: type      ! sum of CHAM_OMP_TGT_MAPTYPE_*
    end type

    ! The procedure itself, or its c_funloc().
    interface chameleon_create_task
        procedure create_of_procedure, create_of_pointer
    end interface

    interface
        integer(c_int) function chameleon_init() bind(c)
            import :: c_int
        end function

        integer(c_int) function chameleon_thread_init() bind(c)
            import :: c_int
        end function

        integer(c_int) function chameleon_thread_finalize() bind(c)
            import :: c_int
        end function

        integer(c_int) function chameleon_determine_base_addresses(main) bind(c)
            import :: c_int, c_ptr
            type(c_ptr), intent(in) :: main
        end function

        type(c_ptr) function chameleon_create_task_fortran(entry, nargs, args) bind(c)
            import :: c_ptr, c_funptr, c_int
            type(c_funptr), value :: entry
            integer(c_int), value :: nargs
            type(c_ptr), value :: args
        end function

        integer(c_int) function chameleon_add_task_fortran(task) bind(c)
            import :: c_int, c_ptr
            type(c_ptr), value :: task
        end function

        integer(c_int) function chameleon_get_task_id(task) bind(c)
            import :: c_int, c_ptr
            type(c_ptr), value :: task
        end function

        integer(c_int) function chameleon_local_task_has_finished(task_id) bind(c)
            import :: c_int
            integer(c_int), value :: task_id
        end function

        integer(c_int) function chameleon_taskyield() bind(c)
            import :: c_int
        end function

        ! Called as a function: its result means nothing.
        integer(c_int) function chameleon_set_callback_task_finish(task, func_ptr, func_param) bind(c)
            import :: c_int, c_ptr, c_funptr
            type(c_ptr), value :: task
            type(c_funptr), value :: func_ptr
            type(c_ptr), value :: func_param
        end function

        integer(c_int) function chameleon_distributed_taskwait(nowait) bind(c)
            import :: c_int
            integer(c_int), value :: nowait
        end function

        integer(c_int) function chameleon_finalize() bind(c)
            import :: c_int
        end function
    end interface

contains

    type(c_ptr) function create_of_pointer(entry, nargs, args) result(task)
        type(c_funptr), intent(in) :: entry
        integer(c_int), intent(in) :: nargs
        type(map_entry), intent(in), target :: args(*)

        task = chameleon_create_task_fortran(entry, nargs, c_loc(args))
    end function

    type(c_ptr) function create_of_procedure(entry, nargs, args) result(task)
        external :: entry
        integer(c_int), intent(in) :: nargs
        type(map_entry), intent(in), target :: args(*)

        task = chameleon_create_task_fortran(c_funloc(entry), nargs, c_loc(args))
    end function
end module
