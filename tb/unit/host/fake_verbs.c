#include "unit/host/fake_verbs.h"

#include <endian.h>
#include <errno.h>
#include <infiniband/verbs.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "unit/host/fake_node.h"
#include "wire/bytes.h"
#include "wire/reduce.h"
#include "wire/roce.h"

// What the inline functions of verbs.h call.
#undef ibv_query_port
#undef ibv_reg_mr

enum { QUEUE = 64, MOST = 1 << 19, PAIRS = 64, REGIONS = 128, PLACE = 2, CONNS = 2, KEY = 100, EPOCH = 9 };

struct message {
  enum ibv_wr_opcode opcode;
  uint64_t at;
  uint32_t key, immediate;
  size_t bytes;
  uint8_t *data;   // freed when it has been delivered
};

struct pair {
  struct ibv_qp qp;
  unsigned rank, unanswered;
  bool written;   // from outside
  uint32_t peer;
  struct ibv_sge places[QUEUE][PLACE];   // of posted receives
  uint64_t wanted[QUEUE];                // and their numbers
  uint64_t posted, used;
  struct message queue[QUEUE];   // sent, not yet delivered
  uint64_t numbers[QUEUE];       // and theirs
  uint64_t put, taken;
};

struct completions {
  struct ibv_cq cq;
  struct ibv_wc done[QUEUE];
  uint64_t put, taken;
};

struct net {
  struct fake_options options;
  pthread_mutex_t lock;
  struct ibv_device device;
  struct ibv_context context;
  unsigned objects;   // open ones
  struct pair *pairs[PAIRS];
  struct ibv_mr regions[REGIONS];
  int access[REGIONS];
  size_t exposed;
  uint64_t delivered;   // to host 1
  bool trespassed;
};

// Verbs have no argument for it.
static struct net *net;

static void *refuse(enum fake_refusal what) {
  if (net->options.refusal != what) return net;
  errno = ENOMEM;
  return NULL;
}

// --- opening and closing ---

struct ibv_device **ibv_get_device_list(int *count) {
  struct ibv_device **list = calloc(2, sizeof *list);
  *count = refuse(FAKE_DEVICES) != NULL;
  if (list != NULL && *count == 1) list[0] = &net->device;
  return list;
}
void ibv_free_device_list(struct ibv_device **list) { free(list); }
const char *ibv_get_device_name(struct ibv_device *device) { return device->name; }

/// Counts what is opened (1) and closed (-1).
static int count(int more) {
  pthread_mutex_lock(&net->lock);
  net->objects += (unsigned)more;
  pthread_mutex_unlock(&net->lock);
  return 0;
}

struct ibv_context *ibv_open_device(struct ibv_device *device) {
  (void)device;
  count(1);
  return &net->context;
}
int ibv_close_device(struct ibv_context *context) {
  (void)context;
  return count(-1);
}

int ibv_query_port(struct ibv_context *context, uint8_t number, struct _compat_ibv_port_attr *out) {
  struct ibv_port_attr *port = (struct ibv_port_attr *)(void *)out;
  (void)context;
  port->gid_tbl_len = 2 * FAKE_RANKS;
  port->active_mtu = IBV_MTU_1024;
  return number == 1 ? 0 : EINVAL;
}

/// Each address twice, as RoCEv1 and as RoCEv2, as rdma_rxe has it not but NICs do.
int _ibv_query_gid_ex(struct ibv_context *context, uint32_t port, uint32_t index, struct ibv_gid_entry *entry, uint32_t flags,
                      size_t size) {
  (void)context;
  (void)port;
  (void)flags;
  memset(entry, 0, size);
  entry->gid_type = index % 2 == 0 ? IBV_GID_TYPE_ROCE_V1 : IBV_GID_TYPE_ROCE_V2;
  entry->gid.raw[10] = entry->gid.raw[11] = 0xFF;
  entry->gid.raw[12] = refuse(FAKE_GIDS) != NULL ? 10 : 11;
  entry->gid.raw[15] = (uint8_t)(index / 2 + 1);
  return 0;
}

