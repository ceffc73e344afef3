/// The interface of NCCL's CollNet plugins, version 8 (NCCL 2.20 and later), by its published layout: what NCCL looks for is a symbol ncclCollNetPlugin_v8 of this type.
#ifndef WEIR_HOST_NCCL_COLLNET_H
#define WEIR_HOST_NCCL_COLLNET_H

#include <stddef.h>
#include <stdint.h>

enum { COLLNET_HANDLE = 128, COLLNET_HOST_MEMORY = 1 };
/// ncclResult_t, ncclDataType_t and ncclRedOp_t, as far as they are used.
enum collnet_result {
  COLLNET_SUCCESS = 0,
  COLLNET_SYSTEM_ERROR = 2,
  COLLNET_INTERNAL_ERROR = 3,
  COLLNET_INVALID = 4,
  COLLNET_REMOTE_ERROR = 6
};
enum collnet_type { COLLNET_INT32 = 2, COLLNET_FP16 = 6, COLLNET_FP32 = 7, COLLNET_BF16 = 9 };
enum collnet_op { COLLNET_SUM = 0, COLLNET_MAX = 2, COLLNET_MIN = 3, COLLNET_AVERAGE = 4 };
/// Levels and subsystems of its log.
enum { COLLNET_WARN = 2, COLLNET_INFO = 3, COLLNET_NET = 16 };

typedef void collnet_log(int level, unsigned long subsystems, const char *file, int line, const char *format, ...);

struct collnet_properties {
  const char *name, *pci_path;
  uint64_t guid;
  int memory;   ///< kinds that can be registered
  int global_registration, speed_mbps, port;
  float latency_us;
  int most_comms, most_receives;
  int device_type, device_version;   ///< of offloads in a GPU's code; 0: none
};

struct collnet_part {
  void *memory, *address;
  uint32_t bytes;
};

/// All return an enum collnet_result.
struct collnet_plugin {
  const char *name;
  int (*init)(collnet_log *log);
  int (*devices)(int *count);
  int (*properties)(int device, struct collnet_properties *out);
  int (*listen)(int device, void *handle, void **listener);
  int (*connect)(void *handles[], int ranks, int rank, void *listener, void **comm);
  int (*reduce_support)(int type, int op, int *supported);
  int (*register_memory)(void *comm, void *data, size_t bytes, int kind, void **memory);
  int (*register_dma_buf)(void *comm, void *data, size_t bytes, int kind, uint64_t offset, int fd, void **memory);
  int (*deregister)(void *comm, void *memory);
  int (*all_reduce)(void *comm, void *send, void *receive, int count, int type, int op, void *send_memory, void *receive_memory,
                    void **request);
  int (*all_gather)(void *comm, void *send, int parts, struct collnet_part *receive, size_t bytes_per_rank, size_t window_offset,
                    size_t window_bytes, void *send_memory, void **request);
  int (*reduce_scatter)(void *comm, int parts, struct collnet_part *send, void *receive, size_t bytes_per_rank,
                        size_t window_offset, size_t window_bytes, int type, int op, void *receive_memory, void **request);
  int (*flush)(void *comm, void *data, int bytes, void *memory, void **request);
  int (*test)(void *request, int *done, int *bytes);
  int (*close)(void *comm);
  int (*close_listener)(void *listener);
};

#endif
