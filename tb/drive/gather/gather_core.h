/// What the Verilated devices of the sparse gather have in common: pins by name, a clock, and ports that take and give frames.
/// Private to tb/drive.
#ifndef WEIR_DRIVE_GATHER_CORE_H
#define WEIR_DRIVE_GATHER_CORE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "drive/device.h"
#include "drive/pins.h"
#include "hosts/gather/gather_element.h"
#include "wire/gather.h"

enum { GATHER_CORE_PORTS = 32 };

/// Called from gather_core_finish.
struct gather_core_calls {
  void *user;
  /// A whole frame has left.
  void (*out)(void *user, unsigned port, const uint8_t *frame, size_t len);
  /// An assertion of the device failed; its own text is on stderr already. Called once.
  void (*failed)(void *user, uint64_t cycle, const char *where);
};

/// A frame on its way in or out.
struct gather_core_frame {
  size_t len, at;
  uint8_t data[GATHER_MAX_FRAME];
};

struct gather_core {
  const char *name;   ///< of the configuration
  unsigned ports;
  struct gather_core_calls calls;
  struct device device;
  bool wave, failed;
  uint64_t cycle;
  struct {
    struct device_pin awvalid, awready, awaddr, wvalid, wready, wdata, wstrb, bvalid, bready, bresp;
    struct device_pin arvalid, arready, araddr, rvalid, rready, rdata, rresp;
    struct device_pin clk, rst, s_tvalid, s_tready, s_tdata, s_tkeep, s_tlast, m_tvalid, m_tready, m_tdata, m_tkeep, m_tlast;
  } pins;
  struct gather_core_frame in[GATHER_CORE_PORTS], out[GATHER_CORE_PORTS];
};

/// Opens and resets a device. `wave`: FST file, or NULL. False if the wave file cannot be written, or there is no such device and it
/// cannot be built (a line on stderr says so).
bool gather_core_open(struct gather_core *c, const char *name, unsigned ports, uint64_t seed, const char *wave,
                      const struct gather_core_calls *calls);
void gather_core_close(struct gather_core *c);

/// A pin of so many bits (0: of any number). Aborts if there is none: the device is not the one that this was written for.
struct device_pin gather_core_pin(const struct gather_core *c, const char *name, unsigned bits);
/// The first 32 bits of a pin: a bit for each port, pipe or unit.
static inline uint32_t gather_core_load(struct device_pin pin) { return pin_load(pin.at, pin.bytes < 4 ? pin.bytes : 4); }
static inline void gather_core_store(struct device_pin pin, uint32_t value) {
  pin_store(pin.at, pin.bytes < 4 ? pin.bytes : 4, value);
}
/// Writes a register; its address is from rtl/csr. Takes some cycles, in which no port moves: nothing may be under way.
void gather_core_write(struct gather_core *c, unsigned address, uint32_t value);
uint32_t gather_core_read(struct gather_core *c, unsigned address);
/// Aborts if a register has another value: the device is not the one that this was written for.
void gather_core_expect(struct gather_core *c, unsigned address, uint32_t value);
/// A cycle in which no port moves.
void gather_core_idle(struct gather_core *c);
/// Offers a frame at a port that has none; it is copied. At most GATHER_MAX_FRAME bytes.
void gather_core_offer(struct gather_core *c, unsigned port, const uint8_t *frame, size_t len);
/// True while a frame that was offered is not wholly in.
static inline bool gather_core_offered(const struct gather_core *c, unsigned port) { return c->in[port].at < c->in[port].len; }
/// First half of a cycle: shows all inputs, of ports and what else was set. Ports of `ready` (a bit each) can take what leaves.
/// Behind it outputs can be read.
void gather_core_show(struct gather_core *c, uint32_t ready);
/// Second half: takes frames, and the clock's edge. True if a beat went in or out.
bool gather_core_finish(struct gather_core *c, uint32_t ready);

/// A frame around a packet, as whoever made the packet sends it. Returns its length; aborts if the packet is longer than any may be.
size_t gather_core_frame(const struct gather_packet *p, uint32_t psn, uint8_t frame[GATHER_MAX_FRAME]);
/// True if a frame that gather_parse found good has the addresses of the element `from` and the node `dest`.
bool gather_core_addressed(const uint8_t *frame, uint32_t from, uint32_t dest);

#endif
