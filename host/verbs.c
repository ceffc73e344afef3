#include "host/verbs.h"

#include <arpa/inet.h>
#include <endian.h>
#include <errno.h>
#include <infiniband/verbs.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "wire/bytes.h"

enum { PORT = 1, ALIGNMENT = 4096, PSN = 0xFFFFFF, HOP_LIMIT = 64, RNR_TIMER = 12, RNR_FOREVER = 7, NEIGHBOUR_TRIES = 5 };

struct verbs {
  struct verbs_config config;
  struct ibv_context *context;
  struct ibv_pd *pd;
  struct ibv_cq *sends, *receives;
  struct ibv_qp *out, *in;
  struct ibv_mr *memory;
  uint8_t *staging, *landing;   // one piece of memory
  union ibv_gid gid;
  uint8_t gid_index;
  uint32_t psn;
  uint32_t next_key;   // of the next host's landing slots
  uint64_t next_at;
  const char *why;
};

// --- opening ---

/// The GID that an address has: IPv4 ones are mapped into IPv6.
static bool gid_of(const char *address, union ibv_gid *gid) {
  memset(gid, 0, sizeof *gid);
  if (inet_pton(AF_INET6, address, gid->raw) == 1) return true;
  gid->raw[10] = gid->raw[11] = 0xFF;
  return inet_pton(AF_INET, address, gid->raw + 12) == 1;
}

/// Looks for our GID of RoCEv2 on a device.
static bool find_gid(struct verbs *v, struct ibv_context *context) {
  struct ibv_port_attr port;
  if (ibv_query_port(context, PORT, &port) != 0) return false;
  for (int i = 0; i < port.gid_tbl_len; i++) {
    struct ibv_gid_entry entry;
    if (ibv_query_gid_ex(context, PORT, (uint32_t)i, &entry, 0) != 0 || entry.gid_type != IBV_GID_TYPE_ROCE_V2) continue;
    if (memcmp(&entry.gid, &v->gid, sizeof v->gid) != 0) continue;
    v->gid_index = (uint8_t)i;
    return true;
  }
  return false;
}

static bool open_device(struct verbs *v, char *error, size_t size) {
  int count = 0;
  struct ibv_device **list = ibv_get_device_list(&count);
  if (!gid_of(v->config.address, &v->gid)) {
    snprintf(error, size, "%s: no IP address", v->config.address);
    count = -1;
  } else {
    snprintf(error, size, "no RDMA device%s%s has a RoCEv2 GID of %s", v->config.device != NULL ? " " : "",
             v->config.device != NULL ? v->config.device : "", v->config.address);
  }
  for (int i = 0; i < count && v->context == NULL; i++) {
    if (v->config.device != NULL && strcmp(v->config.device, ibv_get_device_name(list[i])) != 0) continue;
    struct ibv_context *context = ibv_open_device(list[i]);
    if (context == NULL) continue;
    if (find_gid(v, context))
      v->context = context;
    else
      ibv_close_device(context);
  }
  if (list != NULL) ibv_free_device_list(list);
  return v->context != NULL;
}

static enum ibv_mtu mtu_code(unsigned mtu) {
  enum ibv_mtu code = IBV_MTU_256;
  while (mtu > 256) {
    mtu /= 2;
    code++;
  }
  return code;
}

static bool check_mtu(struct verbs *v, char *error, size_t size) {
  struct ibv_port_attr port;
  if (ibv_query_port(v->context, PORT, &port) == 0 && port.active_mtu >= mtu_code(v->config.mtu)) return true;
  snprintf(error, size, "a path MTU of %u is more than the device's %u", v->config.mtu, 128u << port.active_mtu);
  return false;
}

static struct ibv_qp *make_pair(struct verbs *v) {
  struct ibv_qp_init_attr wanted = {
      .send_cq = v->sends,
      .recv_cq = v->receives,
      .cap = {.max_send_wr = v->config.slots + 1, .max_recv_wr = v->config.slots + 1, .max_send_sge = 3, .max_recv_sge = 1},
      .qp_type = IBV_QPT_RC,
  };
  struct ibv_qp *pair = ibv_create_qp(v->pd, &wanted);
  struct ibv_qp_attr init = {.qp_state = IBV_QPS_INIT, .port_num = PORT, .qp_access_flags = IBV_ACCESS_REMOTE_WRITE};
  if (pair != NULL && ibv_modify_qp(pair, &init, IBV_QP_STATE | IBV_QP_PKEY_INDEX | IBV_QP_PORT | IBV_QP_ACCESS_FLAGS) != 0) {
    ibv_destroy_qp(pair);
    pair = NULL;
  }
  return pair;
}

