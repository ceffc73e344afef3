#include "unit/host/net/fake_node.h"

#include <stdlib.h>

#include "wire/reduce.h"
#include "wire/tree.h"

enum { PORTS = 8 };

void fake_node_answer(unsigned hosts, const struct fake_node_message in[], struct fake_node_message out[], uint8_t says,
                      uint32_t from) {
  const uint8_t *rows[PORTS] = {0};
  struct tree_header asked[PORTS] = {0}, answer;
  unsigned carried = 0;
  for (unsigned r = 0; r < hosts; r++) {
    if (!tree_get(in[r].data, in[r].bytes, &asked[r])) abort();
    if ((asked[r].flags & TREE_CARRIES) == 0) continue;
    rows[r] = in[r].data + TREE_BYTES;
    carried++;
  }
  answer = asked[0];
  answer.kind = TREE_DOWN;
  if (from != 0 && answer.sequence >= from && answer.operation != TREE_LOCK) {
    answer.verdict = (enum tree_verdict)says;
    answer.node = 4;
    answer.port = 2;
  }
  for (unsigned r = 0; r < hosts; r++) {
    const bool wants = (asked[r].flags & TREE_WANTS) != 0 && answer.verdict == TREE_OK;
    answer.flags = wants ? TREE_CARRIES : 0;
    tree_put(out[r].data, &answer);
    out[r].bytes = TREE_BYTES + (wants ? answer.length : 0);
    if (wants && (carried == 0 || half_rings_reduce(answer.type, rows, PORTS, answer.length, out[r].data + TREE_BYTES) != 0))
      abort();
  }
}
