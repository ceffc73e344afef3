#include "unit/host/net/fake_net.h"

#include <endian.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "unit/host/net/fake_node.h"
#include "wire/bytes.h"
#include "wire/reduce.h"
#include "wire/roce.h"

struct net *fake_net;

void fake_net_take(struct pair *p) { free(p->queue[p->taken++ % QUEUE].data); }

/// True if all of it lies in the memory of that key, which was registered for all of `access`.
static bool allowed(uint64_t at, size_t bytes, uint32_t key, int access) {
  const struct ibv_mr *mr = key >= KEY && key < KEY + REGIONS ? &fake_net->regions[key - KEY] : NULL;
  const bool inside = mr != NULL && at >= (uintptr_t)mr->addr && bytes <= mr->length &&
                      at - (uintptr_t)mr->addr <= mr->length - bytes && (fake_net->access[key - KEY] & access) == access;
  if (!inside) fake_net->trespassed = true;
  return inside;
}

static void complete_with(struct ibv_cq *cq, struct ibv_wc wc) {
  struct completions *c = (struct completions *)(void *)cq;
  c->done[c->put++ % QUEUE] = wc;
}

static void complete(struct ibv_cq *cq, enum ibv_wc_status status, size_t bytes) {
  complete_with(cq, (struct ibv_wc){.status = status, .byte_len = (uint32_t)bytes});
}

static void complete_sent(struct pair *p) {
  complete_with(p->qp.send_cq, (struct ibv_wc){.wr_id = p->numbers[p->taken % QUEUE]});
  fake_net_take(p);
}

/// A host that polls sees the last word last.
static void land(uint64_t at, const uint8_t *data, size_t bytes) {
  uint32_t last;
  if (bytes < 4 || bytes % 4 != 0) {
    memcpy((void *)(uintptr_t)at, data, bytes);
    return;
  }
  memcpy((void *)(uintptr_t)at, data, bytes - 4);
  memcpy(&last, data + bytes - 4, 4);
  __atomic_store_n((uint32_t *)(uintptr_t)(at + bytes - 4), last, __ATOMIC_RELEASE);
}

/// True if what comes to host 1 goes wrong. What the network itself damages is damaged.
static bool goes_wrong(struct pair *from, struct pair *to, struct message *m) {
  const struct fake_options *o = &fake_net->options;
  if (to->rank != 1 || o->trouble == FAKE_WELL) return false;
  const uint64_t number = fake_net->delivered++;
  if (number < o->at) return false;
  if (number > o->at) return true;
  switch (o->trouble) {
    case FAKE_RAW: m->data[14] = 0; return false;
    case FAKE_OTHER_HEADER: m->data[11] ^= 1; return false;
    case FAKE_OTHER_NUMBER: m->data[INA_BYTES] ^= 0x40; return false;
    case FAKE_SHORT: m->bytes -= 4; return false;
    case FAKE_TOO_LONG: complete(to->qp.recv_cq, IBV_WC_LOC_LEN_ERR, 0); return true;
    case FAKE_NOBODY_THERE: complete(from->qp.send_cq, IBV_WC_RETRY_EXC_ERR, 0); return true;
    case FAKE_ENDED: complete(to->qp.recv_cq, IBV_WC_WR_FLUSH_ERR, 0); return true;
    case FAKE_BROKEN: complete(to->qp.recv_cq, IBV_WC_GENERAL_ERR, 0); return true;
    default: return true;
  }
}

/// Into the oldest place that was posted, which may have two pieces.
static void land_in_place(struct pair *to, const struct message *m) {
  const struct ibv_sge *place = to->places[to->used % QUEUE];
  size_t at = 0;
  for (int i = 0; i < PLACE && at < m->bytes; i++) {
    const size_t piece = m->bytes - at < place[i].length ? m->bytes - at : place[i].length;
    if (piece > 0 && allowed(place[i].addr, piece, place[i].lkey, IBV_ACCESS_LOCAL_WRITE))
      land(place[i].addr, m->data + at, piece);
    at += piece;
  }
  if (at < m->bytes) fake_net->trespassed = true;
}

