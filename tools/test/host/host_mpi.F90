! An MPI program in Fortran for tools/test/host/test_host_mpi.sh that knows nothing of Weir: it prints `right' at rank 0 if every rank has what MPI promises. By mpif.h, -DMODULE: by
! `use mpi', -DF08: by `use mpi_f08'.
program host_mpi
#if defined(F08)
  use mpi_f08
  implicit none
  type(MPI_Comm) :: again, half
  type(MPI_Datatype) :: column
#elif defined(MODULE)
  use mpi
  implicit none
  integer :: again, half, column
#else
  implicit none
  include 'mpif.h'
  integer :: again, half, column
#endif
  integer, parameter :: most = 1000
  real :: numbers(most), sums(most)
  double precision :: wide, total
  integer :: whole(most), least(most), grid(3, 5)
  integer :: rank, ranks, i, root, code, provided, wrong = 0, all_wrong

  call MPI_Init_thread(MPI_THREAD_SINGLE, provided, code)
  call MPI_Comm_rank(MPI_COMM_WORLD, rank, code)
  call MPI_Comm_size(MPI_COMM_WORLD, ranks, code)
  do i = 1, most
    numbers(i) = real((rank + 1) * mod(i, 50))
    whole(i) = (mod(i, 7) - 3) * (rank + 1)
  end do
  sums = -1
  call MPI_Allreduce(numbers, sums, most, MPI_REAL, MPI_SUM, MPI_COMM_WORLD, code)
  call expect(code == MPI_SUCCESS .and. all(sums == [(real(ranks * (ranks + 1) / 2 * mod(i, 50)), i = 1, most)]))
  call MPI_Allreduce(MPI_IN_PLACE, numbers, most, MPI_REAL, MPI_MAX, MPI_COMM_WORLD, code)
  call expect(all(numbers == [(real(ranks * mod(i, 50)), i = 1, most)]))
  least = -99
  call MPI_Reduce(whole, least, most, MPI_INTEGER, MPI_SUM, ranks - 1, MPI_COMM_WORLD, code)
  if (rank == ranks - 1) call expect(all(least == [(ranks * (ranks + 1) / 2 * (mod(i, 7) - 3), i = 1, most)]))
  if (rank /= ranks - 1) call expect(all(least == -99))
  if (rank == 0) then
    call MPI_Reduce(MPI_IN_PLACE, whole, most, MPI_INTEGER, MPI_MIN, 0, MPI_COMM_WORLD, code)
  else
    call MPI_Reduce(whole, least, most, MPI_INTEGER, MPI_MIN, 0, MPI_COMM_WORLD, code)
  end if
  if (rank == 0) call expect(all(whole == [(min(mod(i, 7) - 3, (mod(i, 7) - 3) * ranks), i = 1, most)]))
  ! What Weir has not: MPI does it.
  wide = rank + 0.5d0
  call MPI_Allreduce(wide, total, 1, MPI_DOUBLE_PRECISION, MPI_SUM, MPI_COMM_WORLD, code)
  call expect(abs(total - ranks * ranks / 2d0) < 1d-9)
  call MPI_Comm_split(MPI_COMM_WORLD, rank, 0, half, code)
  call MPI_Allreduce(rank, i, 1, MPI_INTEGER, MPI_MAX, half, code)
  call expect(i == rank)
  ! One row of a matrix, whose elements are scattered.
  call MPI_Type_vector(5, 1, 3, MPI_INTEGER, column, code)
  call MPI_Type_commit(column, code)
  do root = 0, ranks - 1
    grid = -1
    if (rank == root) grid(1, :) = [(10 * root + i, i = 1, 5)]
    call MPI_Bcast(grid, 1, column, root, MPI_COMM_WORLD, code)
    call expect(all(grid(1, :) == [(10 * root + i, i = 1, 5)]) .and. all(grid(2:3, :) == -1))
  end do
  call MPI_Comm_dup(MPI_COMM_WORLD, again, code)
  i = rank
  call MPI_Bcast(i, 1, MPI_INTEGER, ranks - 1, again, code)
  call expect(i == ranks - 1)
#ifdef F08
  call MPI_Barrier(MPI_COMM_WORLD)
#else
  call MPI_Barrier(MPI_COMM_WORLD, code)
#endif
  call MPI_Allreduce(wrong, all_wrong, 1, MPI_INTEGER, MPI_SUM, MPI_COMM_WORLD, code)
  if (rank == 0 .and. all_wrong == 0) print '(a)', 'right'
  call MPI_Finalize(code)

contains
  subroutine expect(good)
    logical, intent(in) :: good
    if (.not. good) wrong = wrong + 1
  end subroutine
end program
