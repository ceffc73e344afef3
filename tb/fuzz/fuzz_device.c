// DEVICES: tiny
// Fuzz target: the Verilated aggregator `tiny` whose registers get any value at any time, and whose ports get any frame, while a ring of four ranks
// sums. No assertion fires, no port stops, every frame meets the fate that the golden model gives it, and each rank of the ring gets every result.
//
// The input is a program: each operation takes the bytes it needs. Left alone is what the control plane of that ring relies on, as another tenant's
// would: its index, its entries of the connection table, open ports and links, the epoch, soft reset.
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include "fuzz/fuzz.h"
#include "rtl/csr/weir_csr.h"
#include "sim/engine/bench.h"
#include "unit/gradient.h"

#define REGISTER(name) ((uint32_t)offsetof(weir_csr_t, name))

enum {
  PORTS = 2,
  RANKS = 4,
  WINDOW = 2,
  MSGLEN = 2,
  MESSAGES = 5,
  PACKETS = MESSAGES * MSGLEN,
  CONNS = 64,
  MOST = 300,
  HANG = 20000
};
/// RingIDs: of the ring that sums, of one that the registers may be given and no frame has. Keys that are registered have this byte in their source
/// address, and no frame has.
enum { RING_ID_KNOWN = 1, RING_ID_STRANGE = 0xFFA5, ADDRESS_STRANGE = 0xEE };

/// The input; behind its end come zeros.
struct device_script {
  const uint8_t *next, *end;
};

static uint8_t byte(struct device_script *in) { return in->next < in->end ? *in->next++ : 0; }

static uint32_t word(struct device_script *in) {
  uint32_t value = 0;
  for (unsigned i = 0; i < 4; i++) value = value << 8 | byte(in);
  return value;
}

struct device_fuzz {
  struct bench *bench;
  struct drive *registers;
  struct conn_key key[RANKS];
  unsigned sent[RANKS];       ///< packets, those of a message one after the other
  bool got[RANKS][PACKETS];   ///< results
  bool taken[CONNS];          ///< entries of the connection table that are the ring's
  char error[256];
};

static struct gradient packet(unsigned rank, unsigned number) {
  const struct ina_header ina = {RING_ID_KNOWN, (uint8_t)rank, INA_FP32, number / MSGLEN, MSGLEN, RANKS};
  return gradient_of(&ina, number % MSGLEN);
}

static void on_out(void *user, unsigned port, const uint8_t *frame, size_t len, uint64_t first_cycle, uint64_t last_cycle) {
  (void)first_cycle;
  (void)last_cycle;
  struct device_fuzz *f = user;
  struct roce_packet p;
  roce_parse(frame, len, &p);
  for (unsigned r = 0; p.class == ROCE_CANDIDATE && r < RANKS; r++)
    if (conn_key_equal(&p.key, &f->key[r])) {
      const uint32_t at = p.psn - packet(r, 0).psn0;
      fuzz_must(at < PACKETS && port == r % PORTS, "a result is of a packet that was sent, and leaves where it came in");
      f->got[r][at] = true;
    }
}

/// No packet of a rank is sent before it has the results of the message a window before.
static bool may_send(const struct device_fuzz *f, unsigned rank) {
  const unsigned number = f->sent[rank], message = number / MSGLEN;
  if (number == PACKETS) return false;
  for (unsigned i = 0; message >= WINDOW && i < MSGLEN; i++)
    if (!f->got[rank][(message - WINDOW) * MSGLEN + i]) return false;
  return true;
}

static void send_packet(struct device_fuzz *f, unsigned rank, unsigned number) {
  uint8_t frame[GRADIENT_ROOM];
  const struct gradient g = packet(rank, number);
  bench_send(f->bench, rank % PORTS, frame, gradient_frame(&g, frame), false);
}

static bool send_next(struct device_fuzz *f, unsigned rank) {
  if (!may_send(f, rank)) return false;
  send_packet(f, rank, f->sent[rank]++);
  return true;
}

/// An earlier packet once more, as go-back-N sends it: none whose place another message has.
static void send_again(struct device_fuzz *f, unsigned rank, unsigned back) {
  if (back < WINDOW * MSGLEN && back < f->sent[rank]) send_packet(f, rank, f->sent[rank] - 1 - back);
}

/// Sends a frame, unless it is of a ring or a connection of which the model knows nothing.
static void send_foreign(struct device_fuzz *f, unsigned port, const uint8_t *frame, size_t len, bool error) {
  struct roce_packet p;
  roce_parse(frame, len, &p);
  if (p.class == ROCE_CANDIDATE) {
    if (p.key.src[p.key.v6 ? 12 : 0] == ADDRESS_STRANGE || (p.tagged && p.ina.ring == RING_ID_STRANGE)) return;
    for (unsigned r = 0; r < RANKS; r++)
      if (conn_key_equal(&p.key, &f->key[r])) return;
  }
  bench_send(f->bench, port, frame, len, error);
}