/// A message has come to a pair.
static void arrive(struct pair *to, const struct message *m) {
  const bool sent = m->opcode == IBV_WR_SEND_WITH_IMM || m->opcode == IBV_WR_SEND;
  if (sent)
    land_in_place(to, m);
  else if (!to->written)
    fake_net->trespassed = true;
  else if (allowed(m->at, m->bytes, m->key, IBV_ACCESS_REMOTE_WRITE))
    land(m->at, m->data, m->bytes);
  if (m->opcode == IBV_WR_RDMA_WRITE) return;
  complete_with(to->qp.recv_cq, (struct ibv_wc){.wr_id = to->wanted[to->used++ % QUEUE],
                                                .byte_len = (uint32_t)m->bytes,
                                                .imm_data = htobe32(m->immediate),
                                                .wc_flags = m->opcode == IBV_WR_SEND ? 0 : IBV_WC_WITH_IMM});
}

static void deliver(struct pair *from, struct message *m) {
  struct pair *to = fake_net->pairs[from->peer];
  if (to == NULL || goes_wrong(from, to, m)) {
    fake_net_take(from);
    return;
  }
  arrive(to, m);
  complete_sent(from);
}

/// The oldest message of a pair, if there is one, and where it goes there is a receive posted.
static struct message *due(struct pair *from) {
  if (from == NULL || from->taken == from->put) return NULL;
  struct message *m = &from->queue[from->taken % QUEUE];
  if (from->peer >= FAKE_NODE) return m;
  const struct pair *to = fake_net->pairs[from->peer];
  return to == NULL || m->opcode == IBV_WR_RDMA_WRITE || to->used < to->posted ? m : NULL;
}

/// RingID of a message for the device; -1: it is none.
static int ring_of(const struct pair *from, const struct message *m) {
  const bool tagged = fake_net->options.sums && from->peer < FAKE_NODE && m->bytes >= INA_BYTES && get_be32(m->data) == INA_TAG;
  return tagged ? get_be16(m->data + 4) : -1;
}

/// When each host has sent its message of a ring, each gets the sum under the header of the one before it.
static bool sum_one(int ring) {
  const uint8_t *rows[FAKE_RANKS];
  uint8_t sum[1 << 14];
  struct pair *from[FAKE_RANKS] = {0};
  struct message *m[FAKE_RANKS];
  for (unsigned i = 0; i < PAIRS; i++) {
    struct message *it = due(fake_net->pairs[i]);
    if (it == NULL || ring_of(fake_net->pairs[i], it) != ring) continue;
    from[fake_net->pairs[i]->rank] = fake_net->pairs[i];
    m[fake_net->pairs[i]->rank] = it;
  }
  for (unsigned r = 0; r < fake_net->options.hosts; r++) {
    if (from[r] == NULL) return false;
    rows[r] = m[r]->data + INA_BYTES;
  }
  const size_t bytes = m[0]->bytes - INA_BYTES;
  if (bytes > sizeof sum || ina_reduce(m[0]->data[7], rows, fake_net->options.hosts, bytes, sum) != 0) abort();
  for (unsigned r = 0; r < fake_net->options.hosts; r++) {
    memcpy(m[r]->data + INA_BYTES, sum, bytes);
    m[r]->data[14] = fake_net->options.unmarked ? 0 : EPOCH;
    m[r]->immediate |= fake_net->options.unmarked ? 0 : EPOCH << 8;
    deliver(from[r], m[r]);
  }
  return true;
}

/// A node's answer, if it is one packet, to all who listen, behind the IPv4 header that it came with; those who have no place miss it.
static void cast(const struct fake_node_message *m) {
  static const uint8_t source[4] = {10, 0, 0, 200};
  uint8_t data[GRH + PACKET] = {0};
  if (m->bytes > PACKET) return;
  memcpy(data + GRH - 8, source, sizeof source);
  memcpy(data + GRH, m->data, m->bytes);
  const struct message is = {.data = data, .bytes = GRH + m->bytes};
  for (unsigned i = 0; i < PAIRS; i++) {
    struct pair *p = fake_net->pairs[i];
    if (p == NULL || !p->listens || p->used == p->posted) continue;
    land_in_place(p, &is);
    complete_with(p->qp.recv_cq,
                  (struct ibv_wc){.wr_id = p->wanted[p->used++ % QUEUE], .byte_len = (uint32_t)is.bytes, .src_qp = FAKE_NODE});
  }
}

