/// Gather packets: many small requests for properties, or their responses, in one RoCEv2 UD packet (NetSparse 6.1; docs/wire.md).
/// Lengths are bytes; all integers are in host order.
#ifndef WEIR_WIRE_GATHER_H
#define WEIR_WIRE_GATHER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/// Concatenation header, header of a PR (property request or its response), DETH.
#define GATHER_CONCAT_BYTES 14u
#define GATHER_PR_BYTES 18u
#define GATHER_DETH_BYTES 8u
/// What an IP packet carries around the concatenation header and the PRs: IPv4, UDP, BTH, DETH, ICRC.
#define GATHER_UPPER_BYTES 52u
/// The same on a cable: Ethernet header and FCS too.
#define GATHER_CABLE_BYTES (GATHER_UPPER_BYTES + 18u)
/// Queue pair of the gather engine, the same at every node, and the Q_Key that it asks for.
#define GATHER_QPN 0x004753u
#define GATHER_QKEY 0x57454952u
/// Longest frame: what fits into an IP packet of 65535 bytes never comes near, because PRs are packed up to the MTU.
#define GATHER_MAX_FRAME 9216u

enum gather_type { GATHER_READ = 1, GATHER_RESPONSE = 2 };

/// What PRs of one packet share.
struct gather_header {
  uint16_t type;         ///< enum gather_type
  uint32_t dest;         ///< node that the packet goes to
  uint16_t generation;   ///< of the operand that properties are of; a new one with each tile and iteration
  uint16_t len;          ///< of a property; the same for all PRs of a generation, so reads tell it too
  uint32_t count;        ///< PRs
};

/// One property request. A response repeats what its request said, so `src` is always who asked.
struct gather_pr {
  uint32_t src;   ///< node that asked
  uint16_t tid;   ///< its RIG unit
  uint64_t idx;   ///< column of the matrix, index of the property
  uint32_t id;    ///< the RIG unit's own name for it
};

/// A PR on its own, outside of any packet.
struct gather_request {
  enum gather_type type;
  uint32_t dest;
  uint16_t generation;
  uint32_t len;
  struct gather_pr pr;
  const uint8_t *property;   ///< `len` bytes of a response; NULL for a read. Not owned.
};

/// Bytes that a PR of this type takes in a packet.
static inline size_t gather_pr_size(enum gather_type type, uint32_t len) {
  // In size_t: a hostile packet's length may be as large as it can.
  return GATHER_PR_BYTES + (size_t)(type == GATHER_RESPONSE ? len : 0);
}

void gather_put_header(uint8_t out[GATHER_CONCAT_BYTES], const struct gather_header *h);
/// Writes a PR with its property, gather_pr_size bytes.
void gather_put_pr(uint8_t *out, const struct gather_request *r);

/// What can be wrong with a packet; it is then dropped as a whole.
enum gather_fault {
  GATHER_GOOD,
  GATHER_FOREIGN,        ///< no RoCEv2 UD SEND_ONLY with a good ICRC
  GATHER_SHORT,          ///< no room for the concatenation header
  GATHER_UNKNOWN_TYPE,   ///< neither read nor response
  GATHER_EMPTY,          ///< of no PRs
  GATHER_LENGTH          ///< count and length disagree
};
/// In words, for people.
const char *gather_fault_text(enum gather_fault fault);

/// Checks a packet from its concatenation header on, without pad bytes. Fills `h` as far as it can be read.
enum gather_fault gather_check(const uint8_t *data, size_t len, struct gather_header *h);
/// PR number `i` of a packet that was checked; its property points into `data`.
void gather_get_pr(const uint8_t *data, const struct gather_header *h, uint32_t i, struct gather_request *out);

/// Addresses of a packet's two ends.
struct gather_ends {
  uint8_t src_mac[6], dst_mac[6], src_ip[4], dst_ip[4];
  uint32_t psn;   ///< of no meaning for UD; counted up by senders
};
/// Builds a frame around `len` bytes from the concatenation header on. Returns its length, or 0 if `size` is too small.
size_t gather_build(const struct gather_ends *ends, const uint8_t *data, size_t len, uint8_t *out, size_t size);
/// Finds in a frame what gather_build was given, and checks all of it. `data` points into the frame.
enum gather_fault gather_parse(const uint8_t *frame, size_t frame_len, const uint8_t **data, size_t *len,
                               struct gather_header *h);

// --- arithmetic of NetSparse ---

/// PRs that fit into a packet of `mtu` bytes, of which `upper` are around the concatenation header (NetSparse counts 50).
uint32_t gather_capacity(enum gather_type type, uint32_t len, size_t mtu, size_t upper);
/// Share of headers in all traffic if each PR has packets of its own, a read and a response (NetSparse Table 3).
double gather_header_share(size_t upper, size_t concat, uint32_t len);

#endif
