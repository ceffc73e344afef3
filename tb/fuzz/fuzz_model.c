// Fuzz target: the golden model under any traffic and any order of commits and takes.
//
// The input is a program: a few bytes set up the rings, then each op takes the bytes it needs. Most frames are built and then
// perhaps spoilt, because raw bytes would never get past the ICRC.
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "fuzz/fuzz.h"
#include "model/model.h"
#include "wire/bytes.h"

enum { PORTS = 3, RANKS = 4, RINGS = 2, SLOT_BYTES = 64, MAX_FRAME = 256, ROOM = 512, MAX_OPS = 512 };

#define CHECK(condition)                                                                                                         \
  do {                                                                                                                           \
    if (!(condition)) {                                                                                                          \
      fprintf(stderr, "%s:%d: broken: %s\n", __FILE__, __LINE__, #condition);                                                    \
      abort();                                                                                                                   \
    }                                                                                                                            \
  } while (0)

/// The input; behind its end come zeros.
struct input_bytes {
  const uint8_t *next, *end;
};

static uint8_t byte(struct input_bytes *in) { return in->next < in->end ? *in->next++ : 0; }

static unsigned below(struct input_bytes *in, unsigned limit) { return byte(in) % limit; }

/// A column that a packet has reached, and the ranks of its ring.
struct column_name {
  unsigned ring, offset;
  uint32_t msgid;
};

struct fuzz_run {
  struct input_bytes in;
  struct model *m;
  struct model_ring rings[RINGS];
  size_t ring_count;
  uint8_t frame[ROOM];
  size_t len;
  struct column_name columns[MAX_OPS];   ///< a name for each packet decided by a slot
  size_t column_count;
  unsigned pending[PORTS][MAX_OPS];   ///< workers of the rings of packets not in place, oldest first
  size_t first[PORTS], last[PORTS];
};

static bool set_up(struct fuzz_run *r) {
  struct model_limits limits = {
      .ports = PORTS, .ranks = RANKS, .conns = below(&r->in, 10), .slot_bytes = SLOT_BYTES, .max_frame_bytes = MAX_FRAME};
  r->ring_count = 1 + below(&r->in, RINGS);
  for (size_t i = 0; i < r->ring_count; i++) {
    uint8_t shape = byte(&r->in);
    r->rings[i] = (struct model_ring){.id = (uint16_t)(i + 1),
                                      .workers = 1 + shape % RANKS,
                                      .window = 1u << (shape >> 2 & 1),
                                      .stride = 1 + (shape >> 3 & 3),
                                      .learn = (shape & 0xE0) != 0};
  }
  r->m = model_new(&limits, r->rings, r->ring_count);
  return r->m != NULL;
}

static struct conn_key key_of(unsigned ring, unsigned rank, unsigned variant) {
  struct conn_key key = {.vlan = (uint16_t)(variant >> 1), .v6 = variant & 1, .qpn = 16 * ring + rank};
  key.src[0] = 10;
  key.dst[0] = 11;
  return key;
}

/// Now and then a header that does not fit its ring.
static void spoil_header(struct fuzz_run *r, struct ina_header *ina) {
  unsigned how = byte(&r->in);
  if (how < 0xC0) return;
  unsigned value = how >> 2 & 7;
  switch (how & 3) {
    case 0: ina->rank = (uint8_t)value; break;
    case 1: ina->msglen = (uint16_t)value; break;
    case 2: ina->workers = (uint16_t)value; break;
    default: ina->kind = (uint8_t)(value << 4 | value >> 1); break;
  }
}

/// A packet of a sender that mostly keeps to the rules: message and offset near the start, the ring's own numbers.
static void build(struct fuzz_run *r) {
  static const uint8_t opcodes[8] = {ROCE_WRITE_FIRST,   ROCE_WRITE_MIDDLE, ROCE_WRITE_LAST,    ROCE_WRITE_ONLY,
                                     ROCE_SEND_ONLY_IMM, ROCE_SEND_FIRST,   ROCE_SEND_LAST_INV, ROCE_WRITE_ONLY_IMM};
  unsigned which = byte(&r->in), shape = byte(&r->in);
  unsigned ring = which % (unsigned)r->ring_count, rank = which / 2 % r->rings[ring].workers, offset = which >> 4 & 3;
  uint32_t msgid = (uint32_t)below(&r->in, 16) - 4;
  uint8_t payload[80];
  memset(payload, (int)shape, sizeof payload);
  struct ina_header ina = {.ring = r->rings[ring].id,
                           .rank = (uint8_t)rank,
                           .kind = shape >> 6 == 3 ? INA_BF16 : INA_FP32,
                           .msgid = msgid,
                           .msglen = (uint16_t)r->rings[ring].stride,
                           .workers = (uint16_t)r->rings[ring].workers};
  spoil_header(r, &ina);
  // Offset 0 starts its message, the others do not.
  uint8_t opcode = offset == 0 ? opcodes[(shape & 1) != 0 ? 0 : 3] : opcodes[1];
  if ((shape & 0x30) == 0x30) opcode = opcodes[shape % 8];
  struct roce_build b = {.key = key_of(ring, rank, (which & 0x80) != 0 && (which & 0x40) != 0 ? shape >> 1 & 3 : 0),
                         .vlan = (shape & 8) != 0,
                         .opcode = opcode,
                         .ip_id = (uint16_t)shape,
                         .udp_checksum = 7,
                         .psn = (msgid * 4 + offset + 0xFFFFF8) & 0xFFFFFF,
                         .payload = payload,
                         .payload_len = (shape & 6) == 6 ? below(&r->in, 80) : 8,
                         .ina = offset == 0 ? &ina : NULL};
  r->len = roce_build(&b, r->frame, sizeof r->frame);
}

/// Changes a byte of the frame or its length; with a new ICRC if the input wants it.
static void spoil(struct fuzz_run *r) {
  unsigned how = byte(&r->in);
  for (unsigned n = how & 3; n-- != 0 && r->len != 0;) {
    size_t at = byte(&r->in) % r->len;
    r->frame[at] = byte(&r->in);
  }
  if ((how & 4) != 0) r->len = r->len * byte(&r->in) / 256;
  if ((how & 8) != 0)
    for (unsigned n = byte(&r->in); n-- != 0 && r->len < ROOM;) r->frame[r->len++] = (uint8_t)n;
  struct roce_packet at;
  if ((how & 16) != 0 && roce_locate(r->frame, r->len, &at)) icrc_put(r->frame, &at);
}

static void take_raw(struct fuzz_run *r) {
  r->len = byte(&r->in);
  for (size_t i = 0; i < r->len; i++) r->frame[i] = byte(&r->in);
}

/// The frame goes in; what the model says of it must make sense in itself.
static void rx(struct fuzz_run *r) {
  unsigned port = below(&r->in, PORTS);
  bool error = byte(&r->in) == 0xFF;
  size_t owed = model_owed(r->m);
  uint8_t *exact = malloc(r->len);   // so that ASan sees a read behind the frame
  CHECK(exact != NULL || r->len == 0);
  if (r->len != 0) memcpy(exact, r->frame, r->len);
  struct model_verdict v;
  model_rx(r->m, port, exact, r->len, error, &v);
  free(exact);

  CHECK(v.fate < FATE_COUNT);
  CHECK(error == (v.fate == FATE_FRAME_ERROR));
  bool at_port = v.fate == FATE_FRAME_ERROR || v.fate == FATE_OVERSIZE || v.fate == FATE_BAD_ICRC;
  CHECK(v.candidate ? !at_port : at_port || v.fate == FATE_PASSED);
  CHECK(!v.completes || v.fate == FATE_STORED);
  CHECK(model_owed(r->m) <= owed);   // a packet that is not in place makes nothing due
  bool kept = v.fate == FATE_STORED || v.fate == FATE_DUPLICATE;
  CHECK(!kept || v.by_slot);
  if (!v.by_slot) return;
  CHECK(v.ring < r->ring_count && v.rank < r->rings[v.ring].workers && v.offset < r->rings[v.ring].stride);
  r->columns[r->column_count++] = (struct column_name){v.ring, v.offset, v.msgid};
  if (kept) r->pending[port][r->last[port]++] = r->rings[v.ring].workers;
}

static void commit(struct fuzz_run *r, unsigned port) {
  size_t owed = model_owed(r->m);
  bool unexpected, pending = r->first[port] != r->last[port];
  bool complete = model_commit(r->m, port, &unexpected);
  CHECK(unexpected == !pending);
  size_t more = model_owed(r->m) - owed;
  if (!pending) {
    CHECK(!complete && more == 0);
    return;
  }
  unsigned workers = r->pending[port][r->first[port]++];
  CHECK(complete ? more == workers : more <= 1);
}

/// A result is a good packet of the connection it belongs to.
static void check_result(const struct fuzz_run *r, const struct model_frame *f, uint32_t mask) {
  struct roce_packet p;
  CHECK(f->port < PORTS && f->rank < RANKS && (mask >> f->rank & 1) != 0);
  roce_parse(f->data, f->len, &p);
  CHECK(p.class == ROCE_CANDIDATE && !p.length_bad && p.ip_end == f->len);
  CHECK(p.psn == f->psn && p.tensor <= SLOT_BYTES);
  CHECK(get_be16(f->data + p.udp + 6) == 0);
  if (!p.tagged) return;
  CHECK(p.ina.rank == f->rank && p.ina.ring >= 1 && p.ina.ring <= r->ring_count);
}

/// Returns how many results were taken.
static int take(struct fuzz_run *r, const struct column_name *c, uint32_t mask) {
  struct model_frame frames[RANKS];
  size_t owed = model_owed(r->m);
  int count = model_take(r->m, c->ring, c->msgid, c->offset, mask, frames);
  if (count < 0) {
    CHECK(model_owed(r->m) == owed);
    return 0;
  }
  CHECK(count == __builtin_popcount(mask));
  CHECK(model_owed(r->m) + (size_t)count <= owed);   // less if the message before has lost dues
  for (int i = 0; i < count; i++) {
    CHECK(i == 0 || frames[i].rank > frames[i - 1].rank);
    check_result(r, &frames[i], mask);
  }
  CHECK(model_take(r->m, c->ring, c->msgid, c->offset, mask, frames) < 0);   // nobody is owed two
  return count;
}

static void some_op(struct fuzz_run *r) {
  switch (byte(&r->in) & 15) {
    case 0:
      take_raw(r);
      rx(r);
      break;
    case 1: rx(r); break;   // the frame before once more
    case 2:
      spoil(r);
      rx(r);
      break;
    case 3:
      build(r);
      spoil(r);
      rx(r);
      break;
    case 4: model_flush(r->m, byte(&r->in) >> 6); break;
    case 5: {
      struct conn_key key = key_of(below(&r->in, RINGS), below(&r->in, RANKS), below(&r->in, 4));
      model_connect(r->m, below(&r->in, RINGS + 1), below(&r->in, RANKS + 1), &key);
      break;
    }
    case 6: {
      struct column_name any = {below(&r->in, RINGS + 1), below(&r->in, 5), (uint32_t)below(&r->in, 16) - 4};
      take(r, &any, byte(&r->in));
      break;
    }
    case 7:
    case 8:
      if (r->column_count != 0) take(r, &r->columns[byte(&r->in) % r->column_count], 1 + below(&r->in, 15));
      break;
    case 9:
    case 10:
    case 11: commit(r, below(&r->in, PORTS)); break;
    default:
      build(r);
      rx(r);
      break;
  }
}

/// Everything comes in place and every result leaves: nothing may be owed to a column that no packet has reached.
static void drain(struct fuzz_run *r) {
  for (unsigned port = 0; port < PORTS; port++) {
    while (r->first[port] != r->last[port]) commit(r, port);
    commit(r, port);
  }
  size_t owed = model_owed(r->m), taken = 0;
  for (size_t i = 0; i < r->column_count; i++)
    for (unsigned rank = 0; rank < RANKS; rank++) taken += (size_t)take(r, &r->columns[i], 1u << rank);
  CHECK(taken <= owed);
  CHECK(model_owed(r->m) == 0);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  struct fuzz_run *r = calloc(1, sizeof *r);
  CHECK(r != NULL);
  r->in = (struct input_bytes){data, data + size};
  CHECK(set_up(r));
  for (int op = 0; op < MAX_OPS && r->in.next < r->in.end; op++) some_op(r);
  drain(r);
  model_free(r->m);
  free(r);
  return 0;
}