/// The node answers when all hosts have sent theirs on connections of one kind.
static bool answer_one(unsigned conn) {
  struct pair *from[FAKE_RANKS] = {0};
  struct fake_node_message in[FAKE_RANKS], out[FAKE_RANKS];
  struct message answer = {0};
  for (unsigned i = 0; i < PAIRS; i++) {
    struct message *it = due(fake_net->pairs[i]);
    if (it == NULL || fake_net->pairs[i]->peer != FAKE_NODE + conn) continue;
    from[fake_net->pairs[i]->rank] = fake_net->pairs[i];
    in[fake_net->pairs[i]->rank] = (struct fake_node_message){.data = it->data, .bytes = it->bytes};
  }
  for (unsigned r = 0; r < fake_net->options.hosts; r++)
    if (from[r] == NULL) return false;
  for (unsigned r = 0; r < fake_net->options.hosts; r++) out[r].data = need(malloc(MOST));
  fake_node_answer(fake_net->options.hosts, in, out, fake_net->options.node_says, fake_net->options.node_from);
  for (unsigned r = 0; conn == 0 && r < fake_net->options.hosts; r++) cast(&out[r]);
  for (unsigned r = 0; r < fake_net->options.hosts; r++) {
    answer.opcode = IBV_WR_SEND;
    answer.bytes = out[r].bytes;
    answer.data = out[r].data;
    complete_sent(from[r]);
    arrive(from[r], &answer);
    free(out[r].data);
  }
  return true;
}

static bool move_one(void) {
  bool moved = answer_one(0) || answer_one(1);
  for (unsigned i = 0; i < PAIRS; i++) {
    struct message *m = due(fake_net->pairs[i]);
    if (m == NULL || fake_net->pairs[i]->peer >= FAKE_NODE) continue;
    const int ring = ring_of(fake_net->pairs[i], m);
    if (ring >= 0)
      moved = sum_one(ring) || moved;
    else
      deliver(fake_net->pairs[i], m), moved = true;
  }
  return moved;
}

static void pump(void) {
  while (move_one()) continue;
}

static int post_send(struct ibv_qp *qp, struct ibv_send_wr *wanted, struct ibv_send_wr **bad) {
  struct pair *p = (struct pair *)(void *)qp;
  pthread_mutex_lock(&fake_net->lock);
  p->numbers[p->put % QUEUE] = wanted->wr_id;
  struct message *m = &p->queue[p->put++ % QUEUE];
  m->opcode = wanted->opcode;
  m->immediate = be32toh(wanted->imm_data);
  m->at = wanted->wr.rdma.remote_addr;
  m->key = wanted->wr.rdma.rkey;
  m->bytes = 0;
  m->data = need(malloc(MOST));
  for (int i = 0; i < wanted->num_sge; i++) {
    const struct ibv_sge *s = &wanted->sg_list[i];
    if (allowed(s->addr, s->length, s->lkey, 0)) memcpy(m->data + m->bytes, (const void *)(uintptr_t)s->addr, s->length);
    m->bytes += s->length;
  }
  pump();
  pthread_mutex_unlock(&fake_net->lock);
  *bad = NULL;
  return 0;
}

static int post_receive(struct ibv_qp *qp, struct ibv_recv_wr *wanted, struct ibv_recv_wr **bad) {
  struct pair *p = (struct pair *)(void *)qp;
  pthread_mutex_lock(&fake_net->lock);
  p->wanted[p->posted % QUEUE] = wanted->wr_id;
  struct ibv_sge *place = p->places[p->posted++ % QUEUE];
  for (int i = 0; i < PLACE; i++) place[i] = i < wanted->num_sge ? wanted->sg_list[i] : (struct ibv_sge){0};
  pump();
  pthread_mutex_unlock(&fake_net->lock);
  *bad = NULL;
  return 0;
}

static int poll_completions(struct ibv_cq *cq, int most, struct ibv_wc *out) {
  struct completions *c = (struct completions *)(void *)cq;
  int found = 0;
  pthread_mutex_lock(&fake_net->lock);
  while (found < most && c->taken < c->put) out[found++] = c->done[c->taken++ % QUEUE];
  pthread_mutex_unlock(&fake_net->lock);
  return found;
}

void fake_net_operations(struct ibv_context *context) {
  context->ops.post_send = post_send;
  context->ops.post_recv = post_receive;
  context->ops.poll_cq = poll_completions;
}
