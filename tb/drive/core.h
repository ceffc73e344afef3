/// What the Verilated devices have in common that are not the aggregator: pins by name, a clock, registers, and ports that take and give
/// frames. Private to tb/drive.
#ifndef WEIR_DRIVE_CORE_H
#define WEIR_DRIVE_CORE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "drive/library/device.h"
#include "drive/pins.h"

enum { CORE_PORTS = 32, CORE_MAX_FRAME = 9216 };

/// Called from core_finish.
struct core_calls {
  void *user;
  /// A whole frame has left.
  void (*out)(void *user, unsigned port, const uint8_t *frame, size_t len);
  /// The same of one that its MAC is to send as broken (m_axis_tuser); NULL: the device marks none.
  void (*broken)(void *user, unsigned port);
  /// An assertion of the device failed; its own text is on stderr already. Called once.
  void (*failed)(void *user, uint64_t cycle, const char *where);
};

/// A frame on its way in or out.
struct core_frame {
  size_t len, at;
  bool bad;         ///< its MAC saw that it is damaged
  uint64_t began;   ///< cycle of the first beat of what leaves
  uint8_t data[CORE_MAX_FRAME];
};

struct core {
  const char *name;   ///< of the configuration
  unsigned ports;
  struct core_calls calls;
  struct device device;
  bool wave, failed;
  uint64_t cycle;
  void (*watch)(void *watcher);
  void *watcher;
  struct {
    struct device_pin awvalid, awready, awaddr, wvalid, wready, wdata, wstrb, bvalid, bready, bresp;
    struct device_pin arvalid, arready, araddr, rvalid, rready, rdata, rresp;
    struct device_pin clk, rst, s_tvalid, s_tready, s_tdata, s_tkeep, s_tlast, s_tuser, m_tvalid, m_tready, m_tdata, m_tkeep,
        m_tlast, m_tuser;
  } pins;
  struct core_frame in[CORE_PORTS], out[CORE_PORTS];
  struct faults *faults;   // NULL: none
};

/// Opens and resets a device. `wave`: FST file, or NULL. False if the wave file cannot be written, or there is no such device and it
/// cannot be built (a line on stderr says so).
bool core_open(struct core *c, const char *name, unsigned ports, uint64_t seed, const char *wave, const struct core_calls *calls);
void core_close(struct core *c);
/// From now on `watch` is called at the end of every cycle, also of those in which registers are used: outputs are what they are then.
void core_watch(struct core *c, void (*watch)(void *watcher), void *watcher);

/// From now on bits of its corrected memories flip, `per_1000` in 1000 cycles, so many in a word. Aborts if it has none such.
void core_flip(struct core *c, uint64_t seed, unsigned per_1000, unsigned bits);
/// Bits that have flipped.
uint64_t core_flipped(const struct core *c);

/// A pin of so many bits (0: of any number). Aborts if there is none: the device is not the one that this was written for.
struct device_pin core_pin(const struct core *c, const char *name, unsigned bits);
/// The first 32 bits of a pin: a bit for each port, pipe or unit.
static inline uint32_t core_load(struct device_pin pin) { return pin_load(pin.at, pin.bytes < 4 ? pin.bytes : 4); }
static inline void core_store(struct device_pin pin, uint32_t value) { pin_store(pin.at, pin.bytes < 4 ? pin.bytes : 4, value); }
/// Writes a register; its address is from rtl/csr. Takes some cycles, in which no port moves.
void core_write(struct core *c, unsigned address, uint32_t value);
uint32_t core_read(struct core *c, unsigned address);
/// Aborts if a register has another value: the device is not the one that this was written for.
void core_expect(struct core *c, unsigned address, uint32_t value);
/// Offers a frame at a port that has none; it is copied. At most CORE_MAX_FRAME bytes. `bad`: its MAC saw that it is damaged.
void core_offer(struct core *c, unsigned port, const uint8_t *frame, size_t len, bool bad);
/// True while a frame that was offered is not wholly in.
static inline bool core_offered(const struct core *c, unsigned port) { return c->in[port].at < c->in[port].len; }
/// First half of a cycle: shows all inputs, of ports and what else was set. Ports of `ready` (a bit each) can take what leaves.
/// Behind it outputs can be read.
void core_show(struct core *c, uint32_t ready);
/// Second half: takes frames, and the clock's edge. True if a beat went in or out.
bool core_finish(struct core *c, uint32_t ready);

#endif