/// Any bytes, and zeros behind them.
static void send_bytes(struct device_fuzz *f, struct device_script *in) {
  uint8_t frame[1024] = {0};
  const uint8_t how = byte(in);
  const size_t len = 1 + (size_t)byte(in) * 4, left = (size_t)(in->end - in->next);
  size_t given = how % 64;
  if (given > len) given = len;
  if (given > left) given = left;
  if (given > 0) memcpy(frame, in->next, given);
  in->next += given;
  send_foreign(f, (how >> 6) % PORTS, frame, len, how >> 7 != 0);
}

/// Somebody else's packet, whole and right but for what the input makes of it.
static void send_built(struct device_fuzz *f, struct device_script *in) {
  uint8_t frame[GRADIENT_ROOM];
  struct gradient g = packet(byte(in) % RANKS, byte(in) % PACKETS);
  const uint8_t port = byte(in), host = byte(in);
  g.build.key.src[1] = (uint8_t)(1 + host % 8);
  g.build.key.vlan = host & 0x40 ? 5 : 0;
  if (host & 0x80) {
    g.ina = (struct ina_header){
        .ring = byte(in), .rank = byte(in), .kind = byte(in), .msgid = byte(in), .msglen = byte(in), .workers = byte(in)};
    g.build.opcode = byte(in);
    g.offset = byte(in);
    g.len = byte(in) % (GRADIENT_TENSOR + 1);
  }
  const size_t len = gradient_frame(&g, frame);
  const uint8_t flip = byte(in);
  if (len > 0 && flip != 0) frame[(flip * 5u) % len] ^= byte(in);
  if (len > 0) send_foreign(f, port % PORTS, frame, len, port >> 7 != 0);
}

/// What is written instead of `value`, so that it is about nothing of the ring that sums.
static uint32_t allowed(const struct device_fuzz *f, uint32_t address, uint32_t value) {
  if (address == REGISTER(PORT_OPEN)) return value | ((1u << PORTS) - 1);
  if (address == REGISTER(PORT_DOWN)) return value & ~((1u << PORTS) - 1);
  if (address == REGISTER(EPOCH)) return value & ~(uint32_t)WEIR_CSR__EPOCH__EPOCH_bm;
  if (address == REGISTER(DEVICE_COMMAND)) return value & ~(uint32_t)WEIR_CSR__DEVICE_COMMAND__SOFT_RESET_bm;
  if (address == REGISTER(RING_SELECT)) return value & WEIR_CSR__RING_SELECT__INDEX_bm ? value : value | 1;
  if (address == REGISTER(RING_ID)) return value & 1 ? RING_ID_STRANGE : RING_ID_KNOWN;
  if (address == REGISTER(CONN_SRC0)) return (value & 0xFFFFFF) | (uint32_t)ADDRESS_STRANGE << 24;
  // The device has 64 entries; what it makes of the other bits is its own affair.
  while (address == REGISTER(CONN_SELECT) && f->taken[value % CONNS]) value++;
  return value;
}

static void set(struct device_fuzz *f, uint32_t address, uint32_t value) {
  drive_write(f->registers, address, allowed(f, address, value));   // refused or not
}

/// A command about the other ring, mostly one that could be.
static void command_ring(struct device_fuzz *f, struct device_script *in) {
  static const uint8_t commands[] = {
      WEIR_CSR__RING_COMMAND__STORE_bm,
      WEIR_CSR__RING_COMMAND__STORE_bm,
      WEIR_CSR__RING_COMMAND__STORE_bm | WEIR_CSR__RING_COMMAND__FLUSH_bm,
      WEIR_CSR__RING_COMMAND__FLUSH_bm,
      WEIR_CSR__RING_COMMAND__FLUSH_bm,
      WEIR_CSR__RING_COMMAND__RELEASE_bm,
      WEIR_CSR__RING_COMMAND__STORE_bm | WEIR_CSR__RING_COMMAND__RELEASE_bm,
      WEIR_CSR__RING_COMMAND__DRAIN_bm,
  };
  const uint8_t how = byte(in), shape = byte(in), region = byte(in);
  set(f, REGISTER(RING_SELECT), how == 0 ? byte(in) : 1);
  set(f, REGISTER(RING_ID), how % 8 != 0);
  set(f, REGISTER(RING_SHAPE),
      shape < 16 ? word(in)
                 : (uint32_t)(shape % 16 != 0) << WEIR_CSR__RING_SHAPE__ENABLE_bp |
                       (uint32_t)(shape >> 7) << WEIR_CSR__RING_SHAPE__LEARN_bp |
                       (uint32_t)(shape >> 6 & 1) << WEIR_CSR__RING_SHAPE__WINDOW_LOG2_bp |
                       (uint32_t)(1 + (shape >> 4 & 3)) << WEIR_CSR__RING_SHAPE__WORKERS_bp);
  set(f, REGISTER(RING_REGION),
      region < 16 ? word(in)
                  : (uint32_t)(1 + region % 4) << WEIR_CSR__RING_REGION__STRIDE_bp | (uint32_t)(region / 8)
                                                                                         << WEIR_CSR__RING_REGION__BASE_bp);
  set(f, REGISTER(RING_COMMAND), how < 32 ? byte(in) : commands[how / 8 % 8]);
}

