#include "unit/host/net/process_net.h"

#include <endian.h>
#include <errno.h>
#include <infiniband/verbs.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { QUEUE = 128, PLACE = 2, ADDRESSES = 16, FIRST_PAIR = 1 };

// What the inline functions of verbs.h call.
#undef ibv_query_port
#undef ibv_reg_mr

/// A queue pair, for its owner.
struct pair {
  struct ibv_qp qp;
  struct pair *next;
  uint32_t peer;
  unsigned rank;   // of its host, as its address says
  uint64_t wanted[QUEUE];
  struct ibv_sge places[QUEUE][PLACE];
  uint64_t posted, used;
};

struct completions {
  struct ibv_cq cq;
  struct ibv_wc done[QUEUE];
  uint64_t put, taken;
};

// Verbs have no argument for them.
static struct pair *pairs;
static struct ibv_device device = {.name = "fake0"};
static struct ibv_context context;

/// WEIR_FAKE_DIE="CALL[:N]": the process ends, as if it were killed, at the call of that name, or the N-th of them.
static void die_at(const char *call) {
  static char name[32];
  static unsigned left;
  const char *text = getenv("WEIR_FAKE_DIE");
  if (text == NULL) return;
  if (*name == 0 && sscanf(text, "%31[^:]:%u", name, &left) == 1) left = 1;
  if (strcmp(name, call) == 0 && --left == 0) raise(SIGKILL);
}

static void complete(struct ibv_cq *cq, struct ibv_wc wc) {
  struct completions *c = (struct completions *)(void *)cq;
  c->done[c->put++ % QUEUE] = wc;
}

static int post_send(struct ibv_qp *qp, struct ibv_send_wr *wanted, struct ibv_send_wr **bad) {
  static struct mail m;
  struct pair *p = (struct pair *)(void *)qp;
  die_at("send");
  m.to = p->peer;
  m.opcode = wanted->opcode;
  m.immediate = be32toh(wanted->imm_data);
  m.at = wanted->wr.rdma.remote_addr;
  m.bytes = 0;
  for (int i = 0; i < wanted->num_sge; i++) {
    if (m.bytes + wanted->sg_list[i].length > PROCESS_MOST) abort();
    memcpy(m.data + m.bytes, (const void *)(uintptr_t)wanted->sg_list[i].addr, wanted->sg_list[i].length);
    m.bytes += wanted->sg_list[i].length;
  }
  process_net_lock();
  const bool there = process_net_send(&m, p->qp.qp_num, p->rank);
  process_net_unlock();
  complete(p->qp.send_cq, (struct ibv_wc){.wr_id = wanted->wr_id, .status = there ? IBV_WC_SUCCESS : IBV_WC_RETRY_EXC_ERR});
  *bad = NULL;
  return 0;
}

// --- receiving ---

static int post_receive(struct ibv_qp *qp, struct ibv_recv_wr *wanted, struct ibv_recv_wr **bad) {
  struct pair *p = (struct pair *)(void *)qp;
  p->wanted[p->posted % QUEUE] = wanted->wr_id;
  struct ibv_sge *place = p->places[p->posted++ % QUEUE];
  for (int i = 0; i < PLACE; i++) place[i] = i < wanted->num_sge ? wanted->sg_list[i] : (struct ibv_sge){0};
  *bad = NULL;
  return 0;
}

/// False if it has no room.
static bool land(const struct ibv_sge place[PLACE], const struct mail *m) {
  size_t at = 0;
  if (m->bytes > (size_t)place[0].length + place[1].length) return false;
  for (int i = 0; i < PLACE && at < m->bytes; i++) {
    const size_t piece = m->bytes - at < place[i].length ? m->bytes - at : place[i].length;
    memcpy((void *)(uintptr_t)place[i].addr, m->data + at, piece);
    at += piece;
  }
  return true;
}

/// Takes what has come to a pair, as far as receives are posted.
static void receive(struct pair *p) {
  struct mailbox *b = &process_shared->boxes[p->qp.qp_num % PROCESS_PAIRS];
  while (p->used < p->posted && __atomic_load_n(&b->put, __ATOMIC_ACQUIRE) > b->taken) {
    const struct mail *m = &b->queue[b->taken % PROCESS_DEPTH];
    const struct ibv_sge *place = p->places[p->used % QUEUE];
    struct ibv_wc wc = {.wr_id = p->wanted[p->used++ % QUEUE],
                        .byte_len = (uint32_t)m->bytes,
                        .imm_data = htobe32(m->immediate),
                        .wc_flags = IBV_WC_WITH_IMM};
    if (m->opcode == IBV_WR_RDMA_WRITE_WITH_IMM)
      memcpy((void *)(uintptr_t)m->at, m->data, m->bytes);
    else if (!land(place, m))
      wc.status = IBV_WC_LOC_LEN_ERR;
    complete(p->qp.recv_cq, wc);
    process_net_lock();
    b->taken++;
    process_net_unlock();
  }
}

static int poll_completions(struct ibv_cq *cq, int most, struct ibv_wc *out) {
  struct completions *c = (struct completions *)(void *)cq;
  int found = 0;
  for (struct pair *p = pairs; p != NULL; p = p->next)
    if (p->qp.recv_cq == cq) receive(p);
  while (found < most && c->taken < c->put) out[found++] = c->done[c->taken++ % QUEUE];
  return found;
}

// --- opening and closing ---

