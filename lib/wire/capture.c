// Reads pcap (https://datatracker.ietf.org/doc/draft-ietf-opsawg-pcap/) and pcapng (draft-ietf-opsawg-pcapng).
//
// Interfaces are numbered within their section, as the file itself numbers them: two captures of one switch joined by `cat` keep
// their port numbers. An FCS that a file says its frames end with is not cut off. Lengths in the file are never trusted with
// memory: everything goes through one buffer of fixed size, and what is longer and not needed is read past.
#include "wire/capture.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#include "wire/bytes.h"

enum {
  MAX_FRAME = 262144,          // as Wireshark and libpcap have it
  BUFFER = MAX_FRAME + 1024,   // a frame with its block's fields; also the longest interface description
  MAX_INTERFACES = 65536,      // of a section
  PCAP_HEADER = 24,
  PCAP_RECORD = 16,
  BLOCK_HEAD = 8,       // type and length
  PACKET_FIELDS = 20,   // of a packet block, in front of the frame
  LINK_ETHERNET = 1,
  DEFAULT_TSRESOL = 6,
};
#define PCAP_MICROSECONDS 0xA1B2C3D4u
#define PCAP_NANOSECONDS 0xA1B23C4Du
#define PCAP_LINK_MASK 0x03FFFFFFu   // above it: length of the FCS and whether that length is known
#define BYTE_ORDER_MAGIC 0x1A2B3C4Du

// BLOCK_SECTION reads the same in both orders of bytes.
enum { BLOCK_INTERFACE = 1, BLOCK_PACKET = 2, BLOCK_SIMPLE = 3, BLOCK_ENHANCED = 6, BLOCK_SECTION = 0x0A0D0D0A };
enum { OPTION_END = 0, OPTION_TSRESOL = 9, OPTION_TSOFFSET = 14 };

struct interface {
  uint16_t link;      // type of its frames
  uint32_t snaplen;   // 0: no limit
  uint8_t tsresol;    // as in the file: power of 10, or of 2 if the top bit is set
  int64_t tsoffset;   // seconds
};

struct capture {
  gzFile file;
  char *path;
  bool pcapng;
  bool big_endian;        // the file, or the section
  uint32_t fraction_ns;   // pcap: unit of the fraction of a second
  struct interface *interfaces;
  unsigned count, room;   // interfaces of this section, and how many there is memory for
  unsigned most;          // interfaces of the section that has most
  uint64_t frames;        // handed out
  bool in_frame;          // what is being read is the next frame
  bool broken;
  struct file_error why;   // if broken
  uint8_t buffer[BUFFER];
};

/// Keeps what is wrong and where; always false.
__attribute__((format(printf, 2, 3))) static bool fail(struct capture *c, const char *format, ...) {
  char where[40] = "";
  if (c->in_frame)
    snprintf(where, sizeof where, "frame %llu", (unsigned long long)c->frames + 1);
  else if (c->frames != 0)
    snprintf(where, sizeof where, "after frame %llu", (unsigned long long)c->frames);
  va_list arguments;
  va_start(arguments, format);
  file_error_putv(&c->why, c->path, where, format, arguments);
  va_end(arguments);
  c->broken = true;
  return false;
}

static uint16_t get16(const struct capture *c, const uint8_t *p) { return c->big_endian ? get_be16(p) : get_le16(p); }
static uint32_t get32(const struct capture *c, const uint8_t *p) { return c->big_endian ? get_be32(p) : get_le32(p); }
static uint64_t get64(const struct capture *c, const uint8_t *p) {
  uint64_t first = get32(c, p), second = get32(c, p + 4);
  return c->big_endian ? first << 32 | second : second << 32 | first;
}

// ---------------------------------------------------------------------------------------------------------- bytes

/// Says why gzread gave less than it was asked for: zlib's reason, or `at_end` if there is none but the file's end.
static bool fail_short(struct capture *c, const char *at_end) {
  int code;
  const char *text = gzerror(c->file, &code);
  size_t name = strlen(c->path);
  if (strncmp(text, c->path, name) == 0 && strncmp(text + name, ": ", 2) == 0) text += name + 2;
  if (code == Z_OK || code == Z_STREAM_END) return fail(c, "%s", at_end);
  if (code == Z_BUF_ERROR) return fail(c, "gzip data are cut short");
  if (code == Z_DATA_ERROR) return fail(c, "gzip data are damaged (%s)", text);
  return fail(c, "cannot read: %s", text);
}

/// Bytes read, less than `len` only at the end of the file or if it cannot be read further.
static size_t read_some(struct capture *c, uint8_t *out, size_t len) {
  int got = gzread(c->file, out, (unsigned)len);   // `len` is at most BUFFER
  return got < 0 ? 0 : (size_t)got;
}

