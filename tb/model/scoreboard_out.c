#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "model/scoreboard_state.h"

// Frames as they leave the device, or are dropped in it, against those that are due.

void scoreboard_result(struct scoreboard *sb, unsigned port, uint32_t psn) {
  struct item *i = sb->ports[port].results.head;
  while (i != NULL && i->started) i = i->next;
  if (i == NULL) {
    scoreboard_report(sb, "port %u: result with PSN %#" PRIx32 " begins to leave, but none is due", port, psn);
    return;
  }
  i->started = true;
  if (i->psn != psn)
    scoreboard_report(sb, "port %u, result %" PRIu64 ": psn: expected %#" PRIx32 ", actual %#" PRIx32, port, i->number, i->psn,
                      psn);
}

static const char *field_at(const struct item *i, size_t offset) {
  struct roce_packet p;
  roce_parse(i->data, i->len, &p);
  if (p.class == ROCE_OTHER || offset < p.ip) return offset < 12 ? "MAC address" : offset < 18 ? "EtherType" : "bytes";
  if (offset < p.udp) return "IP header";
  if (offset >= p.udp + 6 && offset < p.bth) return "UDP checksum";
  if (offset < p.bth) return "UDP header";
  if (offset >= p.bth + 9 && offset < p.bth + 12) return "BTH PSN";
  if (offset < p.bth + 12) return "BTH";
  if (offset >= p.ip_end) return "behind the ICRC";
  if (offset >= p.ip_end - 4) return "ICRC";
  if (p.class != ROCE_CANDIDATE) return "payload";
  if (offset < p.header) return "extension or INA header";
  return offset < p.header + p.tensor ? "tensor" : "pad";
}

static size_t common_prefix(const struct item *i, const uint8_t *frame, size_t len) {
  size_t n = 0;
  // Nearly all are equal to the end.
  if (len <= i->len && memcmp(frame, i->data, len) == 0) return len;
  while (n < len && n < i->len && frame[n] == i->data[n]) n++;
  return n;
}

static void report_frame(struct scoreboard *sb, unsigned port, uint64_t out_number, const struct item *i, bool result,
                         const uint8_t *frame, size_t len) {
  char what[128];
  if (result)
    snprintf(what, sizeof what, "result %" PRIu64 ": ring %u msgid %" PRIu32 " offset %u rank %u psn %#" PRIx32, i->number,
             i->origin.ring, i->origin.msgid, i->origin.offset, i->origin.rank, i->psn);
  else
    snprintf(what, sizeof what, "passed frame in %" PRIu64, i->source);
  size_t at = common_prefix(i, frame, len);
  if (at < len && at < i->len)
    scoreboard_report(sb, "port %u, frame out %" PRIu64 " (%s): byte %zu (%s): expected %02x, actual %02x", port, out_number,
                      what, at, field_at(i, at), i->data[at], frame[at]);
  else
    scoreboard_report(sb, "port %u, frame out %" PRIu64 " (%s): length: expected %zu, actual %zu", port, out_number, what, i->len,
                      len);
}

void scoreboard_dropped(struct scoreboard *sb, unsigned port, uint32_t number) {
  struct board_port *bp = &sb->ports[port];
  struct item *before = NULL, *i = bp->results.head;
  while (i != NULL && (i->started || (i->number & 0xFFFFFFu) != number)) {
    before = i;
    i = i->next;
  }
  if (i == NULL) {
    scoreboard_report(sb, "port %u: result %" PRIu32 " is dropped, but no such result is due", port, number);
    return;
  }
  if (before == NULL) {
    scoreboard_drop_head(&bp->results);
  } else {
    before->next = i->next;
    if (bp->results.tail == i) bp->results.tail = before;
    free(i);
  }
  bp->counts.dropped++;
}

