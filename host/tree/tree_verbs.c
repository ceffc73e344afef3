#include "host/tree/tree_verbs.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "host/tree/tree_casts.h"

/// Messages of a node that may come without being asked for: an answer, and the ends of both trees.
enum { LOW_PLACES = 8, LOW_BYTES = TREE_BYTES + TREE_LLT_MOST, PAGE = 4096 };

/// Which completion: of a send, or of the receive of a place, or of a place of multicasts.
enum { OF_SEND = 1 << 16, OF_SAT = 1 << 17, OF_CAST = 1 << 18, PLACE_MASK = 0xFFFF };

/// What is registered once: staging of both connections, header of the streaming one, places of the low-latency one.
struct pool {
  uint8_t low_out[LOW_BYTES], sat_out[TREE_BYTES], sat_in[TREE_BYTES];
  uint8_t low_in[LOW_PLACES][LOW_BYTES];
};

struct tree_verbs {
  struct tree_verbs_config config;
  struct rdma rdma;
  struct ibv_cq *done;
  struct ibv_qp *pairs[TREE_CONNS];
  struct tree_casts *casts;   // NULL: nobody listens
  struct pool *pool;
  struct ibv_mr *memory;
  uint32_t psn[TREE_CONNS];
  bool failed[TREE_CONNS], told[TREE_CONNS];
  const char *why[TREE_CONNS];
  unsigned pending[TREE_CONNS];   ///< work requests that are not done
  unsigned landed;                ///< place that was told last and is not posted again; LOW_PLACES: none
};

// --- opening ---

static bool make(struct tree_verbs *v) {
  v->done = ibv_create_cq(v->rdma.context, 4 * LOW_PLACES + TREE_CASTS_PLACES, NULL, NULL, 0);
  v->pool = aligned_alloc(PAGE, (sizeof *v->pool + PAGE - 1) / PAGE * PAGE);
  if (v->done == NULL || v->pool == NULL) return false;
  memset(v->pool, 0, sizeof *v->pool);
  v->memory = ibv_reg_mr(v->rdma.pd, v->pool, sizeof *v->pool, IBV_ACCESS_LOCAL_WRITE);
  for (int c = 0; v->memory != NULL && c < TREE_CONNS; c++) {
    v->psn[c] = (rdma_psn() + (uint32_t)c * 0x10001) & 0xFFFFFF;
    v->pairs[c] = rdma_pair(&v->rdma, v->done, v->done, 2, LOW_PLACES, 2, false);
    if (v->pairs[c] == NULL) return false;
  }
  if (v->memory != NULL && v->config.casts) v->casts = tree_casts_open(&v->rdma, v->done, OF_CAST);
  return v->memory != NULL && (v->casts != NULL || !v->config.casts);
}

struct tree_verbs *tree_verbs_open(const struct tree_verbs_config *config, char *error, size_t size) {
  struct tree_verbs *v = calloc(1, sizeof *v);
  snprintf(error, size, "out of memory");
  if (v == NULL) return NULL;
  v->config = *config;
  v->landed = LOW_PLACES;
  if (!rdma_open(&v->rdma, &config->rdma, error, size)) {
    tree_verbs_close(v);
    return NULL;
  }
  if (make(v)) return v;
  snprintf(error, size, "%s: no queue pairs, or no memory for them: %s", ibv_get_device_name(v->rdma.context->device),
           strerror(errno));
  tree_verbs_close(v);
  return NULL;
}

/// All but the device.
static void unmake(struct tree_verbs *v) {
  tree_casts_close(v->casts);
  for (int c = 0; c < TREE_CONNS; c++)
    if (v->pairs[c] != NULL) ibv_destroy_qp(v->pairs[c]);
  if (v->memory != NULL) ibv_dereg_mr(v->memory);
  if (v->done != NULL) ibv_destroy_cq(v->done);
  free(v->pool);
}

