! SPDX-License-Identifier: BSD-3-Clause
! The multi-zone solver of zone.h in Fortran, with the same zones and the same steps:
! multizone-fortran-MPI [STEPS [ZONES [NX [NY [NZ [RATIO]]]]]]. Prints the time of a step and a hash of the field, which
! depends neither on the number of threads nor on that of ranks.
module zones
    use mpi
    use, intrinsic :: iso_fortran_env, only: real64, int64
    implicit none
    integer, parameter :: unknowns = 5, west = 1, east = 2, south = 3, north = 4, sides = 4
    integer, parameter :: opposite(sides) = [east, west, north, south], dx(sides) = [-1, 1, 0, 0], dy(sides) = [0, 0, -1, 1]
    type face
        real(real64), allocatable :: cells(:, :, :)
    end type face
    type zone
        integer :: number, nx, ny, nz
        real(real64), allocatable :: u(:, :, :, :), rhs(:, :, :, :) ! (unknowns, 0:nx+1, 0:ny+1, nz)
        type(face) :: out(sides), in(sides)
    end type zone
    integer :: across = 4, nx = 96, ny = 96, nz = 16, steps = 60
    real(real64) :: ratio = 20
contains
    ! The first cell of part i of n: widths are a geometric sequence, the last sqrt(ratio) times the first.
    integer function start_of(cells, i)
        integer, intent(in) :: cells, i
        real(real64) :: factor, before, all, width
        integer :: part
        factor = 1
        if (across > 1) factor = ratio**(0.5_real64/(across - 1))
        before = 0
        all = 0
        width = 1
        do part = 0, across - 1
            if (part < i) before = before + width
            all = all + width
            width = width*factor
        end do
        start_of = nint(cells*before/all)
    end function start_of

    integer function beside(number, side)
        integer, intent(in) :: number, side
        beside = modulo(number/across + dy(side), across)*across + modulo(mod(number, across) + dx(side), across)
    end function beside

    integer function owner(number, nrank)
        integer, intent(in) :: number, nrank
        owner = number*nrank/(across*across)
    end function owner

    subroutine init(z, number)
        type(zone), intent(out) :: z
        integer, intent(in) :: number
        integer :: first_x, first_y, i, j, k, c, side, length
        first_x = start_of(nx, mod(number, across))
        first_y = start_of(ny, number/across)
        z%number = number
        z%nx = start_of(nx, mod(number, across) + 1) - first_x
        z%ny = start_of(ny, number/across + 1) - first_y
        z%nz = nz
        allocate (z%u(unknowns, 0:z%nx + 1, 0:z%ny + 1, nz), z%rhs(unknowns, 0:z%nx + 1, 0:z%ny + 1, nz))
        z%u = 0
        z%rhs = 0
        do k = 1, nz
            do j = 1, z%ny
                do i = 1, z%nx
                    do c = 1, unknowns
                        z%u(c, i, j, k) = 1 + 0.01_real64*mod((first_x + i)*c, 17) + 0.02_real64*mod(first_y + j, 13) &
                                          + 0.03_real64*mod(k - 1, 7)
                    end do
                end do
            end do
        end do
        do side = 1, sides
            length = merge(z%ny, z%nx, side <= east)
            allocate (z%out(side)%cells(unknowns, length, nz), z%in(side)%cells(unknowns, length, nz))
        end do
    end subroutine init

    subroutine get_face(z, side)
        type(zone), intent(inout) :: z
        integer, intent(in) :: side
        select case (side)
        case (west)
            z%out(side)%cells = z%u(:, 1, 1:z%ny, :)
        case (east)
            z%out(side)%cells = z%u(:, z%nx, 1:z%ny, :)
        case (south)
            z%out(side)%cells = z%u(:, 1:z%nx, 1, :)
        case (north)
            z%out(side)%cells = z%u(:, 1:z%nx, z%ny, :)
        end select
    end subroutine get_face

    subroutine put_face(z, side)
        type(zone), intent(inout) :: z
        integer, intent(in) :: side
        select case (side)
        case (west)
            z%u(:, 0, 1:z%ny, :) = z%in(side)%cells
        case (east)
            z%u(:, z%nx + 1, 1:z%ny, :) = z%in(side)%cells
        case (south)
            z%u(:, 1:z%nx, 0, :) = z%in(side)%cells
        case (north)
            z%u(:, 1:z%nx, z%ny + 1, :) = z%in(side)%cells
        end select
    end subroutine put_face

    ! The tridiagonal systems of a line of n cells, by elimination.
    subroutine solve_line(n, u, rhs)
        integer, intent(in) :: n
        real(real64), intent(in) :: u(unknowns, n)
        real(real64), intent(inout) :: rhs(unknowns, n)
        real(real64), parameter :: side = -0.2_real64
        real(real64) :: factor(n), middle, pivot
        integer :: c, i
        do c = 1, unknowns
            factor(1) = side/(1.4_real64 + 0.05_real64*abs(u(c, 1)))
            rhs(c, 1) = rhs(c, 1)/(1.4_real64 + 0.05_real64*abs(u(c, 1)))
            do i = 2, n
                middle = 1.4_real64 + 0.05_real64*abs(u(c, i))
                pivot = middle - side*factor(i - 1)
                factor(i) = side/pivot
                rhs(c, i) = (rhs(c, i) - side*rhs(c, i - 1))/pivot
            end do
            do i = n - 1, 1, -1
                rhs(c, i) = rhs(c, i) - factor(i)*rhs(c, i + 1)
            end do
        end do
    end subroutine solve_line

    subroutine set_rhs(z)
        type(zone), intent(inout) :: z
        integer :: i, j, k, c, below, above
