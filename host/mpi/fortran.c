// The same calls of programs in Fortran: they have functions of their own behind MPI's profiling interface, by mpif.h, `use mpi` and `use mpi_f08`. Each turns its handles into
// those of C and does what a program in C would. `ierror` is NULL where the last of the three leaves it out.
#include <mpi.h>
#include <stddef.h>

// As gfortran writes their names.
#define FORTRAN(result) __attribute__((visibility("default"))) result
#define F08(name) __attribute__((visibility("default"), alias(#name)))

// What Fortran's MPI_IN_PLACE and MPI_BOTTOM are known by: their addresses, in the program. There are none in one that is not of Fortran.
extern int mpi_fortran_in_place_ __attribute__((weak));
extern int mpi_fortran_bottom_ __attribute__((weak));

/// A buffer as C has it.
static void *buffer(void *fortran) {
  if (fortran == (void *)&mpi_fortran_in_place_) return MPI_IN_PLACE;
  return fortran == (void *)&mpi_fortran_bottom_ ? MPI_BOTTOM : fortran;
}

static void say(MPI_Fint *ierror, int code) {
  if (ierror != NULL) *ierror = code;
}

void mpi_init_(MPI_Fint *ierror);
FORTRAN(void) mpi_init_(MPI_Fint *ierror) { say(ierror, MPI_Init(NULL, NULL)); }

void mpi_init_thread_(const MPI_Fint *wanted, MPI_Fint *provided, MPI_Fint *ierror);
FORTRAN(void) mpi_init_thread_(const MPI_Fint *wanted, MPI_Fint *provided, MPI_Fint *ierror) {
  int got = MPI_THREAD_SINGLE;
  say(ierror, MPI_Init_thread(NULL, NULL, *wanted, &got));
  *provided = got;
}

void mpi_finalize_(MPI_Fint *ierror);
FORTRAN(void) mpi_finalize_(MPI_Fint *ierror) { say(ierror, MPI_Finalize()); }

void mpi_allreduce_(void *send, void *receive, const MPI_Fint *count, const MPI_Fint *type, const MPI_Fint *op,
                    const MPI_Fint *comm, MPI_Fint *ierror);
FORTRAN(void)
mpi_allreduce_(void *send, void *receive, const MPI_Fint *count, const MPI_Fint *type, const MPI_Fint *op, const MPI_Fint *comm,
               MPI_Fint *ierror) {
  say(ierror, MPI_Allreduce(buffer(send), buffer(receive), *count, MPI_Type_f2c(*type), MPI_Op_f2c(*op), MPI_Comm_f2c(*comm)));
}

void mpi_reduce_(void *send, void *receive, const MPI_Fint *count, const MPI_Fint *type, const MPI_Fint *op, const MPI_Fint *root,
                 const MPI_Fint *comm, MPI_Fint *ierror);
FORTRAN(void)
mpi_reduce_(void *send, void *receive, const MPI_Fint *count, const MPI_Fint *type, const MPI_Fint *op, const MPI_Fint *root,
            const MPI_Fint *comm, MPI_Fint *ierror) {
  say(ierror,
      MPI_Reduce(buffer(send), buffer(receive), *count, MPI_Type_f2c(*type), MPI_Op_f2c(*op), *root, MPI_Comm_f2c(*comm)));
}

void mpi_bcast_(void *data, const MPI_Fint *count, const MPI_Fint *type, const MPI_Fint *root, const MPI_Fint *comm,
                MPI_Fint *ierror);
FORTRAN(void)
mpi_bcast_(void *data, const MPI_Fint *count, const MPI_Fint *type, const MPI_Fint *root, const MPI_Fint *comm,
           MPI_Fint *ierror) {
  say(ierror, MPI_Bcast(buffer(data), *count, MPI_Type_f2c(*type), *root, MPI_Comm_f2c(*comm)));
}

void mpi_barrier_(const MPI_Fint *comm, MPI_Fint *ierror);
FORTRAN(void) mpi_barrier_(const MPI_Fint *comm, MPI_Fint *ierror) { say(ierror, MPI_Barrier(MPI_Comm_f2c(*comm))); }

// `use mpi_f08`: a handle is a type with one such integer, and all goes by reference, too.
extern F08(mpi_init_) __typeof__(mpi_init_) mpi_init_f08_;
extern F08(mpi_init_thread_) __typeof__(mpi_init_thread_) mpi_init_thread_f08_;
extern F08(mpi_finalize_) __typeof__(mpi_finalize_) mpi_finalize_f08_;
extern F08(mpi_allreduce_) __typeof__(mpi_allreduce_) mpi_allreduce_f08_;
extern F08(mpi_reduce_) __typeof__(mpi_reduce_) mpi_reduce_f08_;
extern F08(mpi_bcast_) __typeof__(mpi_bcast_) mpi_bcast_f08_;
extern F08(mpi_barrier_) __typeof__(mpi_barrier_) mpi_barrier_f08_;
