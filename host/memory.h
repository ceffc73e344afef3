/// Memory that queue pairs may read and write.
#ifndef WEIR_HOST_MEMORY_H
#define WEIR_HOST_MEMORY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/// A registration of a caller's memory.
struct host_memory {
  void *data;
  size_t bytes;
  void *handle;   ///< NULL: none
  uint32_t key;   ///< as work requests name it
};

/// True if it has these bytes.
static inline bool memory_holds(const struct host_memory *m, const void *data, size_t bytes) {
  const uintptr_t from = (uintptr_t)m->data, at = (uintptr_t)data;
  return at >= from && bytes <= m->bytes && at - from <= m->bytes - bytes;
}
/// Ends it. 0, or a negative errno.
int memory_forget(struct host_memory *m);

#endif
