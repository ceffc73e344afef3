/// Writes what is sent on chosen cables into a capture, as frames that Wireshark reads: headers as a RoCEv2 interface fills them in, the message's number again
/// and again in place of its bytes, a right ICRC.
#ifndef WEIR_SIM_TAP_H
#define WEIR_SIM_TAP_H

#include "sim/engine/world/packet.h"
#include "wire/capture.h"
#include "wire/roce.h"

/// Bytes of a frame at most; destination queue pair of data is this and the requester's number.
enum { TAP_FRAME = 4400, TAP_QPN = 0x800000 };

struct tap {
  struct capture_writer *writer;
  unsigned interface;   ///< of the capture
};

/// The packet's first bit is on the cable at `time_ps`.
void tap_put(const struct tap *t, uint64_t time_ps, const struct world_packet *packet);
/// The frame of a packet, without FCS: its bytes.
size_t tap_frame(const struct world_packet *packet, uint8_t frame[TAP_FRAME]);
/// The headers that a packet has on a cable; INA header and payload are the caller's.
void tap_headers(const struct world_packet *packet, struct roce_build *b);
/// Host `h` has this IPv4 address, which is what follows 02:00 in its MAC, too.
uint32_t tap_address(uint32_t h);

#endif