static bool map_network(void) {
  if (!process_net_map()) return false;
  context.device = &device;
  context.ops.post_send = post_send;
  context.ops.post_recv = post_receive;
  context.ops.poll_cq = poll_completions;
  return true;
}

struct ibv_device **ibv_get_device_list(int *count) {
  struct ibv_device **list = calloc(2, sizeof *list);
  *count = list != NULL && map_network();
  if (*count == 1) list[0] = &device;
  return list;
}
void ibv_free_device_list(struct ibv_device **list) { free(list); }
const char *ibv_get_device_name(struct ibv_device *which) { return which->name; }
struct ibv_context *ibv_open_device(struct ibv_device *which) {
  die_at("open");
  return which == &device ? &context : NULL;
}
int ibv_close_device(struct ibv_context *which) { return which == &context ? 0 : EINVAL; }

int ibv_query_port(struct ibv_context *which, uint8_t number, struct _compat_ibv_port_attr *out) {
  struct ibv_port_attr *port = (struct ibv_port_attr *)(void *)out;
  (void)which;
  memset(port, 0, sizeof *port);
  port->gid_tbl_len = ADDRESSES;
  port->active_mtu = IBV_MTU_4096;
  port->max_msg_sz = PROCESS_MOST;
  return number == 1 ? 0 : EINVAL;
}

/// 10.0.0.1 onwards: each process may be any of them.
int _ibv_query_gid_ex(struct ibv_context *which, uint32_t port, uint32_t index, struct ibv_gid_entry *entry, uint32_t flags,
                      size_t size) {
  (void)which;
  (void)port;
  (void)flags;
  memset(entry, 0, size);
  entry->gid_type = IBV_GID_TYPE_ROCE_V2;
  entry->gid.raw[10] = entry->gid.raw[11] = 0xFF;
  entry->gid.raw[12] = 10;
  entry->gid.raw[15] = (uint8_t)(index + 1);
  return 0;
}

struct ibv_pd *ibv_alloc_pd(struct ibv_context *which) {
  struct ibv_pd *pd = calloc(1, sizeof *pd);
  if (pd != NULL) pd->context = which;
  return pd;
}
int ibv_dealloc_pd(struct ibv_pd *pd) {
  free(pd);
  return 0;
}

struct ibv_cq *ibv_create_cq(struct ibv_context *which, int size, void *user, struct ibv_comp_channel *channel, int vector) {
  struct completions *c = calloc(1, sizeof *c);
  (void)user;
  (void)channel;
  (void)vector;
  if (c == NULL || size > QUEUE) abort();
  c->cq.context = which;
  return &c->cq;
}
int ibv_destroy_cq(struct ibv_cq *cq) {
  free(cq);
  return 0;
}

struct ibv_mr *ibv_reg_mr(struct ibv_pd *pd, void *at, size_t bytes, int access) {
  static unsigned registrations;
  const char *text = getenv("WEIR_FAKE_NO_MEMORY");
  die_at("register");
  if (text != NULL && ++registrations >= strtoul(text, NULL, 10)) {
    errno = ENOMEM;
    return NULL;
  }
  struct ibv_mr *mr = calloc(1, sizeof *mr);
  (void)access;
  if (mr != NULL) *mr = (struct ibv_mr){.pd = pd, .addr = at, .length = bytes};
  return mr;
}
int ibv_dereg_mr(struct ibv_mr *mr) {
  free(mr);
  return 0;
}

struct ibv_qp *ibv_create_qp(struct ibv_pd *pd, struct ibv_qp_init_attr *wanted) {
  struct pair *p = calloc(1, sizeof *p);
  if (p == NULL) return NULL;
  p->qp = (struct ibv_qp){.context = pd->context, .send_cq = wanted->send_cq, .recv_cq = wanted->recv_cq};
  process_net_lock();
  do p->qp.qp_num = FIRST_PAIR + process_shared->pairs++;
  while (process_shared->boxes[p->qp.qp_num % PROCESS_PAIRS].owner != 0);
  struct mailbox *b = &process_shared->boxes[p->qp.qp_num % PROCESS_PAIRS];
  b->owner = getpid();
  b->number = p->qp.qp_num;
  b->put = b->taken = 0;
  process_net_unlock();
  p->next = pairs;
  pairs = p;
  return &p->qp;
}

int ibv_modify_qp(struct ibv_qp *qp, struct ibv_qp_attr *a, int mask) {
  struct pair *p = (struct pair *)(void *)qp;
  die_at("connect");
  if ((mask & IBV_QP_DEST_QPN) != 0) p->peer = a->dest_qp_num;
  if ((mask & IBV_QP_AV) != 0) p->rank = a->ah_attr.grh.sgid_index;
  // What was posted comes back.
  while ((mask & IBV_QP_STATE) != 0 && a->qp_state == IBV_QPS_ERR && p->used < p->posted)
    complete(p->qp.recv_cq, (struct ibv_wc){.wr_id = p->wanted[p->used++ % QUEUE], .status = IBV_WC_WR_FLUSH_ERR});
  return 0;
}

int ibv_destroy_qp(struct ibv_qp *qp) {
  die_at("destroy");
  struct pair **at = &pairs;
  while (&(*at)->qp != qp) at = &(*at)->next;
  *at = (*at)->next;
  process_net_lock();
  process_net_forget(qp->qp_num);
  process_net_unlock();
  free(qp);
  return 0;
}

const char *ibv_wc_status_str(enum ibv_wc_status status) { return status == IBV_WC_RETRY_EXC_ERR ? "nobody answers" : "failed"; }
