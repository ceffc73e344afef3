/// Writes what is sent on chosen cables into a capture, as frames that Wireshark reads: headers as a RoCEv2 interface fills them in, the message's number again
/// and again in place of its bytes, a right ICRC.
#ifndef WEIR_SIM_TAP_H
#define WEIR_SIM_TAP_H

#include "sim/engine/world/packet.h"
#include "wire/capture.h"

enum { TAP_FRAME = 4400 };

struct tap {
  struct capture_writer *writer;
  unsigned interface;   ///< of the capture
};

/// The packet's first bit is on the cable at `time_ps`.
void tap_put(const struct tap *t, uint64_t time_ps, const struct world_packet *packet);
/// The frame of a packet, without FCS: its bytes.
size_t tap_frame(const struct world_packet *packet, uint8_t frame[TAP_FRAME]);
/// Host `h` has this IPv4 address, which is what follows 02:00 in its MAC, too.
uint32_t tap_address(uint32_t h);

#endif