int tree_verbs_renew(struct tree_verbs *v, char *error, size_t size) {
  unmake(v);
  *v = (struct tree_verbs){.config = v->config, .rdma = v->rdma, .landed = LOW_PLACES};
  if (make(v)) return 0;
  snprintf(error, size, "%s: no queue pairs, or no memory for them: %s", ibv_get_device_name(v->rdma.context->device),
           strerror(errno));
  return -ENOMEM;
}

void tree_verbs_close(struct tree_verbs *v) {
  if (v == NULL) return;
  unmake(v);
  rdma_close(&v->rdma);
  free(v);
}

unsigned tree_verbs_mtu(const struct tree_verbs *v) { return v->rdma.config.mtu; }

struct tree_verbs_end tree_verbs_own(const struct tree_verbs *v, enum tree_conn conn) {
  return (struct tree_verbs_end){.qpn = v->pairs[conn]->qp_num, .psn = v->psn[conn]};
}

// --- messages ---

static struct ibv_sge piece(const struct tree_verbs *v, const uint8_t *at, size_t bytes) {
  return (struct ibv_sge){.addr = (uint64_t)(uintptr_t)at, .length = (uint32_t)bytes, .lkey = v->memory->lkey};
}

static int post_receive(struct tree_verbs *v, enum tree_conn conn, uint64_t id, struct ibv_sge *pieces, int count) {
  struct ibv_recv_wr wanted = {.wr_id = id, .sg_list = pieces, .num_sge = count}, *bad;
  const int code = ibv_post_recv(v->pairs[conn], &wanted, &bad);
  v->pending[conn] += code == 0;
  return -code;
}

static int post_place(struct tree_verbs *v, unsigned place) {
  struct ibv_sge all = piece(v, v->pool->low_in[place], LOW_BYTES);
  return post_receive(v, TREE_LOW, place, &all, 1);
}

int tree_verbs_connect(struct tree_verbs *v, const char *address, const struct tree_verbs_end ends[TREE_CONNS], uint16_t tree,
                       char *error, size_t size) {
  struct rdma_peer peer = {.timeout = v->config.timeout, .retries = v->config.retries};
  int code = rdma_gid(address, peer.gid) ? 0 : -EINVAL;
  if (code == 0 && v->casts != NULL) {
    code = tree_casts_join(v->casts, tree, peer.gid, ends[TREE_LOW].qpn);
    if (code != 0) snprintf(error, size, "the multicasts of tree %u cannot be joined: %s", tree, strerror(-code));
    if (code != 0) return code;
  }
  for (unsigned i = 0; code == 0 && i < LOW_PLACES; i++) code = post_place(v, i);
  for (int c = 0; code == 0 && c < TREE_CONNS; c++) {
    peer.qpn = ends[c].qpn;
    peer.receive_psn = ends[c].psn;
    peer.send_psn = v->psn[c];
    peer.control = c == TREE_LOW;   // locks, barriers, and what is short
    code = rdma_connect(&v->rdma, v->pairs[c], &peer);
  }
  if (code != 0) snprintf(error, size, "the queue pairs cannot be connected to %s: %s", address, strerror(-code));
  return code;
}

static uint8_t *staging(void *self, enum tree_conn conn) {
  struct tree_verbs *v = self;
  return conn == TREE_LOW ? v->pool->low_out : v->pool->sat_out;
}

static int send_message(void *self, enum tree_conn conn, size_t staged, const struct transport_body *body) {
  struct tree_verbs *v = self;
  struct ibv_sge pieces[2] = {piece(v, staging(v, conn), staged)};
  struct ibv_send_wr wanted = {.wr_id = OF_SEND | (conn == TREE_SAT ? OF_SAT : 0),
                               .sg_list = pieces,
                               .num_sge = 1,
                               .opcode = IBV_WR_SEND,
                               .send_flags = IBV_SEND_SIGNALED},
                     *bad;
  if (body != NULL) {
    pieces[1] = (struct ibv_sge){.addr = (uint64_t)(uintptr_t)body->data, .length = (uint32_t)body->bytes, .lkey = body->key};
    wanted.num_sge = 2;
  }
  const int code = ibv_post_send(v->pairs[conn], &wanted, &bad);
  v->pending[conn] += code == 0;
  return -code;
}

