! SPDX-License-Identifier: BSD-3-Clause
! The live runtime for Fortran: the calls of lbrun.h through ISO_C_BINDING. A task's procedure is
! bind(c), and takes its argument as type(c_ptr), value.
!
!     use lbrun
!     call lbrun_start()
!     call lbrun_task(c_funloc(update), c_loc(arg), c_sizeof(arg), 1_c_int, [lbrun_access(LBRUN_INOUT, c_loc(x), n * 8)], c_null_ptr)
module lbrun
    use, intrinsic :: iso_c_binding
    implicit none

    integer(c_int), parameter :: LBRUN_IN = 1, LBRUN_OUT = 2, LBRUN_INOUT = 3, LBRUN_COMMUTATIVE = 19
    integer(c_int32_t), parameter :: LBRUN_ANYWHERE = 0, LBRUN_HERE = 1

    type, bind(c) :: lbrun_access
        integer(c_int) :: mode
        type(c_ptr) :: address
        integer(c_size_t) :: bytes
    end type

    type, bind(c) :: lbrun_options
        integer(c_int32_t) :: priority = 0, flags = LBRUN_ANYWHERE
        real(c_double) :: cost = 0
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

        subroutine lbrun_task(function, argument, argument_bytes, naccess, access, options) bind(c)
            import :: c_funptr, c_ptr, c_size_t, c_int, lbrun_access
            type(c_funptr), value :: function
            type(c_ptr), value :: argument
            integer(c_size_t), value :: argument_bytes
            integer(c_int), value :: naccess
            type(lbrun_access), intent(in) :: access(*)
            type(c_ptr), value :: options
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

contains

    subroutine lbrun_start()
        call lbrun_start_c(c_null_ptr, c_null_ptr)
    end subroutine
end module