struct ibv_pd *ibv_alloc_pd(struct ibv_context *context) {
  struct ibv_pd *pd = refuse(FAKE_PDS) != NULL ? calloc(1, sizeof *pd) : NULL;
  if (pd != NULL) pd->context = context, count(1);
  return pd;
}
int ibv_dealloc_pd(struct ibv_pd *pd) {
  free(pd);
  return count(-1);
}

struct ibv_cq *ibv_create_cq(struct ibv_context *context, int size, void *user, struct ibv_comp_channel *channel, int vector) {
  struct completions *c = refuse(FAKE_CQS) != NULL ? calloc(1, sizeof *c) : NULL;
  (void)size;
  (void)user;
  (void)channel;
  (void)vector;
  if (c == NULL) return NULL;
  c->cq.context = context;
  count(1);
  return &c->cq;
}
int ibv_destroy_cq(struct ibv_cq *cq) {
  free(cq);
  return count(-1);
}

struct ibv_mr *ibv_reg_mr(struct ibv_pd *pd, void *at, size_t bytes, int access) {
  struct ibv_mr *mr = NULL;
  if (refuse(FAKE_MRS) == NULL) return NULL;
  pthread_mutex_lock(&net->lock);
  for (uint32_t i = 0; i < REGIONS && mr == NULL; i++) {
    if (net->regions[i].length > 0) continue;
    mr = &net->regions[i];
    *mr = (struct ibv_mr){.pd = pd, .addr = at, .length = bytes, .lkey = KEY + i, .rkey = KEY + i};
    net->access[i] = access;
    if ((access & IBV_ACCESS_REMOTE_WRITE) != 0) net->exposed += bytes;
    net->objects++;
  }
  pthread_mutex_unlock(&net->lock);
  return mr;
}
int ibv_dereg_mr(struct ibv_mr *mr) {
  pthread_mutex_lock(&net->lock);
  mr->length = 0;
  net->objects--;
  pthread_mutex_unlock(&net->lock);
  return 0;
}

struct ibv_qp *ibv_create_qp(struct ibv_pd *pd, struct ibv_qp_init_attr *wanted) {
  struct pair *p = refuse(FAKE_QPS) != NULL ? calloc(1, sizeof *p) : NULL;
  if (p == NULL) return NULL;
  p->qp = (struct ibv_qp){.context = pd->context, .send_cq = wanted->send_cq, .recv_cq = wanted->recv_cq};
  p->unanswered = net->options.unanswered;
  pthread_mutex_lock(&net->lock);
  while (p->qp.qp_num + 1 < PAIRS && net->pairs[p->qp.qp_num] != NULL) p->qp.qp_num++;
  net->pairs[p->qp.qp_num] = p;
  net->objects++;
  pthread_mutex_unlock(&net->lock);
  return &p->qp;
}

int ibv_modify_qp(struct ibv_qp *qp, struct ibv_qp_attr *a, int mask) {
  struct pair *p = (struct pair *)(void *)qp;
  if (a->qp_state == IBV_QPS_INIT) p->written = (a->qp_access_flags & IBV_ACCESS_REMOTE_WRITE) != 0;
  if (a->qp_state != IBV_QPS_RTR) return 0;
  if (refuse(FAKE_CONNECTIONS) == NULL) return EINVAL;
  if (p->unanswered > 0) return p->unanswered--, ETIMEDOUT;
  if ((mask & IBV_QP_DEST_QPN) == 0 || (a->dest_qp_num >= PAIRS && a->dest_qp_num >= FAKE_NODE + CONNS)) return EINVAL;
  p->peer = a->dest_qp_num;
  p->rank = a->ah_attr.grh.sgid_index / 2u;
  return 0;
}

/// The oldest message of a pair is no more.
static void take(struct pair *p) { free(p->queue[p->taken++ % QUEUE].data); }

