#include "formal/protocol/scenario.h"

#include <stdio.h>
#include <string.h>

#include "formal/protocol/device.h"
#include "wire/bytes.h"
#include "wire/capture.h"
#include "wire/roce.h"

enum { ROUNDS_MOST = 32, MTU = 256, FRAME_NS = 10000 };

/// The state under Weir's rules; hops hold nothing, because a result is received or lost before the next packet comes.
struct scenario_run {
  struct rules rules;
  struct ring_state state;
  bool emitted[HOSTS_MOST][PACKETS_MOST];
  struct scenario *out;
};

/// The device gets a packet. False if the scenario is too long.
static bool device_gets(struct scenario_run *run, unsigned r, unsigned p) {
  struct scenario *out = run->out;
  if (out->frames == SCENARIO_FRAMES) return false;
  out->frame[out->frames].rank = (uint8_t)r;
  out->frame[out->frames++].packet = (uint8_t)p;
  bool wrong = false, known = false;
  for (size_t i = 0; i < HISTORY_MOST; i++) known |= run->state.history[r][i] != 0;
  const enum outcome outcome = device_packet(&run->rules, &run->state, r, p, false, &wrong);
  out->stored += outcome == OUTCOME_STORED || outcome == OUTCOME_COMPLETES;
  out->duplicates += outcome == OUTCOME_DUPLICATE || outcome == OUTCOME_REPEATS;
  out->stale += outcome == OUTCOME_STALE;
  // A connection that was never seen is nobody's: its packets pass until a first packet comes.
  out->unknown += outcome == OUTCOME_UNKNOWN_MESSAGE && known;
  out->passed += outcome == OUTCOME_UNKNOWN_MESSAGE && !known;
  for (unsigned to = 0; to < run->rules.hosts; to++) {
    const unsigned result = run->state.down[to][0];
    memset(run->state.down[to], 0, sizeof run->state.down[to]);
    if (result == 0) continue;
    run->emitted[to][result - 1] = out->due[to][result - 1] = true;
    out->results++;
  }
  return !wrong && outcome != OUTCOME_WAITS && outcome != OUTCOME_VIOLATION;
}

/// What the trace says that hosts receive, they receive, if Weir has sent it.
static bool follow(struct scenario_run *run, const uint32_t *labels, size_t length) {
  for (size_t i = 0; i < length; i++) {
    const unsigned r = labels[i] >> 16 & 255, p = labels[i] >> 8 & 255;
    if (labels[i] >> 24 == DEVICE_TAKES && !device_gets(run, r, p)) return false;
    if (labels[i] >> 24 == RECEIVES && p == run->state.rcv[r] && run->emitted[r][p]) run->state.rcv[r]++;
  }
  return true;
}

static bool complete(const struct scenario_run *run) {
  for (unsigned r = 0; r < run->rules.hosts; r++) {
    if (run->state.rcv[r] != run->rules.messages * run->rules.msglen) return false;
  }
  return true;
}

/// Every rank in turn goes back to what its receiver lacks and sends all that it may; nothing is lost any more.
static bool recover(struct scenario_run *run) {
  const unsigned hosts = run->rules.hosts, msglen = run->rules.msglen;
  for (unsigned round = 0; round < ROUNDS_MOST * hosts && !complete(run); round++) {
    const unsigned r = round % hosts;
    // While the rank sends, results come in that open its window further; those it gets its turn for in the next round.
    const unsigned open = run->state.rcv[(r + hosts - 1) % hosts] / msglen + run->rules.window;
    const unsigned end = (open < run->rules.messages ? open : run->rules.messages) * msglen;
    for (unsigned p = run->state.rcv[r]; p < end; p++) {
      if (!device_gets(run, r, p)) return false;
      for (unsigned to = 0; to < hosts; to++) {
        const unsigned next = run->state.rcv[to];
        if (next < PACKETS_MOST && run->emitted[to][next]) run->state.rcv[to]++;
      }
      memset(run->emitted, 0, sizeof run->emitted);
    }
  }
  return complete(run);
}

bool scenario_make(const struct rules *rules, const uint32_t *labels, size_t length, struct scenario *out) {
  struct scenario_run run = {.rules = *rules, .out = out};
  run.rules.free = FREE_COMPLETION;
  run.rules.tag = TAG_FULL;
  run.rules.clt = CLT_MONOTONE;
  run.rules.reemit = REEMIT_OWN;
  run.rules.emit = EMIT_TOGETHER;
  *out = (struct scenario){0};
  if (!follow(&run, labels, length)) return false;
  out->of_trace = out->frames;
  memset(run.emitted, 0, sizeof run.emitted);   // what the trace did not receive is lost
  return recover(&run);
}

