/// A ring of host engines in one process, with a fake transport and a device (or none) between them that can hold back and damage.
#ifndef WEIR_UNIT_FAKE_RING_H
#define WEIR_UNIT_FAKE_RING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "host/engine.h"
#include "host/plain.h"

enum {
  FAKE_HOSTS = 6,
  FAKE_WINDOW = 4,
  FAKE_SLOTS = 2 * FAKE_WINDOW,
  FAKE_MTU = 256,
  FAKE_MSGLEN = 3,
  FAKE_SLOT_BYTES = FAKE_MTU * FAKE_MSGLEN,
  FAKE_MOST = FAKE_SLOT_BYTES - 16,
  FAKE_ROOM = 16 * FAKE_SLOT_BYTES,
  FAKE_NOBODY = FAKE_HOSTS,
  FAKE_TIMEOUT = 1000000
};

enum fake_kind { FAKE_DEVICE, FAKE_NO_DEVICE };

/// What happens at message `fault_at` to host 1.
enum fake_fault {
  FAKE_FINE,
  FAKE_WRONG_HEADER,
  FAKE_WRONG_LENGTH,
  FAKE_UNASKED,
  FAKE_UNREACHABLE,
  FAKE_NO_SEND,
  FAKE_NO_SLOT,
  FAKE_RAW,
  FAKE_RAW_END,
  FAKE_TWO_EPOCHS
};

struct fake_host {
  struct fake_ring *ring;
  unsigned rank;
  struct engine engine;
  struct plain plain;
  uint64_t request;   // number of the latest
  uint8_t staging[FAKE_SLOTS][FAKE_SLOT_BYTES], landing[FAKE_SLOTS][FAKE_SLOT_BYTES];
  uint8_t wire[FAKE_SLOTS][FAKE_SLOT_BYTES];   // messages as they were sent
  size_t sizes[FAKE_SLOTS], landed[FAKE_SLOTS];
  uint32_t immediates[FAKE_SLOTS], came[FAKE_SLOTS];   // of both, where no device is
  uint64_t sent, told;                                 // messages: sent, and of these told as acknowledged
  uint64_t delivered, seen, read;                      // messages: landed here, told, and read
  uint8_t tensor[FAKE_ROOM], result[FAKE_ROOM], expected[FAKE_ROOM];
};

struct fake_ring {
  unsigned count, window;
  enum fake_kind kind;
  unsigned held_back;        ///< a host whose messages do not arrive
  unsigned unacknowledged;   ///< a host that gets no acknowledgements
  enum fake_fault fault;
  uint64_t fault_at, now;
  uint64_t most_open;   ///< messages of a host without result
  size_t bytes;
  bool in_place;
  uint8_t epoch;   ///< what the device marks results with; fake_marks
  struct fake_host hosts[FAKE_HOSTS];
};

/// `polled`: hosts look into memory for results. Aborts if out of memory.
struct fake_ring *fake_open(unsigned hosts, unsigned window, bool polled, enum fake_kind kind);
void fake_close(struct fake_ring *f);
/// The device marks results with `epoch`; `wanted`: hosts take nothing else.
void fake_marks(struct fake_ring *f, uint8_t epoch, bool wanted);
/// Starts an all-reduce of a host over its tensor, whatever that is. What engine_start returns.
int fake_start(struct fake_ring *f, unsigned host, uint8_t kind, size_t bytes);
/// New tensors, and an all-reduce of them on every host.
void fake_reduce(struct fake_ring *f, uint8_t kind, size_t bytes, bool in_place, bool registered);
/// Every host once, and one message of each on its way.
void fake_step(struct fake_ring *f);
/// Until all are done: 0, or the first error of any host.
int fake_run(struct fake_ring *f);
/// All results of the latest fake_reduce are right.
void fake_check(struct fake_ring *f);

#endif