static void step(struct device_fuzz *f, unsigned cycles) {
  for (unsigned i = 0; i < cycles && !bench_stopped(f->bench); i++) bench_step(f->bench);
}

static void operate(struct device_fuzz *f, struct device_script *in) {
  const uint8_t op = byte(in);
  switch (op % 8) {
    case 0: step(f, 1 + op / 8 * 8); break;
    case 1: send_next(f, op / 8 % RANKS); break;
    case 2: send_again(f, op / 8 % RANKS, op / 32); break;
    case 3: send_bytes(f, in); break;
    case 4: send_built(f, in); break;
    case 5: command_ring(f, in); break;
    default: {
      const uint32_t address = (byte(in) + (op & 0x80 ? 256u : 0u)) * 4;
      const uint32_t value = word(in);
      set(f, address, value);
    }
  }
}

static bool open_device(struct device_fuzz *f, uint8_t how) {
  static const struct drive_ring ring = {
      .enable = true, .id = RING_ID_KNOWN, .workers = RANKS, .window = WINDOW, .stride = MSGLEN};
  const struct bench_options options = {
      .drive = {.config = "tiny", .seed = 1, .stall = (how & 3) == 3 ? 0.4 : 0, .idle = (how & 12) == 12 ? 0.4 : 0},
      .rings = &ring,
      .ring_count = 1,
      .input = UNDECIDED_FAULTY,
      .unwatched = true,
      .user = f,
      .out = on_out,
  };
  f->bench = bench_open(&options, f->error, sizeof f->error);
  if (f->bench == NULL) return false;
  f->registers = bench_registers(f->bench);
  for (unsigned r = 0; r < RANKS; r++) {
    uint32_t entry = CONNS;
    f->key[r] = packet(r, 0).build.key;
    if (bench_connect(f->bench, &f->key[r], 0, r) != 0) return false;
    if (drive_read(f->registers, REGISTER(CONN_SELECT), &entry) != 0 || entry >= CONNS) return false;
    f->taken[entry] = true;
  }
  return true;
}

/// A command that was under way ends.
static void await(struct device_fuzz *f, uint32_t address, uint32_t busy) {
  uint32_t status = busy;
  for (unsigned i = 0; i < HANG && (status & busy) != 0; i++)
    if (drive_read(f->registers, address, &status) != 0) break;
  fuzz_must((status & busy) == 0, "a command ends");
}

/// The ring's traffic to its end: each rank gets all results.
static void finish(struct device_fuzz *f) {
  bool moves = true;
  while (moves && bench_mismatches(f->bench) == 0) {
    moves = false;
    for (unsigned r = 0; r < RANKS; r++) moves |= send_next(f, r);
    fuzz_must(bench_settle(f->bench, HANG) || bench_mismatches(f->bench) != 0, "no port stops");
  }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  struct device_script in = {data, data + size};
  struct device_fuzz f = {0};
  const bool opened = open_device(&f, byte(&in));
  if (!opened) fprintf(stderr, "%s\n", f.error);
  fuzz_must(opened, "a device is set up");
  // What is selected at first is the ring's.
  set(&f, REGISTER(RING_SELECT), 1);
  set(&f, REGISTER(CONN_SELECT), 0);
  for (unsigned i = 0; i < MOST && in.next < in.end && bench_mismatches(f.bench) == 0; i++) operate(&f, &in);
  if (bench_mismatches(f.bench) == 0) {
    await(&f, REGISTER(RING_COMMAND), WEIR_CSR__RING_COMMAND__BUSY_bm);
    await(&f, REGISTER(CONN_COMMAND), WEIR_CSR__CONN_COMMAND__BUSY_bm);
    finish(&f);
  }
  const size_t wrong = bench_finish(f.bench);
  if (wrong != 0) fprintf(stderr, "%s\n", bench_text(f.bench, 0));
  fuzz_must(wrong == 0, "the device does what the model does");
  for (unsigned r = 0; r < RANKS; r++)
    for (unsigned i = 0; i < PACKETS; i++) fuzz_must(f.got[r][i], "each rank has every result");
  bench_close(f.bench);
  return 0;
}
