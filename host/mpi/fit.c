#include "host/mpi/fit.h"

const char *const fit_names[FITS] = {"", "communicator", "type", "operation", "size"};

enum fit fit_communicator(MPI_Comm comm, const struct fit_limits *limits) {
  int same = MPI_UNEQUAL;
  if (comm == MPI_COMM_WORLD) return FIT_YES;
  if (!limits->dups || comm == MPI_COMM_NULL || PMPI_Comm_compare(comm, MPI_COMM_WORLD, &same) != MPI_SUCCESS)
    return FIT_COMMUNICATOR;
  return same == MPI_CONGRUENT ? FIT_YES : FIT_COMMUNICATOR;
}

static enum fit fit_size(size_t bytes, const struct fit_limits *limits) {
  return bytes >= limits->least && bytes <= limits->most ? FIT_YES : FIT_SIZE;
}

enum fit fit_reduction(int count, MPI_Datatype type, MPI_Op op, const struct fit_limits *limits, enum weir_coll_type *weir_type,
                       enum weir_coll_op *weir_op) {
  const bool is_float = type == MPI_FLOAT || type == MPI_REAL || type == MPI_REAL4;
  const bool is_int = type == MPI_INT || type == MPI_INT32_T || type == MPI_INTEGER || type == MPI_INTEGER4;
  // A sum modulo 2^32 has the same bits, with a sign or without; an order has not.
  const bool is_unsigned = type == MPI_UNSIGNED || type == MPI_UINT32_T;
  if (!is_float && !is_int && !is_unsigned) return FIT_TYPE;
  if (op != MPI_SUM && (is_unsigned || (op != MPI_MIN && op != MPI_MAX))) return FIT_OPERATION;
  *weir_type = is_float ? WEIR_COLL_FP32 : WEIR_COLL_INT32;
  *weir_op = op == MPI_SUM ? WEIR_COLL_SUM : op == MPI_MIN ? WEIR_COLL_MIN : WEIR_COLL_MAX;
  return count < 0 ? FIT_SIZE : fit_size((size_t)count * 4, limits);
}

enum fit fit_broadcast(int count, MPI_Datatype type, const struct fit_limits *limits, size_t *bytes) {
  MPI_Count size;
  if (PMPI_Type_size_x(type, &size) != MPI_SUCCESS || size == MPI_UNDEFINED || size < 0) return FIT_TYPE;
  if (count < 0 || (size > 0 && (size_t)count > SIZE_MAX / 8 / (size_t)size)) return FIT_SIZE;
  *bytes = (size_t)count * (size_t)size;
  return *bytes <= INT32_MAX ? fit_size(*bytes, limits) : FIT_SIZE;
}
