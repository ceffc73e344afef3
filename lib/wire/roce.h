/// RoCEv2 frames: parse, ICRC, build. The C twin of rtl/roce/roce_pkg.sv and of the parser's rules (docs/wire.md).
/// Frames are Ethernet without FCS; lengths are bytes; all integers are in host order.
#ifndef WEIR_WIRE_ROCE_H
#define WEIR_WIRE_ROCE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define ROCE_UDP_PORT 4791
#define INA_TAG 0x4E657452u
#define INA_BYTES 16u
/// Where a result carries the device's epoch (docs/wire.md): this byte of the INA header, which is the high one of Workers, and in a packet without one
/// these bits of the immediate value. Senders that look for it leave zeros there.
#define INA_EPOCH 14u
#define IMM_EPOCH UINT32_C(0xFF00)
/// Longest headers in front of a tensor: Ethernet, 802.1Q, IPv6, UDP, BTH, RETH, ImmDt, INA.
#define ROCE_MAX_HEADER 114u

enum roce_opcode {
  ROCE_SEND_FIRST = 0x00,
  ROCE_SEND_MIDDLE,
  ROCE_SEND_LAST,
  ROCE_SEND_LAST_IMM,
  ROCE_SEND_ONLY,
  ROCE_SEND_ONLY_IMM,
  ROCE_WRITE_FIRST,
  ROCE_WRITE_MIDDLE,
  ROCE_WRITE_LAST,
  ROCE_WRITE_LAST_IMM,
  ROCE_WRITE_ONLY,
  ROCE_WRITE_ONLY_IMM,
  ROCE_READ_REQUEST,
  ROCE_READ_RESPONSE_FIRST,
  ROCE_READ_RESPONSE_MIDDLE,
  ROCE_READ_RESPONSE_LAST,
  ROCE_READ_RESPONSE_ONLY,
  ROCE_ACK,
  ROCE_ATOMIC_ACK,
  ROCE_COMPARE_SWAP,
  ROCE_FETCH_ADD,
  ROCE_SEND_LAST_INV = 0x16,
  ROCE_SEND_ONLY_INV = 0x17,
  ROCE_UD_SEND_ONLY = 0x64,
  ROCE_CNP = 0x81
};

/// What names an RC connection. IPv4 addresses are the first 4 bytes, the rest zero.
struct conn_key {
  uint16_t vlan;   ///< VID; 0 also without a tag
  bool v6;
  uint8_t src[16], dst[16];
  uint32_t qpn;
};

bool conn_key_equal(const struct conn_key *a, const struct conn_key *b);
/// FNV-1a of all that names a connection: equal keys have the same.
uint64_t conn_key_hash(const struct conn_key *key);

enum ina_type { INA_FP32 = 0, INA_FP16 = 1, INA_BF16 = 2, INA_INT32 = 3 };
enum ina_op { INA_SUM = 0, INA_MIN = 1, INA_MAX = 2 };
/// What they are called: "fp32", "sum"; by number, NULL at the end.
extern const char *const ina_types[], *const ina_ops[];

/// INA header without its tag. `kind` holds type in the low nibble, operation in the high one.
struct ina_header {
  uint16_t ring;
  uint8_t rank, kind;
  uint32_t msgid;
  uint16_t msglen, workers;
};

/// Bytes of an element of `kind`, 2 or 4; 0 if `kind` is no code of docs/wire.md.
size_t ina_element_size(uint8_t kind);
void ina_put(uint8_t out[INA_BYTES], const struct ina_header *ina);
/// Reads what ina_put writes; the tag is the caller's to look at.
void ina_get(const uint8_t in[INA_BYTES], struct ina_header *ina);

enum roce_class {
  ROCE_OTHER,      ///< not RoCEv2, or not to be understood: passes
  ROCE_BAD_ICRC,   ///< RoCEv2 whose ICRC does not fit: dropped
  ROCE_CONTROL,    ///< good, but no SEND or WRITE data of RC: passes
  ROCE_CANDIDATE   ///< good SEND or WRITE data packet
};

