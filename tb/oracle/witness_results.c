#include <stdlib.h>
#include <string.h>

#include "oracle/witness_state.h"

// Whether a frame is the result for a packet: the packet's own headers, and a sum over its column.

enum { MAX_TRIES = 64 };

// Where a result carries the epoch: in the byte of Workers that no ring needs, or, behind the first packet of a message, in the second
// lowest byte of the immediate value. 0: nowhere.
static size_t mark_at(const struct witness_packet *k) {
  const struct witness_reading *at = &k->at;
  switch (k->data[at->bth]) {
    case 0x03:   // SEND Last, SEND Only, WRITE Last, WRITE Only, each with immediate
    case 0x05:
    case 0x09:
    case 0x0B: return at->body - 2;   // both are at the end of the headers
    default: return at->tagged ? at->body - 2 : 0;
  }
}

const char *witness_headers_differ(const struct witness *w, const struct witness_packet *k, const uint8_t *frame, size_t len) {
  const struct witness_reading *at = &k->at;
  size_t pad = at->body + at->tensor, mark = w->epoch != 0 ? mark_at(k) : 0;
  if (len != at->end) return "result: its length is not that of the packet";
  if (memcmp(frame, k->data, at->udp + 6) != 0) return "result: Ethernet, IP or UDP header differs from the packet's";
  if (witness_be16(frame + at->udp + 6) != 0) return "result: UDP checksum is not zero";
  const size_t apart = mark != 0 ? mark : at->body;
  if (memcmp(frame + at->bth, k->data + at->bth, apart - at->bth) != 0 || (mark != 0 && frame[mark + 1] != k->data[mark + 1]))
    return "result: BTH, extension or INA header differs from the packet's";
  if (mark != 0 && frame[mark] != w->epoch) return "result: its mark is not the device's epoch";
  if (memcmp(frame + pad, k->data + pad, at->end - 4 - pad) != 0) return "result: pad differs from the packet's";
  return NULL;
}

// A search over one packet of every rank, for the sum that came out.
struct column_search {
  struct witness *w;
  const struct witness_column *col;
  const uint8_t *tensor;
  size_t len;
  uint8_t kind;
  const uint8_t *rows[WITNESS_RANKS];
};

static bool eligible(const struct column_search *s, const struct witness_packet *row) {
  return row->at.tensor == s->len && row->kind == s->kind;
}

static bool sum_found(struct column_search *s, unsigned rank) {
  unsigned workers = s->w->rings[s->col->ring].is.workers;
  if (rank == workers) {
    witness_reduce(s->kind, s->rows, workers, s->len, s->w->scratch);
    return memcmp(s->w->scratch, s->tensor, s->len) == 0;
  }
  for (const struct witness_packet *row = s->col->shares[rank].rows; row != NULL; row = row->next_row) {
    if (!eligible(s, row)) continue;
    s->rows[rank] = row->data + row->at.body;
    if (sum_found(s, rank + 1)) return true;
  }
  return false;
}

// How many sums there are to try, at most MAX_TRIES + 1.
static size_t possible_sums(const struct column_search *s) {
  size_t product = 1;
  for (unsigned r = 0; r < s->w->rings[s->col->ring].is.workers; r++) {
    size_t rows = 0;
    for (const struct witness_packet *row = s->col->shares[r].rows; row != NULL; row = row->next_row) rows += eligible(s, row);
    product *= rows;
    if (product > MAX_TRIES) product = MAX_TRIES + 1;
  }
  return product;
}

const char *witness_sum_differs(struct witness *w, const struct witness_packet *k, const uint8_t *tensor) {
  struct witness_column *col = k->column;
  size_t len = k->at.tensor;
  if (col->proven != NULL && col->proven_len == len && memcmp(col->proven, tensor, len) == 0) return NULL;
  struct column_search s = {.w = w, .col = col, .tensor = tensor, .len = len, .kind = k->kind};
  size_t tries = possible_sums(&s);
  if (tries == 0) return "result: not every rank has sent its packet of this column";
  if (tries > MAX_TRIES) {   // so many contradicting packets that most anything may be right
    w->counts.untried++;
    return NULL;
  }
  if (!sum_found(&s, 0)) return "result: the tensor is not the reduction over the ranks' packets";
  free(col->proven);
  col->proven = need(malloc(len + 1));
  col->proven_len = len;
  memcpy(col->proven, tensor, len);
  return NULL;
}
