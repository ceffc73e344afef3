/// Which all-reduces run beside each other in one device, and on which hosts: each job is a ring.
#ifndef WEIR_SIM_JOBS_H
#define WEIR_SIM_JOBS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "sim/engine/tree/topology.h"

enum { JOBS_MOST = 32, JOBS_MOST_HOSTS = 16 };
#define JOBS_MOST_BYTES (UINT64_C(1) << 32)

/// One all-reduce: rank i is the i-th of its hosts.
struct job {
  uint8_t hosts[RACKS_MAX_HOSTS];
  unsigned ranks;
  uint8_t kind;    ///< type and operation, as in an INA header
  size_t tensor;   ///< bytes of each host
};

struct jobs {
  struct job list[JOBS_MOST];   ///< job i is ring i of the device
  unsigned count;
  unsigned hosts;   ///< 1 + the largest number of a host; those between that no job names do nothing
};

/// `count` jobs alike, each on all of `hosts` hosts, rank = host.
void jobs_alike(struct jobs *jobs, unsigned count, unsigned hosts, uint8_t kind, size_t tensor);

/// Reads [{"hosts": [0, 1], "type": "fp32", "op": "sum", "tensor": "64K"}, ..]: `text` itself if it begins like JSON, or else the file of
/// this name. `standard` has what a job does not say, but for its hosts. 0, or -1 and a line in `error`.
int jobs_read(struct jobs *jobs, const char *text, const struct job *standard, char *error, size_t size);

/// False if a tensor is no whole number of elements; `index` is that job.
bool jobs_whole(const struct jobs *jobs, unsigned *index);

/// Rank of a host in a job, or -1.
int job_rank(const struct job *job, unsigned host);
/// A job in words: "sum fp32 of 1048576 bytes on hosts 0-2, 5".
void job_print(FILE *file, const struct job *job);

#endif
