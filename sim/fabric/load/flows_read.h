/// Flows that a file names.
#ifndef WEIR_SIM_FLOWS_READ_H
#define WEIR_SIM_FLOWS_READ_H

#include <stddef.h>
#include <stdint.h>

/// What takes each of them: `bytes` from rank `src` to rank `dst`, from `start_ps` on.
typedef void flow_put(void *whom, uint32_t src, uint32_t dst, uint64_t bytes, uint64_t start_ps);

/// Reads lines SRC,DST,BYTES[,START_US], in decimal, of ranks 0 to `ranks` - 1; lines that are empty or begin with # are left out.
/// 0, or -1 and a line in `error`: a line is none of these, or there is no flow.
int flows_read(const char *path, uint32_t ranks, flow_put *put, void *whom, char *error, size_t size);

#endif