static bool make_memory(struct verbs *v) {
  const size_t half = v->config.slots * v->config.slot_bytes;
  v->staging = aligned_alloc(ALIGNMENT, (2 * half + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT);
  if (v->staging == NULL) return false;
  memset(v->staging, 0, 2 * half);
  v->landing = v->staging + half;
  v->memory = ibv_reg_mr(v->pd, v->staging, 2 * half, IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_REMOTE_WRITE);
  return v->memory != NULL;
}

struct verbs *verbs_open(const struct verbs_config *config, char *error, size_t size) {
  struct verbs *v = calloc(1, sizeof *v);
  struct timespec now;
  snprintf(error, size, "out of memory");
  if (v == NULL) return NULL;
  v->config = *config;
  v->why = "";
  clock_gettime(CLOCK_REALTIME, &now);
  v->psn = (uint32_t)(now.tv_nsec ^ now.tv_sec << 12) & PSN;
  if (!open_device(v, error, size) || !check_mtu(v, error, size)) {
    verbs_close(v);
    return NULL;
  }
  v->pd = ibv_alloc_pd(v->context);
  v->sends = ibv_create_cq(v->context, (int)(2 * config->slots + 2), NULL, NULL, 0);
  v->receives = ibv_create_cq(v->context, (int)(2 * config->slots + 2), NULL, NULL, 0);
  if (v->pd != NULL && v->sends != NULL && v->receives != NULL && make_memory(v)) {
    v->out = make_pair(v);
    v->in = make_pair(v);
  }
  if (v->out != NULL && v->in != NULL) return v;
  snprintf(error, size, "%s: no queue pairs, or no memory for them: %s", ibv_get_device_name(v->context->device),
           strerror(errno));
  verbs_close(v);
  return NULL;
}

void verbs_close(struct verbs *v) {
  if (v == NULL) return;
  if (v->out != NULL) ibv_destroy_qp(v->out);
  if (v->in != NULL) ibv_destroy_qp(v->in);
  if (v->memory != NULL) ibv_dereg_mr(v->memory);
  if (v->sends != NULL) ibv_destroy_cq(v->sends);
  if (v->receives != NULL) ibv_destroy_cq(v->receives);
  if (v->pd != NULL) ibv_dealloc_pd(v->pd);
  if (v->context != NULL) ibv_close_device(v->context);
  free(v->staging);
  free(v);
}

// --- connecting ---

void verbs_card(const struct verbs *v, uint8_t card[VERBS_CARD]) {
  const uint64_t at = (uint64_t)(uintptr_t)v->landing;
  memset(card, 0, VERBS_CARD);
  memcpy(card, v->gid.raw, 16);
  put_be32(card + 16, v->out->qp_num);
  put_be32(card + 20, v->in->qp_num);
  put_be32(card + 24, v->psn);
  put_be32(card + 28, v->memory->rkey);
  put_be32(card + 32, (uint32_t)(at >> 32));
  put_be32(card + 36, (uint32_t)at);
}

static int connect_pair(struct verbs *v, struct ibv_qp *pair, const uint8_t *card, uint32_t qpn, uint32_t receive_psn) {
  struct ibv_qp_attr a = {
      .qp_state = IBV_QPS_RTR,
      .path_mtu = mtu_code(v->config.mtu),
      .dest_qp_num = qpn,
      .rq_psn = receive_psn,
      .min_rnr_timer = RNR_TIMER,
      .ah_attr = {.is_global = 1, .port_num = PORT, .grh = {.sgid_index = v->gid_index, .hop_limit = HOP_LIMIT}},
  };
  memcpy(a.ah_attr.grh.dgid.raw, card, 16);
  int code = ETIMEDOUT;
  // The kernel asks for the neighbour's MAC address, once, and waits a second: a question that is lost is asked again.
  for (unsigned tries = 0; code == ETIMEDOUT && tries < NEIGHBOUR_TRIES; tries++)
    code = ibv_modify_qp(pair, &a,
                         IBV_QP_STATE | IBV_QP_AV | IBV_QP_PATH_MTU | IBV_QP_DEST_QPN | IBV_QP_RQ_PSN |
                             IBV_QP_MAX_DEST_RD_ATOMIC | IBV_QP_MIN_RNR_TIMER);
  if (code != 0) return -code;
  a.qp_state = IBV_QPS_RTS;
  a.sq_psn = v->psn;
  a.timeout = v->config.timeout;
  a.retry_cnt = v->config.retries;
  a.rnr_retry = RNR_FOREVER;
  code = ibv_modify_qp(pair, &a,
                       IBV_QP_STATE | IBV_QP_TIMEOUT | IBV_QP_RETRY_CNT | IBV_QP_RNR_RETRY | IBV_QP_SQ_PSN |
                           IBV_QP_MAX_QP_RD_ATOMIC);
  return -code;
}

static int post_landing(struct verbs *v, unsigned slot) {
  struct ibv_sge place = {.addr = (uint64_t)(uintptr_t)(v->landing + slot * v->config.slot_bytes),
                          .length = (uint32_t)v->config.slot_bytes,
                          .lkey = v->memory->lkey};
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
  v->next_at = (uint64_t)get_be32(next + 32) << 32 | get_be32(next + 36);
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
  struct ibv_sge parts[3] = {{.addr = at, .length = (uint32_t)staged, .lkey = v->memory->lkey}};
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
    parts[2] = (struct ibv_sge){.addr = at + front, .length = (uint32_t)(staged - front), .lkey = v->memory->lkey};
    wanted.num_sge = staged > front ? 3 : 2;
  }
  wanted.wr.rdma.remote_addr = v->next_at + slot * v->config.slot_bytes;
  wanted.wr.rdma.rkey = v->next_key;
  return -ibv_post_send(v->out, &wanted, &bad);
}

static int errno_of(enum ibv_wc_status status) {
  switch (status) {
    case IBV_WC_RETRY_EXC_ERR:
    case IBV_WC_RNR_RETRY_EXC_ERR: return -EHOSTUNREACH;
    case IBV_WC_WR_FLUSH_ERR: return -ECONNRESET;
    case IBV_WC_LOC_LEN_ERR:
    case IBV_WC_REM_INV_REQ_ERR:
    case IBV_WC_REM_ACCESS_ERR: return -EPROTO;
    default: return -EIO;
  }
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
  return errno_of(done.status);
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

int verbs_remember(struct verbs *v, void *data, size_t bytes, void **handle, uint32_t *key) {
  struct ibv_mr *memory = ibv_reg_mr(v->pd, data, bytes, IBV_ACCESS_LOCAL_WRITE);
  if (memory == NULL) return errno != 0 ? -errno : -EIO;
  *handle = memory;
  *key = memory->lkey;
  return 0;
}

int verbs_forget(void *handle) { return -ibv_dereg_mr(handle); }

const char *verbs_why(const struct verbs *v) { return v->why; }
