/// All-reduce through the device: messages of a ring in order, and a window of them that moves with received results (NetReduce 3.2).
///
/// Message m is sent only when the results of all messages up to m - N are held, so that no slot of the device and none of the next
/// host's is needed twice. One thread at a time; nothing blocks.
#ifndef WEIR_HOST_ENGINE_H
#define WEIR_HOST_ENGINE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "host/chunk.h"
#include "host/transport.h"

enum { ENGINE_REQUESTS = 16 };

struct engine_config {
  struct transport transport;   ///< with 2 * window slots at least
  struct chunk_shape shape;
  uint16_t ring;
  uint8_t rank;
  uint16_t workers;
  bool marks;        ///< takes a message only if it is a result by its marks (docs/protocol.md); not where arrivals are polled
  unsigned window;   ///< messages outstanding
  uint32_t msgid;    ///< of the first message; the same for all ranks
  uint64_t timeout_ns;   ///< without any progress, while a request waits: it fails
};

/// What of an all-reduce a ring of hosts alone does (host/plain.h); the device does all of it.
enum engine_part { ENGINE_WHOLE, ENGINE_SCATTER, ENGINE_GATHER };

/// One all-reduce under way. Numbers of messages are counted over the engine's life.
struct engine_request {
  const uint8_t *send;
  uint8_t *receive;
  size_t bytes;
  uint8_t kind;
  enum engine_part part;
  uint32_t key;      ///< transport's name for the memory of `send`
  bool registered;   ///< it has one: `send` is read in place
  uint64_t first, count;
};

struct engine {
  struct engine_config config;
  struct engine_request requests[ENGINE_REQUESTS];   ///< a queue
  unsigned oldest, pending;
  uint64_t queued, sent, acknowledged, held;   ///< messages
  uint64_t moved_ns;                           ///< when there was progress
  bool trial;                                  ///< the caller's: messages without marks are taken, and told by ..
  bool unmarked;                               ///< .. this
  struct failure failure;                      ///< it stays
};

/// 0, or -EINVAL if the configuration makes no sense.
int engine_init(struct engine *e, const struct engine_config *config);
/// Queues a request (copied; its first and count are filled in). `send` and `receive` may be the same memory, otherwise they must not overlap;
/// both must stay until it is done. Its number in `*number`. 0, -EINVAL, -EAGAIN if there are ENGINE_REQUESTS already, or the error the
/// engine failed with.
int engine_start(struct engine *e, const struct engine_request *request, uint64_t now_ns, uint64_t *number);
/// Does what can be done at once. 0, or the error: -ETIMEDOUT, -EPROTO for a wrong answer, -EBADMSG for one without its mark, or the transport's. Then nothing goes any more.
int engine_progress(struct engine *e, uint64_t now_ns);
/// What is waited for: the message of the result that is due, since when nothing moved, and what all of it is, as in "an all-reduce of 1024 fp32, sum",
/// in `size` bytes. False if nothing is.
bool engine_waits(const struct engine *e, uint64_t *message, uint64_t *since_ns, char *text, size_t size);
/// True if the request of that number has all results and, if so asked, the transport reads none of its memory any more.
bool engine_done(const struct engine *e, uint64_t number, bool acknowledged);

#endif
