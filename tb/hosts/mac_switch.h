/// The commodity Ethernet switch behind the device: it learns MAC addresses and forwards or floods. One table for all VLANs.
#ifndef WEIR_HOSTS_MAC_SWITCH_H
#define WEIR_HOSTS_MAC_SWITCH_H

#include <stddef.h>
#include <stdint.h>

struct mac_switch;

/// A switch with `ports` ports (1 to 64) and an empty table. NULL if out of memory. Freed with mac_switch_free.
struct mac_switch *mac_switch_new(unsigned ports);
void mac_switch_free(struct mac_switch *s);
/// A static entry: `mac` is behind `port` for good, whoever claims it elsewhere.
void mac_switch_bind(struct mac_switch *s, const uint8_t mac[6], unsigned port);

/// Learns that the source of this frame is behind `port`, unless it is a group or the frame is no whole Ethernet header. Aborts if the
/// host runs out of memory.
void mac_switch_learn(struct mac_switch *s, unsigned port, const uint8_t *frame, size_t len);
/// A frame comes in by `port`: learns where its source is and says where the frame goes: bit p of the result is port p. That is
/// the port of its destination, or all ports but `port` if the destination is unknown or a group. 0 if the destination is behind
/// `port` itself, or if the frame is no whole Ethernet header. Aborts if the host runs out of memory.
uint64_t mac_switch_forward(struct mac_switch *s, unsigned port, const uint8_t *frame, size_t len);
/// The same for a frame from a port that is none of these and teaches nothing, as the ports of the device are.
uint64_t mac_switch_lookup(struct mac_switch *s, const uint8_t *frame, size_t len);

#endif
