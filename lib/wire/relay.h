/// What devices of a tree say to each other (docs/wire.md, docs/relay.md): virtual packets and notifications.
#ifndef WEIR_WIRE_RELAY_H
#define WEIR_WIRE_RELAY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "wire/roce.h"

/// Begins the payload of a notification, in the place of INA_TAG: "NetN".
#define RELAY_NOTE_TAG 0x4E65744Eu

/// Where a device, or a host, is.
struct relay_end {
  uint8_t mac[6], ip[4];
  unsigned port;   ///< by which the device reaches it
};

/// The virtual connection of a ring from one device to its neighbour.
struct conn_key relay_key(uint16_t ring, const struct relay_end *from, const struct relay_end *to);
/// Is it of a virtual connection, by its queue pair number?
bool relay_is_virtual(const struct conn_key *key);

/// One packet of a virtual connection: SEND ONLY with an INA header; its PSN is the packet's offset in its message. Returns its bytes, or
/// 0 if `size` is too small.
size_t relay_packet(const struct relay_end *from, const struct relay_end *to, const struct ina_header *ina, unsigned offset,
                    const uint8_t *tensor, size_t len, uint8_t *out, size_t size);

/// The notification that a FIRST, ONLY or LAST packet makes: its headers, and 16 bytes that say of which message it is. Room for
/// ROCE_MAX_HEADER + 4 bytes in `out`. Returns its bytes.
size_t relay_note(const uint8_t *frame, const struct roce_packet *p, const struct ina_header *ina, uint8_t *out);
/// True if a parsed frame is a notification; fills `ina`.
bool relay_is_note(const uint8_t *frame, const struct roce_packet *p, struct ina_header *ina);
/// True for the opcodes of which notifications are made.
bool relay_notes(uint8_t opcode);

#endif