static bool read_all(struct capture *c, uint8_t *out, size_t len, const char *at_end) {
  return read_some(c, out, len) == len || fail_short(c, at_end);
}

/// Reads past `len` bytes. gzseek would not tell whether they are there.
static bool skip(struct capture *c, size_t len, const char *at_end) {
  uint8_t scratch[4096];
  while (len != 0) {
    size_t piece = len < sizeof scratch ? len : sizeof scratch;
    if (!read_all(c, scratch, piece, at_end)) return false;
    len -= piece;
  }
  return true;
}

/// Reads the first `len` bytes of a frame or block: 1, 0 if the file ends in front of them, -1 if it is broken.
static int read_head(struct capture *c, uint8_t *out, size_t len, const char *at_end) {
  size_t got = read_some(c, out, len);
  if (got == len) return 1;
  int code;
  gzerror(c->file, &code);
  if (got == 0 && (code == Z_OK || code == Z_STREAM_END)) return 0;
  fail_short(c, at_end);
  return -1;
}

// ----------------------------------------------------------------------------------------------------------- time

__extension__ typedef __int128 wide;   // holds any count of any unit with any offset, in nanoseconds

static wide power_of_10(unsigned n) {
  wide p = 1;
  while (n-- != 0) p *= 10;
  return p;
}

/// `ticks` of an interface as nanoseconds since the epoch; what is out of range becomes the nearest that is in it.
static uint64_t nanoseconds(const struct interface *i, uint64_t ticks) {
  const wide second = 1000000000;
  unsigned exponent = i->tsresol & 0x7F;
  wide ns;
  if (i->tsresol & 0x80)
    ns = (wide)ticks * second >> exponent;
  else if (exponent <= 9)
    ns = (wide)ticks * power_of_10(9 - exponent);
  else
    ns = exponent - 9 < 20 ? (wide)ticks / power_of_10(exponent - 9) : 0;   // 10^20 is more than any count
  ns += (wide)i->tsoffset * second;
  return ns < 0 ? 0 : ns > (wide)UINT64_MAX ? UINT64_MAX : (uint64_t)ns;
}

// ----------------------------------------------------------------------------------------------------------- pcap

static bool fail_link(struct capture *c, uint32_t link) {
  return fail(c, "link type %lu, only Ethernet (1) can be read", (unsigned long)link);
}

/// `magic` has been read.
static bool open_pcap(struct capture *c, uint32_t magic) {
  uint8_t head[PCAP_HEADER - 4];
  if (!read_all(c, head, sizeof head, "file ends inside the file header")) return false;
  unsigned major = get16(c, head), minor = get16(c, head + 2);
  // Before 2.4 the two lengths of a record were swapped.
  if (major != 2 || minor < 4) return fail(c, "pcap version %u.%u, only 2.4 can be read", major, minor);
  uint32_t link = get32(c, head + 16) & PCAP_LINK_MASK;
  if (link != LINK_ETHERNET) return fail_link(c, link);
  c->fraction_ns = magic == PCAP_NANOSECONDS ? 1 : 1000;
  c->most = 1;
  return true;
}

static int next_pcap(struct capture *c, struct capture_frame *frame) {
  uint8_t record[PCAP_RECORD];
  c->in_frame = true;
  int got = read_head(c, record, sizeof record, "file ends inside a frame's header");
  if (got != 1) return got;
  uint64_t seconds = get32(c, record), fraction = get32(c, record + 4);
  uint32_t len = get32(c, record + 8), wire_len = get32(c, record + 12);
  if (len > MAX_FRAME) {
    fail(c, "%lu bytes, a frame has %d at most", (unsigned long)len, MAX_FRAME);
    return -1;
  }
  if (!read_all(c, c->buffer, len, "file ends inside the frame")) return -1;
  *frame = (struct capture_frame){.data = c->buffer,
                                  .len = len,
                                  .wire_len = wire_len,
                                  .ns = seconds * 1000000000u + fraction * c->fraction_ns};
  return 1;
}

// --------------------------------------------------------------------------------------------------------- pcapng

static const char INSIDE_BLOCK[] = "file ends inside a block";

/// A block whose body is in the buffer, as far as it fits there.
struct block {
  uint32_t type;
  uint32_t len;   // of the body
};

static bool is_packet(uint32_t type) { return type == BLOCK_PACKET || type == BLOCK_SIMPLE || type == BLOCK_ENHANCED; }

