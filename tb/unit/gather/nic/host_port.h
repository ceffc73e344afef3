/// Host memory and the index filter as a gathering network interface sees them: ports that answer in order, after a while.
#ifndef WEIR_UNIT_HOST_PORT_H
#define WEIR_UNIT_HOST_PORT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "drive/dut.h"

enum { HOST_QUEUE = 512, HOST_LINE = 64 };

/// Answers under way, oldest first; `due` is when one may be given.
struct host_answers {
  struct {
    uint64_t due;
    uint8_t data[HOST_LINE];
  } entries[HOST_QUEUE];
  size_t in, out;
};

struct host {
  uint8_t *memory;   ///< from address 0
  size_t size;
  bool *filter;   ///< a bit a column
  size_t columns;
  unsigned latency;   ///< cycles from request to answer, 4 or more
  unsigned stall;     ///< a port is not ready one time in this many; 0: never
  struct host_answers reads, writes, looks;
};

/// Memory of `size` bytes and a filter of `columns` bits, all zero.
void host_init(struct host *h, size_t size, size_t columns);
void host_free(struct host *h);
/// Whether a port takes a request in this cycle.
bool host_ready(const struct host *h);

/// A request is taken in cycle `now`. Fails the test if it is outside of memory or filter.
void host_read(struct host *h, uint64_t now, uint64_t addr, size_t bytes);
void host_write(struct host *h, uint64_t now, uint64_t addr, size_t bytes, const uint8_t *data);
void host_look(struct host *h, uint64_t now, uint64_t idx);
void host_mark(struct host *h, uint64_t idx);

/// The answer that comes in cycle `now`; NULL if none does.
const uint8_t *host_answer(struct host_answers *a, uint64_t now);

/// The channels of a module with ports host_o and host_i (host_req_t, host_rsp_t), in the order of `ready`.
enum { HOST_READ, HOST_WRITE, HOST_LOOK, HOST_MARK, HOST_CHANNELS };
/// Shows the module which channels are ready, and the answers of cycle `now`. Does not settle logic.
void host_show(struct host *h, struct dut *d, uint64_t now, const bool ready[HOST_CHANNELS]);
/// Takes what the module asks for of channels that are ready. True if a bit was set; then `*marked` is its column.
bool host_take(struct host *h, struct dut *d, uint64_t now, const bool ready[HOST_CHANNELS], uint64_t *marked);

#endif