void scoreboard_unsent(struct scoreboard *sb, unsigned port, bool result) {
  struct board_port *bp = &sb->ports[port];
  scoreboard_rx_undecided(sb, port);
  struct queue *q = result ? &bp->results : &bp->passed;
  if (q->head == NULL || (result && !q->head->started)) {
    scoreboard_report(sb, "port %u: a %s is dropped for its link, but none is due", port, result ? "result" : "passed frame");
    return;
  }
  scoreboard_drop_head(q);
  bp->counts.unsent++;
}

/// Bytes in which a frame is what it should be.
static size_t alike(const struct item *i, const uint8_t *frame, size_t len) {
  size_t n = 0;
  for (size_t at = 0; at < len && at < i->len; at++) n += frame[at] == i->data[at];
  return n;
}

/// True if a marked frame is rather the passed frame than the result. The last beat of a passed frame may have grown to a whole one; a result is
/// as long as it should be, and its ICRC is wrong.
static bool rather_passed(const struct item *passed, const struct item *result, const uint8_t *frame, size_t len,
                          enum roce_class class) {
  if (passed == NULL || result == NULL) return result == NULL;
  const bool can_pass = len >= passed->len && len - passed->len < 64, can_result = len == result->len && class == ROCE_BAD_ICRC;
  return can_pass != can_result ? can_pass : alike(passed, frame, len) > alike(result, frame, len);
}

void scoreboard_marked(struct scoreboard *sb, unsigned port, const uint8_t *frame, size_t len) {
  struct board_port *bp = &sb->ports[port];
  const uint64_t number = ++bp->out_frames;
  scoreboard_rx_undecided(sb, port);
  struct item *passed = bp->passed.head, *result = bp->results.head;
  if (result != NULL && !result->started) result = NULL;
  if (passed == NULL && result == NULL) {
    scoreboard_report(sb, "port %u, frame out %" PRIu64 " (%zu bytes, in error): nothing is due", port, number, len);
    return;
  }
  struct roce_packet p;
  roce_parse(frame, len, &p);
  if (rather_passed(passed, result, frame, len, p.class)) {
    bp->counts.tx_passed++;
    bp->counts.marked++;
    scoreboard_drop_head(&bp->passed);
    return;
  }
  // A result has all its bytes, some of them wrong, and its ICRC says so.
  if (result->len != len || p.class != ROCE_BAD_ICRC)
    scoreboard_report(sb, "port %u, frame out %" PRIu64 " (%zu bytes, in error): a result of %zu bytes was due, and a wrong ICRC",
                      port, number, len, result->len);
  bp->counts.tx_result++;
  bp->counts.spoiled++;
  scoreboard_drop_head(&bp->results);
}

void scoreboard_out(struct scoreboard *sb, unsigned port, const uint8_t *frame, size_t len) {
  struct board_port *bp = &sb->ports[port];
  uint64_t number = ++bp->out_frames;
  scoreboard_rx_undecided(sb, port);
  struct item *passed = bp->passed.head;
  struct item *result = bp->results.head;
  if (passed == NULL && result == NULL) {
    scoreboard_report(sb, "port %u, frame out %" PRIu64 " (%zu bytes): nothing is due", port, number, len);
    return;
  }
  // Which of the two it was meant to be: the one it agrees with longest.
  size_t as_passed = passed == NULL ? 0 : common_prefix(passed, frame, len);
  size_t as_result = result == NULL ? 0 : common_prefix(result, frame, len);
  bool is_passed = passed != NULL && (result == NULL || as_passed >= as_result);
  if (result != NULL && as_result == len && result->len == len) is_passed = false;
  if (passed != NULL && as_passed == len && passed->len == len) is_passed = true;
  struct item *i = is_passed ? passed : result;
  if (i->len != len || common_prefix(i, frame, len) != len) report_frame(sb, port, number, i, !is_passed, frame, len);
  if (!is_passed && !i->started)
    scoreboard_report(sb, "port %u, frame out %" PRIu64 ": a result left that was never reported to begin", port, number);
  if (is_passed)
    bp->counts.tx_passed++;
  else
    bp->counts.tx_result++;
  scoreboard_drop_head(is_passed ? &bp->passed : &bp->results);
}
