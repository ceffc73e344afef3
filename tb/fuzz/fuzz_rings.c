// Any bytes, read as a file of rings: what is taken is within its bounds, everything else is refused in one line.
#include <unistd.h>

#include "fuzz/fuzz.h"
#include "sim/replay/rings.h"

static void check(const struct named_ring *r) {
  fuzz_must(r->workers >= 1 && r->workers <= 256, "a ring has 1 to 256 workers");
  fuzz_must(r->msglen >= 1 && r->msglen <= 65535, "a message has 1 to 65535 packets");
  fuzz_must(r->window >= 1 && r->window <= 32768, "a window is 1 to 32768 messages");
  fuzz_must(!r->learn || r->conn_count == 0, "a ring that learns names no connection");
  for (size_t i = 0; i < r->conn_count; i++) {
    fuzz_must(r->conns[i].rank < r->workers, "a rank is one of the ring's");
    fuzz_must(r->conns[i].key.qpn <= 0xFFFFFF, "a QP has 24 bits");
    for (size_t k = 0; k < i; k++) fuzz_must(r->conns[i].rank != r->conns[k].rank, "no rank is named twice");
  }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  char path[FUZZ_PATH];
  const int fd = fuzz_file(data, size, path);
  struct rings rings;
  struct file_error error = {""};
  if (rings_load(path, &rings, &error) == 0) {
    for (size_t i = 0; i < rings.count; i++) {
      check(&rings.list[i]);
      for (size_t k = 0; k < i; k++) fuzz_must(rings.list[i].id != rings.list[k].id, "no ring is named twice");
    }
    rings_free(&rings);
  } else {
    fuzz_is_error(error.text, path);
  }
  close(fd);
  return 0;
}
