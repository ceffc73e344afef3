#include "host/verbs.h"

#include <endian.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "wire/bytes.h"

enum { ALIGNMENT = 4096 };

struct verbs {
  struct verbs_config config;
  const struct rdma *rdma;
  struct ibv_cq *sends, *receives;
  struct ibv_qp *out, *in;
  struct ibv_mr *out_memory, *in_memory;   // only the latter may be written to from outside
  uint8_t *staging, *landing;              // one piece of memory, each on pages of its own
  uint32_t psn;
  uint32_t next_key;   // of the next host's landing slots
  uint64_t next_at;
  const char *why;
};

// --- opening ---

/// The host before us writes into our landing slots, unless it sends; the next host writes nowhere.
static struct ibv_qp *make_pair(const struct verbs *v, bool in) {
  const bool written = in && v->config.operation != VERBS_SEND;
  return rdma_pair(v->rdma, v->sends, v->receives, v->config.slots + 1, v->config.slots + 1, 3, written);
}

static bool make_memory(struct verbs *v) {
  const size_t half = (v->config.slots * v->config.slot_bytes + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
  const unsigned in = IBV_ACCESS_LOCAL_WRITE | (v->config.operation != VERBS_SEND ? (unsigned)IBV_ACCESS_REMOTE_WRITE : 0u);
  v->staging = aligned_alloc(ALIGNMENT, 2 * half);
  if (v->staging == NULL) return false;
  memset(v->staging, 0, 2 * half);
  v->landing = v->staging + half;
  v->out_memory = ibv_reg_mr(v->rdma->pd, v->staging, half, 0);
  v->in_memory = ibv_reg_mr(v->rdma->pd, v->landing, half, in);
  return v->out_memory != NULL && v->in_memory != NULL;
}

struct verbs *verbs_open(const struct verbs_config *config, char *error, size_t size) {
  struct verbs *v = calloc(1, sizeof *v);
  snprintf(error, size, "out of memory");
  if (v == NULL) return NULL;
  v->config = *config;
  v->why = "";
  v->rdma = config->rdma;
  v->psn = rdma_psn();
  v->sends = ibv_create_cq(v->rdma->context, (int)(2 * config->slots + 2), NULL, NULL, 0);
  v->receives = ibv_create_cq(v->rdma->context, (int)(2 * config->slots + 2), NULL, NULL, 0);
  if (v->sends != NULL && v->receives != NULL && make_memory(v)) {
    v->out = make_pair(v, false);
    v->in = make_pair(v, true);
  }
  if (v->out != NULL && v->in != NULL) return v;
  snprintf(error, size, "%s: no queue pairs, or no memory for them: %s", ibv_get_device_name(v->rdma->context->device),
           strerror(errno));
  verbs_close(v);
  return NULL;
}

void verbs_close(struct verbs *v) {
  if (v == NULL) return;
  if (v->out != NULL) ibv_destroy_qp(v->out);
  if (v->in != NULL) ibv_destroy_qp(v->in);
  if (v->out_memory != NULL) ibv_dereg_mr(v->out_memory);
  if (v->in_memory != NULL) ibv_dereg_mr(v->in_memory);
  if (v->sends != NULL) ibv_destroy_cq(v->sends);
  if (v->receives != NULL) ibv_destroy_cq(v->receives);
  free(v->staging);
  free(v);
}

// --- connecting ---

void verbs_card(const struct verbs *v, uint8_t card[VERBS_CARD]) {
  const uint64_t at = (uint64_t)(uintptr_t)v->landing;
  memset(card, 0, VERBS_CARD);
  memcpy(card, v->rdma->gid.raw, 16);
  put_be32(card + 16, v->out->qp_num);
  put_be32(card + 20, v->in->qp_num);
  put_be32(card + 24, v->psn);
  // Nobody needs to know where a SEND lands.
  if (v->config.operation == VERBS_SEND) return;
  put_be32(card + 28, v->in_memory->rkey);
  put_be64(card + 32, at);
}

/// The pair that receives sends nothing but acknowledgements, which are control messages.
static int connect_pair(struct verbs *v, struct ibv_qp *pair, const uint8_t *card, uint32_t qpn, uint32_t receive_psn) {
  struct rdma_peer peer = {.qpn = qpn,
                           .receive_psn = receive_psn,
                           .send_psn = v->psn,
                           .timeout = v->config.timeout,
                           .retries = v->config.retries,
                           .control = pair == v->in};
  memcpy(peer.gid, card, sizeof peer.gid);
  return rdma_connect(v->rdma, pair, &peer);
}

static int post_landing(struct verbs *v, unsigned slot) {
  struct ibv_sge place = {.addr = (uint64_t)(uintptr_t)(v->landing + slot * v->config.slot_bytes),
                          .length = (uint32_t)v->config.slot_bytes,
                          .lkey = v->in_memory->lkey};
  struct ibv_recv_wr wanted = {.wr_id = slot, .sg_list = &place, .num_sge = v->config.operation == VERBS_SEND ? 1 : 0};
  struct ibv_recv_wr *bad;
  return -ibv_post_recv(v->in, &wanted, &bad);
}

int verbs_connect(struct verbs *v, const uint8_t next[VERBS_CARD], const uint8_t before[VERBS_CARD], char *error, size_t size) {
  int code = 0;
  for (unsigned i = 0; code == 0 && v->config.operation != VERBS_WRITE && i < v->config.slots; i++) code = post_landing(v, i);
  if (code == 0) code = connect_pair(v, v->out, next, get_be32(next + 20), 0);
  if (code == 0) code = connect_pair(v, v->in, before, get_be32(before + 16), get_be32(before + 24));
  v->next_key = get_be32(next + 28);
  v->next_at = get_be64(next + 32);
  if (code != 0) snprintf(error, size, "the queue pairs cannot be connected: %s", strerror(-code));
  return code;
}

// --- messages ---

static uint8_t *staging_slot(void *self, unsigned slot) {
  struct verbs *v = self;
  return v->staging + slot * v->config.slot_bytes;
}

static const uint8_t *landing_slot(void *self, unsigned slot) {
  const struct verbs *v = self;
  return v->landing + slot * v->config.slot_bytes;
}

static int send_message(void *self, unsigned slot, size_t front, size_t staged, const struct transport_body *body,
                        uint32_t immediate) {
  static const enum ibv_wr_opcode codes[] = {
      [VERBS_WRITE] = IBV_WR_RDMA_WRITE, [VERBS_WRITE_IMM] = IBV_WR_RDMA_WRITE_WITH_IMM, [VERBS_SEND] = IBV_WR_SEND_WITH_IMM};
  struct verbs *v = self;
  const uint64_t at = (uint64_t)(uintptr_t)staging_slot(v, slot);
  struct ibv_sge parts[3] = {{.addr = at, .length = (uint32_t)staged, .lkey = v->out_memory->lkey}};
  struct ibv_send_wr wanted = {.wr_id = slot,
                               .sg_list = parts,
                               .num_sge = 1,
                               .opcode = codes[v->config.operation],
                               .send_flags = IBV_SEND_SIGNALED,
                               .imm_data = htobe32(immediate)},
                     *bad;
  if (body != NULL) {
    parts[0].length = (uint32_t)front;
    parts[1] = (struct ibv_sge){.addr = (uint64_t)(uintptr_t)body->data, .length = (uint32_t)body->bytes, .lkey = body->key};
    parts[2] = (struct ibv_sge){.addr = at + front, .length = (uint32_t)(staged - front), .lkey = v->out_memory->lkey};
    wanted.num_sge = staged > front ? 3 : 2;
  }
  wanted.wr.rdma.remote_addr = v->next_at + slot * v->config.slot_bytes;
  wanted.wr.rdma.rkey = v->next_key;
  return -ibv_post_send(v->out, &wanted, &bad);
}

static int poll_messages(void *self, struct transport_event *event) {
  struct verbs *v = self;
  struct ibv_wc done;
  event->kind = TRANSPORT_ARRIVED;
  int count = ibv_poll_cq(v->receives, 1, &done);
  if (count == 0) {
    event->kind = TRANSPORT_SENT;
    count = ibv_poll_cq(v->sends, 1, &done);
  }
  if (count < 0) return -EIO;
  if (count == 0) return 0;
  event->bytes = done.byte_len;
  event->immediate = (done.wc_flags & IBV_WC_WITH_IMM) != 0 ? be32toh(done.imm_data) : 0;
  if (done.status == IBV_WC_SUCCESS) return 1;
  v->why = ibv_wc_status_str(done.status);
  return rdma_errno(done.status);
}

static int slot_ready(void *self, unsigned slot) {
  struct verbs *v = self;
  if (v->config.operation != VERBS_WRITE) return post_landing(v, slot);
  memset(v->landing + slot * v->config.slot_bytes, 0, v->config.slot_bytes);
  return 0;
}

struct transport verbs_transport(struct verbs *v) {
  return (struct transport){.self = v,
                            .slots = v->config.slots,
                            .slot_bytes = v->config.slot_bytes,
                            .polled = v->config.operation == VERBS_WRITE,
                            .staging = staging_slot,
                            .landing = landing_slot,
                            .send = send_message,
                            .poll = poll_messages,
                            .ready = slot_ready};
}

const char *verbs_why(const struct verbs *v) { return v->why; }