/// A parsed frame. From `opcode` on, fields are set for every class but ROCE_OTHER; from `starts` on, only for candidates.
struct roce_packet {
  enum roce_class class;
  bool vlan;
  size_t ip, udp, bth;   ///< offsets in the frame
  size_t ip_end;         ///< first byte behind the ICRC
  uint8_t opcode;
  struct conn_key key;
  uint32_t psn;
  bool ack_request;
  uint8_t pad;
  bool starts;             ///< opcode FIRST or ONLY
  bool tagged;             ///< `starts` and the payload begins with the INA tag (16 bytes at least)
  struct ina_header ina;   ///< if `tagged`
  size_t header;           ///< bytes in front of the tensor (INA header included if `tagged`)
  size_t tensor;           ///< bytes of tensor, without pad; 0 if `length_bad`
  bool length_bad;         ///< no room for extension headers or pad
};

/// The epoch in a header, or in an immediate value; 0: no mark.
static inline uint8_t ina_epoch(const struct ina_header *ina) { return (uint8_t)(ina->workers >> 8); }
static inline uint8_t imm_epoch(uint32_t imm) { return (uint8_t)((imm & IMM_EPOCH) >> 8); }

/// True if an opcode of SEND or WRITE begins a message.
bool roce_is_first(uint8_t opcode);
/// The extension headers of such a packet end with an immediate value.
static inline bool roce_has_imm(uint8_t opcode) {
  return opcode == ROCE_SEND_LAST_IMM || opcode == ROCE_SEND_ONLY_IMM || opcode == ROCE_WRITE_LAST_IMM ||
         opcode == ROCE_WRITE_ONLY_IMM;
}

/// Parses and checks one frame of `len` bytes. Never fails: what it cannot understand is ROCE_OTHER.
void roce_parse(const uint8_t *frame, size_t len, struct roce_packet *out);
/// The same as a device without the check reads it: whatever stands for the ICRC is right. Only a length that none fits is ROCE_BAD_ICRC.
void roce_parse_any_icrc(const uint8_t *frame, size_t len, struct roce_packet *out);

/// True if the frame is RoCEv2 with room for BTH and ICRC (rules 3 of docs/wire.md), whatever its ICRC; sets the offsets.
bool roce_locate(const uint8_t *frame, size_t len, struct roce_packet *out);

/// ICRC as a number to be stored least significant byte first, over frame[ip .. ip_end-4) (IBA annex A17).
uint32_t icrc_compute(const uint8_t *frame, const struct roce_packet *at);

/// Writes the ICRC of a frame built elsewhere; the frame must pass roce_locate.
void icrc_put(uint8_t *frame, const struct roce_packet *at);

/// Everything needed to build a frame.
struct roce_build {
  uint8_t src_mac[6], dst_mac[6];
  bool vlan;          ///< with an 802.1Q tag, also if `key` has VLAN 0
  uint8_t vlan_pcp;   ///< its upper 4 bits: PCP and DEI
  struct conn_key key;
  uint16_t ip_id, udp_src, udp_checksum;
  uint8_t traffic_class, ttl;
  uint8_t opcode;
  bool solicited, migreq, ack_request;
  uint16_t pkey;
  uint32_t psn;
  uint8_t reth[16], imm[4];
  const struct ina_header *ina;   ///< NULL for none
  const uint8_t *payload;         ///< behind the INA header
  size_t payload_len;             ///< without pad; pad bytes are `pad_fill`
  uint8_t pad_fill;
};

/// Folded ones' complement sum of an IPv4 header without options, as it goes into its checksum if that is 0 meanwhile. Of a header whose
/// checksum is right it is 0.
uint16_t roce_ip_checksum(const uint8_t *ip);

/// Builds a frame with IP checksum and ICRC into `out`. Returns its length, or 0 if `size` is too small.
size_t roce_build(const struct roce_build *b, uint8_t *out, size_t size);

/// Makes a whole frame of headers (`header` bytes) that were taken from another one and `payload` bytes behind them: pad bytes (room for
/// these and the ICRC is needed), lengths, IP checksum, no UDP checksum, ICRC. Returns its bytes.
size_t roce_refit(uint8_t *frame, size_t header, size_t payload);

#endif