int ibv_destroy_qp(struct ibv_qp *qp) {
  pthread_mutex_lock(&net->lock);
  struct pair *p = net->pairs[qp->qp_num];
  while (p->taken < p->put) take(p);
  net->pairs[qp->qp_num] = NULL;
  net->objects--;
  pthread_mutex_unlock(&net->lock);
  free(p);
  return 0;
}

const char *ibv_wc_status_str(enum ibv_wc_status status) { return status == IBV_WC_RETRY_EXC_ERR ? "nobody answers" : "failed"; }

// --- messages ---

/// True if all of it lies in the memory of that key, which was registered for all of `access`.
static bool allowed(uint64_t at, size_t bytes, uint32_t key, int access) {
  const struct ibv_mr *mr = key >= KEY && key < KEY + REGIONS ? &net->regions[key - KEY] : NULL;
  const bool inside = mr != NULL && at >= (uintptr_t)mr->addr && bytes <= mr->length &&
                      at - (uintptr_t)mr->addr <= mr->length - bytes && (net->access[key - KEY] & access) == access;
  if (!inside) net->trespassed = true;
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
  take(p);
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
  const struct fake_options *o = &net->options;
  if (to->rank != 1 || o->trouble == FAKE_WELL) return false;
  const uint64_t number = net->delivered++;
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
  if (at < m->bytes) net->trespassed = true;
}

/// A message has come to a pair.
static void arrive(struct pair *to, const struct message *m) {
  const bool sent = m->opcode == IBV_WR_SEND_WITH_IMM || m->opcode == IBV_WR_SEND;
  if (sent)
    land_in_place(to, m);
  else if (!to->written)
    net->trespassed = true;
  else if (allowed(m->at, m->bytes, m->key, IBV_ACCESS_REMOTE_WRITE))
    land(m->at, m->data, m->bytes);
  if (m->opcode == IBV_WR_RDMA_WRITE) return;
  complete_with(to->qp.recv_cq, (struct ibv_wc){.wr_id = to->wanted[to->used++ % QUEUE],
                                                .byte_len = (uint32_t)m->bytes,
                                                .imm_data = htobe32(m->immediate),
                                                .wc_flags = m->opcode == IBV_WR_SEND ? 0 : IBV_WC_WITH_IMM});
}

