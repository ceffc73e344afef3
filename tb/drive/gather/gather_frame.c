#include "drive/gather/gather_frame.h"

#include <stdlib.h>
#include <string.h>

size_t gather_frame_make(const struct gather_packet *p, uint32_t psn, uint8_t frame[GATHER_MAX_FRAME]) {
  struct gather_ends ends = {.psn = psn};
  struct gather_header h = {0};
  gather_check(p->data, p->len, &h);
  gather_address(p->maker, ends.src_mac, ends.src_ip);
  gather_address(h.dest, ends.dst_mac, ends.dst_ip);
  const size_t len = gather_build(&ends, p->data, p->len, frame, GATHER_MAX_FRAME);
  if (len == 0) abort();
  return len;
}

bool gather_frame_addressed(const uint8_t *frame, uint32_t from, uint32_t dest) {
  struct gather_ends ends;
  gather_address(from, ends.src_mac, ends.src_ip);
  gather_address(dest, ends.dst_mac, ends.dst_ip);
  return memcmp(frame, ends.dst_mac, 6) == 0 && memcmp(frame + 6, ends.src_mac, 6) == 0 &&
         memcmp(frame + 26, ends.src_ip, 4) == 0 && memcmp(frame + 30, ends.dst_ip, 4) == 0;
}
