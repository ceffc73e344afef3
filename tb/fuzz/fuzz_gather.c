// Any bytes, taken for a gather packet and for a frame that holds one: no crash, and what is taken for good can be put together
// again.
#include <string.h>

#include "fuzz/fuzz.h"
#include "wire/gather.h"

enum { LONGEST = 8192 };

/// Each PR of a good packet can be read, and all of them are the packet.
static void put_together(const uint8_t *data, size_t size, const struct gather_header *h) {
  uint8_t again[LONGEST];
  size_t at = GATHER_CONCAT_BYTES;
  gather_put_header(again, h);
  for (uint32_t i = 0; i < h->count; i++) {
    struct gather_request r;
    gather_get_pr(data, h, i, &r);
    fuzz_must(at + gather_pr_size(r.type, r.len) <= size, "PRs end where the packet ends");
    gather_put_pr(again + at, &r);
    at += gather_pr_size(r.type, r.len);
  }
  fuzz_must(at == size && memcmp(again, data, size) == 0, "a good packet is its header and its PRs");
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  static const struct gather_ends ends = {.src_mac = {2}, .dst_mac = {2}, .src_ip = {10}, .dst_ip = {10}};
  struct gather_header h;
  const uint8_t *inside;
  size_t len;
  if (gather_parse(data, size, &inside, &len, &h) == GATHER_GOOD) put_together(inside, len, &h);
  if (size > LONGEST) return 0;
  const enum gather_fault fault = gather_check(data, size, &h);
  fuzz_must(strlen(gather_fault_text(fault)) > 0, "each fault has a name");
  if (fault == GATHER_GOOD) put_together(data, size, &h);
  // The same with headers around it: good or bad for the same reason.
  uint8_t frame[GATHER_MAX_FRAME];
  const size_t built = gather_build(&ends, data, size, frame, sizeof frame);
  fuzz_must(built > 0 && gather_parse(frame, built, &inside, &len, &h) == fault && len == size,
            "a frame holds what was put into it");
  return 0;
}