static int expect(void *self, const struct transport_body *body) {
  struct tree_verbs *v = self;
  struct ibv_sge pieces[2] = {piece(v, v->pool->sat_in, TREE_BYTES)};
  if (body != NULL)
    pieces[1] = (struct ibv_sge){.addr = (uint64_t)(uintptr_t)body->data, .length = (uint32_t)body->bytes, .lkey = body->key};
  return post_receive(v, TREE_SAT, OF_SAT, pieces, body != NULL ? 2 : 1);
}

static void end(void *self, enum tree_conn conn) {
  struct tree_verbs *v = self;
  struct ibv_qp_attr a = {.qp_state = IBV_QPS_ERR};
  if (v->failed[conn]) return;
  v->failed[conn] = true;
  v->why[conn] = "";
  ibv_modify_qp(v->pairs[conn], &a, IBV_QP_STATE);
}

/// A connection that has failed is told of when the last of its work requests has come back: then nobody uses their memory.
static int tell_failure(struct tree_verbs *v, struct tree_link_event *event) {
  for (int c = 0; c < TREE_CONNS; c++) {
    if (!v->failed[c] || v->told[c] || v->pending[c] > 0) continue;
    v->told[c] = true;
    *event = (struct tree_link_event){.kind = TREE_LINK_FAILED, .conn = (enum tree_conn)c, .why = v->why[c]};
    return 1;
  }
  return 0;
}

static int poll_messages(void *self, struct tree_link_event *event) {
  struct tree_verbs *v = self;
  struct ibv_wc done;
  if (v->landed < LOW_PLACES && !v->failed[TREE_LOW]) post_place(v, v->landed);
  v->landed = LOW_PLACES;
  if (v->casts != NULL) tree_casts_again(v->casts);
  while (ibv_poll_cq(v->done, 1, &done) == 1) {
    if ((done.wr_id & OF_CAST) != 0) {
      *event = (struct tree_link_event){.kind = TREE_LINK_CAST, .conn = TREE_LOW};
      event->data = tree_casts_landed(v->casts, &done, &event->bytes);
      if (event->data != NULL) return 1;
      continue;
    }
    const enum tree_conn conn = (done.wr_id & OF_SAT) != 0 ? TREE_SAT : TREE_LOW;
    v->pending[conn]--;
    if (done.status != IBV_WC_SUCCESS) {
      end(v, conn);
      if (*v->why[conn] == 0 && done.status != IBV_WC_WR_FLUSH_ERR) v->why[conn] = ibv_wc_status_str(done.status);
      continue;
    }
    *event = (struct tree_link_event){.kind = TREE_LINK_SENT, .conn = conn};
    if ((done.wr_id & OF_SEND) != 0) return 1;
    const unsigned place = done.wr_id & PLACE_MASK;
    event->kind = TREE_LINK_ARRIVED;
    event->data = conn == TREE_SAT ? v->pool->sat_in : v->pool->low_in[place];
    event->bytes = done.byte_len;
    if (conn == TREE_LOW) v->landed = place;
    return 1;
  }
  return tell_failure(v, event);
}

struct tree_link tree_verbs_link(struct tree_verbs *v) {
  return (
      struct tree_link){.self = v, .staging = staging, .send = send_message, .expect = expect, .poll = poll_messages, .end = end};
}

int tree_verbs_remember(struct tree_verbs *v, void *data, size_t bytes, struct host_memory *out) {
  return rdma_remember(&v->rdma, data, bytes, out);
}