/// A section header says in which order of bytes it is itself, from its length on. Keeps the magic number in the buffer.
static bool read_byte_order(struct capture *c) {
  if (!read_all(c, c->buffer, 4, INSIDE_BLOCK)) return false;
  c->big_endian = get_be32(c->buffer) == BYTE_ORDER_MAGIC;
  return c->big_endian || get_le32(c->buffer) == BYTE_ORDER_MAGIC || fail(c, "section header without byte order");
}

/// Reads the block that begins with `head`, its type and length.
static bool read_block(struct capture *c, const uint8_t head[BLOCK_HEAD], struct block *b) {
  uint8_t end[4];
  size_t have = 0;
  b->type = get32(c, head);
  c->in_frame = is_packet(b->type);
  if (b->type == BLOCK_SECTION) {
    if (!read_byte_order(c)) return false;
    have = 4;
  }
  uint32_t total = get32(c, head + 4);
  if (total < BLOCK_HEAD + have + sizeof end || total % 4 != 0)
    return fail(c, "%lu cannot be the length of a block", (unsigned long)total);
  b->len = total - (uint32_t)(BLOCK_HEAD + sizeof end);
  size_t kept = b->len < BUFFER ? b->len : BUFFER;
  if (!read_all(c, c->buffer + have, kept - have, INSIDE_BLOCK)) return false;
  if (!skip(c, b->len - kept, INSIDE_BLOCK) || !read_all(c, end, sizeof end, INSIDE_BLOCK)) return false;
  uint32_t again = get32(c, end);
  return again == total || fail(c, "a block of %lu bytes ends as one of %lu", (unsigned long)total, (unsigned long)again);
}

static bool start_section(struct capture *c, const struct block *b) {
  if (b->len < 16) return fail(c, "section header is too short");
  unsigned major = get16(c, c->buffer + 4), minor = get16(c, c->buffer + 6);
  if (major != 1) return fail(c, "pcapng version %u.%u, only 1.x can be read", major, minor);
  c->count = 0;
  return true;
}

static bool read_option(struct capture *c, struct interface *i, unsigned code, unsigned len, const uint8_t *value) {
  if (code == OPTION_TSRESOL) {
    if (len != 1) return fail(c, "interface %u: if_tsresol of %u bytes, not 1", c->count, len);
    i->tsresol = value[0];
  } else if (code == OPTION_TSOFFSET) {
    if (len != 8) return fail(c, "interface %u: if_tsoffset of %u bytes, not 8", c->count, len);
    i->tsoffset = (int64_t)get64(c, value);
  }
  return true;
}

static bool read_options(struct capture *c, struct interface *i, size_t at, size_t end) {
  while (at + 4 <= end) {
    unsigned code = get16(c, c->buffer + at), len = get16(c, c->buffer + at + 2);
    at += 4;
    if (code == OPTION_END) break;
    if (len > end - at) return fail(c, "interface %u: option %u is longer than its block", c->count, code);
    if (!read_option(c, i, code, len, c->buffer + at)) return false;
    at += (len + 3u) & ~3u;
  }
  return true;
}

static bool add_interface(struct capture *c, const struct block *b) {
  if (b->len < 8) return fail(c, "interface %u: its block is too short", c->count);
  if (b->len > BUFFER) return fail(c, "interface %u: its block has %lu bytes", c->count, (unsigned long)b->len);
  if (c->count == MAX_INTERFACES) return fail(c, "more than %d interfaces", MAX_INTERFACES);
  struct interface new = {.snaplen = get32(c, c->buffer + 4), .tsresol = DEFAULT_TSRESOL};
  unsigned link = get16(c, c->buffer);
  new.link = (uint16_t)link;   // matters with its first frame only
  if (!read_options(c, &new, 8, b->len)) return false;
  if (c->count == c->room) {
    unsigned room = c->room == 0 ? 8 : 2 * c->room;
    struct interface *grown = realloc(c->interfaces, room * sizeof *grown);
    if (grown == NULL) return fail(c, "out of memory");
    c->interfaces = grown;
    c->room = room;
  }
  c->interfaces[c->count++] = new;
  if (c->count > c->most) c->most = c->count;
  return true;
}

/// Where a frame is in the buffer, if it is there whole.
static bool place_frame(struct capture *c, const struct block *b, size_t at, struct capture_frame *frame) {
  if (frame->len > MAX_FRAME) return fail(c, "%zu bytes, a frame has %d at most", frame->len, MAX_FRAME);
  if (frame->len > b->len - at) return fail(c, "%zu bytes do not fit in its block", frame->len);
  if (frame->interface >= c->count) return fail(c, "interface %u is not described in front of it", frame->interface);
  const unsigned link = c->interfaces[frame->interface].link;
  if (link != LINK_ETHERNET) return fail(c, "interface %u: link type %u, only Ethernet (1) can be read", frame->interface, link);
  frame->data = c->buffer + at;
  return true;
}

