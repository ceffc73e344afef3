/// The interface of NCCL's plugins for messages between two ranks, version 8, by its published layout: a symbol ncclNetPlugin_v8 of this type. NCCL looks at a library's CollNet plugin only
/// if this is there, too, and takes both from the same library.
#ifndef WEIR_HOST_NCCL_NET_H
#define WEIR_HOST_NCCL_NET_H

#include "host/nccl/collnet.h"

/// All return an enum collnet_result.
struct net_plugin {
  const char *name;
  int (*init)(collnet_log *log);
  int (*devices)(int *count);
  int (*properties)(int device, struct collnet_properties *out);
  int (*listen)(int device, void *handle, void **listener);
  /// Both are called again and again until there is a `comm`; `device_comm` is of offloads in a GPU's code.
  int (*connect)(int device, void *handle, void **comm, void **device_comm);
  int (*accept)(void *listener, void **comm, void **device_comm);
  int (*register_memory)(void *comm, void *data, size_t bytes, int kind, void **memory);
  int (*register_dma_buf)(void *comm, void *data, size_t bytes, int kind, uint64_t offset, int fd, void **memory);
  int (*deregister)(void *comm, void *memory);
  int (*send)(void *comm, void *data, int bytes, int tag, void *memory, void **request);
  int (*receive)(void *comm, int count, void **data, int *bytes, int *tags, void **memories, void **request);
  int (*flush)(void *comm, int count, void **data, int *bytes, void **memories, void **request);
  int (*test)(void *request, int *done, int *bytes);
  int (*close_send)(void *comm);
  int (*close_receive)(void *comm);
  int (*close_listener)(void *listener);
  int (*device_memory)(void *comm, void *memory, void **out);
  int (*consumed)(void *comm, int count, void *request);
};

#endif