static void deliver(struct pair *from, struct message *m) {
  struct pair *to = net->pairs[from->peer];
  if (to == NULL || goes_wrong(from, to, m)) {
    take(from);
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
  const struct pair *to = net->pairs[from->peer];
  return to == NULL || m->opcode == IBV_WR_RDMA_WRITE || to->used < to->posted ? m : NULL;
}

/// RingID of a message for the device; -1: it is none.
static int ring_of(const struct pair *from, const struct message *m) {
  const bool tagged = net->options.sums && from->peer < FAKE_NODE && m->bytes >= INA_BYTES && get_be32(m->data) == INA_TAG;
  return tagged ? get_be16(m->data + 4) : -1;
}

/// When each host has sent its message of a ring, each gets the sum under the header of the one before it.
static bool sum_one(int ring) {
  const uint8_t *rows[FAKE_RANKS];
  uint8_t sum[1 << 14];
  struct pair *from[FAKE_RANKS] = {0};
  struct message *m[FAKE_RANKS];
  for (unsigned i = 0; i < PAIRS; i++) {
    struct message *it = due(net->pairs[i]);
    if (it == NULL || ring_of(net->pairs[i], it) != ring) continue;
    from[net->pairs[i]->rank] = net->pairs[i];
    m[net->pairs[i]->rank] = it;
  }
  for (unsigned r = 0; r < net->options.hosts; r++) {
    if (from[r] == NULL) return false;
    rows[r] = m[r]->data + INA_BYTES;
  }
  const size_t bytes = m[0]->bytes - INA_BYTES;
  if (bytes > sizeof sum || ina_reduce(m[0]->data[7], rows, net->options.hosts, bytes, sum) != 0) abort();
  for (unsigned r = 0; r < net->options.hosts; r++) {
    memcpy(m[r]->data + INA_BYTES, sum, bytes);
    m[r]->data[14] = net->options.unmarked ? 0 : EPOCH;
    m[r]->immediate |= net->options.unmarked ? 0 : EPOCH << 8;
    deliver(from[r], m[r]);
  }
  return true;
}

/// The node answers when all hosts have sent theirs on connections of one kind.
static bool answer_one(unsigned conn) {
  struct pair *from[FAKE_RANKS] = {0};
  struct fake_node_message in[FAKE_RANKS], out[FAKE_RANKS];
  struct message answer = {0};
  for (unsigned i = 0; i < PAIRS; i++) {
    struct message *it = due(net->pairs[i]);
    if (it == NULL || net->pairs[i]->peer != FAKE_NODE + conn) continue;
    from[net->pairs[i]->rank] = net->pairs[i];
    in[net->pairs[i]->rank] = (struct fake_node_message){.data = it->data, .bytes = it->bytes};
  }
  for (unsigned r = 0; r < net->options.hosts; r++)
    if (from[r] == NULL) return false;
  for (unsigned r = 0; r < net->options.hosts; r++) out[r].data = need(malloc(MOST));
  fake_node_answer(net->options.hosts, in, out, net->options.node_says, net->options.node_from);
  for (unsigned r = 0; r < net->options.hosts; r++) {
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
    struct message *m = due(net->pairs[i]);
    if (m == NULL || net->pairs[i]->peer >= FAKE_NODE) continue;
    const int ring = ring_of(net->pairs[i], m);
    if (ring >= 0)
      moved = sum_one(ring) || moved;
    else
      deliver(net->pairs[i], m), moved = true;
  }
  return moved;
}

static void pump(void) {
  while (move_one()) continue;
}

static int post_send(struct ibv_qp *qp, struct ibv_send_wr *wanted, struct ibv_send_wr **bad) {
  struct pair *p = (struct pair *)(void *)qp;
  pthread_mutex_lock(&net->lock);
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
  pthread_mutex_unlock(&net->lock);
  *bad = NULL;
  return 0;
}

static int post_receive(struct ibv_qp *qp, struct ibv_recv_wr *wanted, struct ibv_recv_wr **bad) {
  struct pair *p = (struct pair *)(void *)qp;
  pthread_mutex_lock(&net->lock);
  p->wanted[p->posted % QUEUE] = wanted->wr_id;
  struct ibv_sge *place = p->places[p->posted++ % QUEUE];
  for (int i = 0; i < PLACE; i++) place[i] = i < wanted->num_sge ? wanted->sg_list[i] : (struct ibv_sge){0};
  pump();
  pthread_mutex_unlock(&net->lock);
  *bad = NULL;
  return 0;
}

static int poll_completions(struct ibv_cq *cq, int most, struct ibv_wc *out) {
  struct completions *c = (struct completions *)(void *)cq;
  int found = 0;
  pthread_mutex_lock(&net->lock);
  while (found < most && c->taken < c->put) out[found++] = c->done[c->taken++ % QUEUE];
  pthread_mutex_unlock(&net->lock);
  return found;
}

// --- all of it ---

void fake_verbs_open(const struct fake_options *options) {
  net = need(calloc(1, sizeof *net));
  net->options = *options;
  pthread_mutex_init(&net->lock, NULL);
  strcpy(net->device.name, "fake0");
  net->context.device = &net->device;
  net->context.ops.post_send = post_send;
  net->context.ops.post_recv = post_receive;
  net->context.ops.poll_cq = poll_completions;
}

size_t fake_verbs_exposed(void) { return net->exposed; }

bool fake_verbs_close(void) {
  const bool good = net->objects == 0 && !net->trespassed;
  pthread_mutex_destroy(&net->lock);
  free(net);
  net = NULL;
  return good;
}