/// Enhanced packet block, or the packet block that it replaced, which differs only in a shorter interface number.
static bool read_packet(struct capture *c, const struct block *b, struct capture_frame *frame) {
  const uint8_t *p = c->buffer;
  if (b->len < PACKET_FIELDS) return fail(c, "its block is too short");
  *frame = (struct capture_frame){.len = get32(c, p + 12), .wire_len = get32(c, p + 16)};
  frame->interface = b->type == BLOCK_ENHANCED ? get32(c, p) : get16(c, p);
  if (!place_frame(c, b, PACKET_FIELDS, frame)) return false;
  frame->ns = nanoseconds(&c->interfaces[frame->interface], (uint64_t)get32(c, p + 4) << 32 | get32(c, p + 8));
  return true;
}

/// Simple packet block: of interface 0, without a time stamp (0), its length told only by the interface's snap length.
static bool read_simple(struct capture *c, const struct block *b, struct capture_frame *frame) {
  if (b->len < 4) return fail(c, "its block is too short");
  uint32_t len = get32(c, c->buffer), snaplen = c->count != 0 ? c->interfaces[0].snaplen : 0;
  *frame = (struct capture_frame){.len = snaplen != 0 && snaplen < len ? snaplen : len, .wire_len = len};
  return place_frame(c, b, 4, frame);
}

/// The first section's header, whose first half has been read.
static bool open_pcapng(struct capture *c, uint8_t head[BLOCK_HEAD]) {
  struct block b;
  c->pcapng = true;
  return read_all(c, head + 4, BLOCK_HEAD - 4, INSIDE_BLOCK) && read_block(c, head, &b) && start_section(c, &b);
}

static int next_pcapng(struct capture *c, struct capture_frame *frame) {
  for (;;) {
    uint8_t head[BLOCK_HEAD];
    struct block b;
    c->in_frame = false;
    int got = read_head(c, head, sizeof head, INSIDE_BLOCK);
    if (got != 1) return got;
    bool good = read_block(c, head, &b);
    if (!good) return -1;
    switch (b.type) {
      case BLOCK_SECTION: good = start_section(c, &b); break;
      case BLOCK_INTERFACE: good = add_interface(c, &b); break;
      case BLOCK_PACKET:
      case BLOCK_ENHANCED: return read_packet(c, &b, frame) ? 1 : -1;
      case BLOCK_SIMPLE: return read_simple(c, &b, frame) ? 1 : -1;
      default: break;   // statistics, name resolution, secrets, and what is yet to be thought of
    }
    if (!good) return -1;
  }
}

// ------------------------------------------------------------------------------------------------------ interface

static bool recognize(struct capture *c) {
  static const char not_one[] = "not a capture (pcap or pcapng)";
  uint8_t head[BLOCK_HEAD];
  int got = read_head(c, head, 4, not_one);
  if (got != 1) return got == 0 ? fail(c, "empty file") : false;
  if (get_be32(head) == BLOCK_SECTION) return open_pcapng(c, head);
  for (int big = 0; big < 2; big++) {
    c->big_endian = big != 0;
    uint32_t magic = get32(c, head);
    if (magic == PCAP_MICROSECONDS || magic == PCAP_NANOSECONDS) return open_pcap(c, magic);
  }
  return fail(c, "%s", not_one);
}

struct capture *capture_open(const char *path, struct file_error *error) {
  struct capture *c = calloc(1, sizeof *c);
  char *name = strdup(path);
  errno = 0;
  gzFile file = c == NULL || name == NULL ? NULL : gzopen(path, "rb");
  if (file == NULL) {
    file_error_put(error, path, NULL, "cannot open: %s", errno != 0 ? strerror(errno) : "out of memory");
    free(name);
    free(c);
    return NULL;
  }
  c->file = file;
  c->path = name;
  gzbuffer(file, 1u << 17);
  if (recognize(c)) return c;
  *error = c->why;
  capture_close(c);
  return NULL;
}

int capture_next(struct capture *c, struct capture_frame *frame, struct file_error *error) {
  int got = c->broken ? -1 : c->pcapng ? next_pcapng(c, frame) : next_pcap(c, frame);
  if (got < 0) *error = c->why;
  if (got <= 0) return got;
  // Some writers leave the length on the wire 0 or make it less than what they captured.
  if (frame->wire_len < frame->len) frame->wire_len = frame->len;
  frame->number = ++c->frames;
  return 1;
}

unsigned capture_interfaces(const struct capture *c) { return c->most; }

void capture_close(struct capture *c) {
  if (c == NULL) return;
  gzclose(c->file);
  free(c->interfaces);
  free(c->path);
  free(c);
}