!$omp parallel do collapse(2) schedule(static) private(i, c, below, above)
        do k = 1, nz
            do j = 1, z%ny
                below = max(k - 1, 1)
                above = min(k + 1, nz)
                do i = 1, z%nx
                    do c = 1, unknowns
                        z%rhs(c, i, j, k) = 0.1_real64*(z%u(c, i - 1, j, k) + z%u(c, i + 1, j, k) + z%u(c, i, j - 1, k) &
                                                        + z%u(c, i, j + 1, k) + z%u(c, i, j, below) + z%u(c, i, j, above) &
                                                        - 6*z%u(c, i, j, k)) &
                                            - 0.01_real64*(z%u(c, i, j, k) - z%u(mod(c, unknowns) + 1, i, j, k))
                    end do
                end do
            end do
        end do
    end subroutine set_rhs

    subroutine step(z)
        type(zone), intent(inout) :: z
        integer :: i, j, k
        call set_rhs(z)
!$omp parallel do collapse(2) schedule(static)
        do k = 1, nz
            do j = 1, z%ny
                call solve_line(z%nx, z%u(:, 1:z%nx, j, k), z%rhs(:, 1:z%nx, j, k))
            end do
        end do
!$omp parallel do collapse(2) schedule(static)
        do k = 1, nz
            do i = 1, z%nx
                call solve_line(z%ny, z%u(:, i, 1:z%ny, k), z%rhs(:, i, 1:z%ny, k))
            end do
        end do
!$omp parallel do collapse(2) schedule(static)
        do j = 1, z%ny
            do i = 1, z%nx
                call solve_line(nz, z%u(:, i, j, :), z%rhs(:, i, j, :))
            end do
        end do
!$omp parallel do collapse(2) schedule(static)
        do k = 1, nz
            do j = 1, z%ny
                z%u(:, 1:z%nx, j, k) = z%u(:, 1:z%nx, j, k) + z%rhs(:, 1:z%nx, j, k)
            end do
        end do
    end subroutine step
end module zones