// ---------------------------------------------------------------------------------------------------------- capture

static uint8_t opcode_of(const struct rules *rules, unsigned offset) {
  if (rules->msglen == 1) return ROCE_WRITE_ONLY;
  if (offset == 0) return ROCE_WRITE_FIRST;
  return offset + 1 == rules->msglen ? ROCE_WRITE_LAST : ROCE_WRITE_MIDDLE;
}

/// Fills a tensor with what rank `r` contributes, or, for `r` = all ranks, with the sum. Every element says whose it is:
/// thousands the message, hundreds the rank, the rest its place.
static size_t fill(const struct rules *rules, unsigned r, unsigned p, uint8_t tensor[MTU]) {
  const size_t bytes = p % rules->msglen == 0 ? MTU - INA_BYTES : MTU;
  for (uint32_t i = 0; i < bytes / 4; i++) {
    uint32_t value = 0;
    for (unsigned from = 0; from < rules->hosts; from++) {
      if (from == r || r == rules->hosts) value += (p / rules->msglen + 1) * 1000 + (from + 1) * 100 + i;
    }
    put_le32(tensor + 4 * (size_t)i, value);
  }
  return bytes;
}

/// Packet `p` of connection `r` with that tensor.
static size_t build(const struct rules *rules, unsigned r, unsigned p, unsigned number, bool result, uint8_t *out, size_t size) {
  const unsigned to = (r + 1) % rules->hosts, message = p / rules->msglen, offset = p % rules->msglen;
  const struct ina_header ina = {.ring = 1,
                                 .rank = (uint8_t)r,
                                 .kind = INA_INT32,
                                 .msgid = message,
                                 .msglen = (uint16_t)rules->msglen,
                                 .workers = (uint16_t)rules->hosts};
  uint8_t tensor[MTU];
  const size_t bytes = fill(rules, result ? rules->hosts : r, p, tensor);
  const struct roce_build b = {
      .src_mac = {2, 0, 0, 0, 0, (uint8_t)(r + 1)},
      .dst_mac = {2, 0, 0, 0, 0, (uint8_t)(to + 1)},
      .key = {.src = {10, 0, 0, (uint8_t)(r + 1)}, .dst = {10, 0, 0, (uint8_t)(to + 1)}, .qpn = 18},
      .ip_id = (uint16_t)number,
      .udp_src = (uint16_t)(49152 + r),
      .ttl = 64,
      .opcode = opcode_of(rules, offset),
      .ack_request = offset + 1 == rules->msglen,
      .pkey = 0xFFFF,
      .psn = 100 * (r + 1) + p,
      .reth = {0, 0, 0, 0, 0, (uint8_t)message, 0, 0, 0, 0, 0, 1, 0, 0, (uint8_t)(rules->msglen * MTU >> 8), 0},
      .ina = offset == 0 ? &ina : NULL,
      .payload = tensor,
      .payload_len = bytes,
  };
  return roce_build(&b, out, size);
}

static bool write_one(const struct rules *rules, const struct scenario *scenario, const char *name, bool results) {
  char path[512];
  struct file_error error;
  if ((size_t)snprintf(path, sizeof path, "%s.%s.pcapng", name, results ? "out" : "in") >= sizeof path) return false;
  struct capture_writer *w = capture_writer_open(path, rules->hosts, &error);
  if (w == NULL) {
    fprintf(stderr, "protocol: %s\n", error.text);
    return false;
  }
  uint8_t frame[MTU + ROCE_MAX_HEADER + 4];
  unsigned number = 0;
  for (size_t i = 0; i < scenario->frames && !results; i++) {
    const unsigned r = scenario->frame[i].rank;
    const size_t len = build(rules, r, scenario->frame[i].packet, ++number, false, frame, sizeof frame);
    capture_writer_put(w, r, number * FRAME_NS, frame, len);
  }
  for (unsigned r = 0; r < rules->hosts && results; r++) {
    for (unsigned p = 0; p < PACKETS_MOST; p++) {
      if (!scenario->due[r][p]) continue;
      const size_t len = build(rules, r, p, ++number, true, frame, sizeof frame);
      capture_writer_put(w, (r + 1) % rules->hosts, number * FRAME_NS, frame, len);
    }
  }
  if (capture_writer_close(w, true, &error) == 0) return true;
  fprintf(stderr, "protocol: %s\n", error.text);
  return false;
}

int scenario_write(const struct rules *rules, const struct scenario *scenario, const char *name) {
  return write_one(rules, scenario, name, false) && write_one(rules, scenario, name, true) ? 0 : -1;
}
