/// The witness's own reading of frames, from docs/wire.md and the InfiniBand annexes A16 and A17: nothing here is shared with what makes the
/// traffic, or with the golden model, so a field that one of them misunderstands is not misunderstood here too.
/// Frames are Ethernet without FCS; offsets and lengths are bytes.
#ifndef WEIR_ORACLE_WITNESS_READ_H
#define WEIR_ORACLE_WITNESS_READ_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/// What names an RC connection. IPv4 addresses are the first 4 bytes, the rest zero.
struct witness_key {
  uint16_t vlan;   ///< 0: no tag, or one that names none
  bool v6;
  uint8_t source[16], destination[16];
  uint32_t qp;   ///< at the destination
};

bool witness_key_equal(const struct witness_key *a, const struct witness_key *b);

/// An INA header, as it stands on the wire.
struct witness_tag {
  uint16_t ring;
  uint8_t rank, kind;   ///< kind: type in the low nibble, operation in the high one
  uint32_t msgid;
  uint16_t msglen, workers;
};

enum witness_sort {
  WITNESS_OTHER,      ///< passes, whatever it is
  WITNESS_BAD_ICRC,   ///< RoCEv2 with a wrong ICRC
  WITNESS_DATA        ///< SEND or WRITE data of RC
};

struct witness_reading {
  enum witness_sort sort;
  // Of WITNESS_DATA only.
  struct witness_key conn;
  uint32_t psn;
  size_t udp, bth;   ///< where these headers begin
  size_t body;       ///< where the tensor begins: behind extension headers and INA header
  size_t tensor;     ///< its bytes; 0 if `malformed`
  size_t end;        ///< first byte behind the ICRC
  bool behind_tag;   ///< it has a VLAN tag, whatever that names
  bool opens;        ///< FIRST or ONLY
  bool tagged;       ///< it opens, and begins with an INA header, which is `tag`
  bool malformed;    ///< no room for extension headers, or for so many pad bytes
  struct witness_tag tag;
};

/// Reads one frame. Never fails: what it does not understand passes.
void witness_read(const uint8_t *frame, size_t len, struct witness_reading *out);
/// The same, but any ICRC is right; only of a length that none fits it is wrong.
void witness_read_any_icrc(const uint8_t *frame, size_t len, struct witness_reading *out);

/// Bytes of one element of a tensor of `kind`; 0 if there is no such kind.
size_t witness_element_size(uint8_t kind);

/// Two bytes, big-endian.
static inline uint16_t witness_be16(const uint8_t *p) { return (uint16_t)(p[0] << 8 | p[1]); }

#endif