program multizone
    use zones
    implicit none
    type(zone), allocatable :: zone_of(:)
    integer, allocatable :: request(:)
    integer :: rank, nrank, error, provided, i, n, z
    real(real64) :: start_s
    integer(int64) :: hash, total
    call MPI_Init_thread(MPI_THREAD_FUNNELED, provided, error)
    call MPI_Comm_rank(MPI_COMM_WORLD, rank, error)
    call MPI_Comm_size(MPI_COMM_WORLD, nrank, error)
    call read_arguments()
    n = count([(owner(i, nrank) == rank, i=0, across*across - 1)])
    allocate (zone_of(n), request(2*sides*n))
    n = 0
    do i = 0, across*across - 1
        if (owner(i, nrank) /= rank) cycle
        n = n + 1
        call init(zone_of(n), i)
    end do
    start_s = MPI_Wtime()
    do i = 1, steps
        call exchange()
        do z = 1, n
            call step(zone_of(z))
        end do
        call MPI_Barrier(MPI_COMM_WORLD, error)
    end do
    start_s = MPI_Wtime() - start_s
    hash = 0
    do z = 1, n
        hash = hash + hash_of(zone_of(z))
    end do
    call MPI_Reduce(hash, total, 1, MPI_INTEGER8, MPI_SUM, 0, MPI_COMM_WORLD, error)
    if (rank == 0) print '(a, f8.4, a)', 'time per iteration: ', start_s/steps, ' s'
    if (rank == 0) print '(a, z16.16)', 'checksum: ', total
    call MPI_Finalize(error)
contains
    subroutine read_arguments()
        character(len=32) :: word
        integer :: value(5), at, status
        value = [steps, across, nx, ny, nz]
        status = 0
        do at = 1, min(command_argument_count(), 6)
            call get_command_argument(at, word)
            if (at <= 5) read (word, *, iostat=status) value(at)
            if (at == 6) read (word, *, iostat=status) ratio
            if (status /= 0) exit
        end do
        if (status /= 0 .or. any(value < [1, 1, 2, 2, 3]) .or. ratio < 1 .or. min(value(3), value(4)) < 2*value(2)) then
            if (rank == 0) write (0, '(a)') 'multizone: usage: [STEPS [ZONES [NX [NY [NZ [RATIO]]]]]], numbers from 1 on, ' &
                //'two cells for each zone'
            call MPI_Finalize(error)
            stop 2
        end if
        steps = value(1)
        across = value(2)
        nx = value(3)
        ny = value(4)
        nz = value(5)
    end subroutine read_arguments

    ! The tag names the face that is sent.
    subroutine exchange()
        integer :: side, other, at
        at = 0
        do z = 1, n
            do side = 1, sides
                other = beside(zone_of(z)%number, side)
                call MPI_Irecv(zone_of(z)%in(side)%cells, size(zone_of(z)%in(side)%cells), MPI_DOUBLE_PRECISION, &
                               owner(other, nrank), other*sides + opposite(side), MPI_COMM_WORLD, request(at + 1), error)
                call get_face(zone_of(z), side)
                call MPI_Isend(zone_of(z)%out(side)%cells, size(zone_of(z)%out(side)%cells), MPI_DOUBLE_PRECISION, &
                               owner(other, nrank), zone_of(z)%number*sides + side, MPI_COMM_WORLD, request(at + 2), error)
                at = at + 2
            end do
        end do
        call MPI_Waitall(at, request, MPI_STATUSES_IGNORE, error)
        do z = 1, n
            do side = 1, sides
                call put_face(zone_of(z), side)
            end do
        end do
    end subroutine exchange

    ! Of the bits of all cells, whichever rank has them: a sum modulo 2**64.
    integer(int64) function hash_of(of)
        type(zone), intent(in) :: of
        integer :: c, ci, cj, ck
        hash_of = 0
        do ck = 1, nz
            do cj = 1, of%ny
                do ci = 1, of%nx
                    do c = 1, unknowns
                        hash_of = hash_of + ieor(transfer(of%u(c, ci, cj, ck), 0_int64), &
                                                 int(c + 5*ci + 1000*cj + 100000*ck + of%number, int64))
                    end do
                end do
            end do
        end do
    end function hash_of
end program multizone
