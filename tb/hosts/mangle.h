/// Frames that nobody should send, made of good ones or of nothing: what a device must pass or drop. Random choices are the
/// caller's generator.
#ifndef WEIR_HOSTS_MANGLE_H
#define WEIR_HOSTS_MANGLE_H

#include <stddef.h>
#include <stdint.h>

#include "base/rng.h"

/// Longest frame of mangle_ethernet; how much longer mangle_strange makes one.
enum { MANGLE_ETHERNET = 256, MANGLE_GROWS = 8 };

/// A new ICRC after a change, if the frame still is RoCEv2.
void mangle_seal(uint8_t *frame, size_t len);
/// Random bytes behind an EtherType that is often of interest; MANGLE_ETHERNET bytes are written. Returns the frame's length,
/// 1 or more.
size_t mangle_ethernet(struct rng *rng, uint8_t *frame);
/// A RoCEv2 frame in an encapsulation that is not to be understood: IP options, fragments, TCP, two tags, wrong lengths and
/// versions; its ICRC is good where it has one. Returns its new length.
size_t mangle_strange(struct rng *rng, uint8_t *frame, size_t len);
/// One to three wrong bits, anywhere.
void mangle_bits(struct rng *rng, uint8_t *frame, size_t len);
/// A wrong byte among the last four, which is the ICRC if nothing pads the frame.
void mangle_icrc(struct rng *rng, uint8_t *frame, size_t len);
/// Where the frame ends early: 1 to `len` - 1.
size_t mangle_cut(struct rng *rng, size_t len);
/// Opcode of a RoCEv2 packet that is no SEND or WRITE of RC: READ, ACK, atomics, CNP, UD.
uint8_t mangle_control(struct rng *rng);

#endif
