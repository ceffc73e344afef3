#include "host/rdma.h"

#include <arpa/inet.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

enum { PSN = 0xFFFFFF, HOP_LIMIT = 64, RNR_TIMER = 12, RNR_FOREVER = 7, NEIGHBOUR_TRIES = 5 };

// --- opening ---

bool rdma_gid(const char *address, uint8_t gid[16]) {
  memset(gid, 0, 16);
  if (inet_pton(AF_INET6, address, gid) == 1) return true;
  gid[10] = gid[11] = 0xFF;
  return inet_pton(AF_INET, address, gid + 12) == 1;
}

/// True for the entry of a port's table that the configuration asks for.
static bool is_ours(const struct rdma *r, int index, const struct ibv_gid_entry *entry) {
  static const uint8_t of_ipv4[12] = {[10] = 0xFF, [11] = 0xFF};
  if (entry->gid_type != IBV_GID_TYPE_ROCE_V2) return false;
  if (r->config.gid_index >= 0) return index == r->config.gid_index;
  if (r->config.address == NULL) return memcmp(entry->gid.raw, of_ipv4, sizeof of_ipv4) == 0;
  return memcmp(&entry->gid, &r->gid, sizeof r->gid) == 0;
}

/// Looks for our GID of RoCEv2 on a device.
static bool find_gid(struct rdma *r, struct ibv_context *context) {
  struct ibv_port_attr port;
  if (ibv_query_port(context, (uint8_t)r->config.port, &port) != 0) return false;
  for (int i = 0; i < port.gid_tbl_len; i++) {
    struct ibv_gid_entry entry;
    if (ibv_query_gid_ex(context, r->config.port, (uint32_t)i, &entry, 0) != 0 || !is_ours(r, i, &entry)) continue;
    r->gid_index = (uint8_t)i;
    r->interface = entry.ndev_ifindex;
    r->gid = entry.gid;
    return true;
  }
  return false;
}

/// What was looked for and is not there, in words.
static void say_none(const struct rdma *r, char *error, size_t size) {
  const struct rdma_config *k = &r->config;
  char port[24] = "", what[80];
  if (k->port != 1) snprintf(port, sizeof port, " at port %u", k->port);
  if (k->gid_index >= 0)
    snprintf(what, sizeof what, "of index %d", k->gid_index);
  else
    snprintf(what, sizeof what, "of %s", k->address != NULL ? k->address : "an IPv4 address");
  snprintf(error, size, "no RDMA device%s%s has a RoCEv2 GID %s%s", k->device != NULL ? " " : "",
           k->device != NULL ? k->device : "", what, port);
}

static bool open_device(struct rdma *r, char *error, size_t size) {
  const char *device = r->config.device, *address = r->config.address;
  int count = 0;
  struct ibv_device **list = ibv_get_device_list(&count);
  say_none(r, error, size);
  if (address != NULL && !rdma_gid(address, r->gid.raw)) {
    snprintf(error, size, "%s: no IP address", address);
    count = -1;
  }
  for (int i = 0; i < count && r->context == NULL; i++) {
    if (device != NULL && strcmp(device, ibv_get_device_name(list[i])) != 0) continue;
    struct ibv_context *context = ibv_open_device(list[i]);
    if (context == NULL) continue;
    if (find_gid(r, context))
      r->context = context;
    else
      ibv_close_device(context);
  }
  if (list != NULL) ibv_free_device_list(list);
  return r->context != NULL;
}

static enum ibv_mtu mtu_code(unsigned mtu) {
  enum ibv_mtu code = IBV_MTU_256;
  while (mtu > 256) {
    mtu /= 2;
    code++;
  }
  return code;
}

/// What the port carries; a path MTU that nobody asked for is that of the port.
static bool check_port(struct rdma *r, char *error, size_t size) {
  struct rdma_config *k = &r->config;
  struct ibv_port_attr port;
  const char *name = ibv_get_device_name(r->context->device);
  snprintf(error, size, "%s: port %u cannot be asked what it carries", name, k->port);
  if (ibv_query_port(r->context, (uint8_t)k->port, &port) != 0) return false;
  r->port_mtu = 128u << port.active_mtu;
  r->port_message = port.max_msg_sz;
  if (k->mtu == 0) k->mtu = r->port_mtu;
  snprintf(error, size, "a path MTU of %u is more than the %u of port %u of %s", k->mtu, r->port_mtu, k->port, name);
  if (k->mtu > r->port_mtu) return false;
  snprintf(error, size, "messages of %zu bytes are more than the %zu of port %u of %s", k->message, r->port_message, k->port,
           name);
  return k->message <= r->port_message;
}

bool rdma_open(struct rdma *r, const struct rdma_config *config, char *error, size_t size) {
  *r = (struct rdma){.config = *config};
  if (!open_device(r, error, size) || !check_port(r, error, size)) return false;
  r->pd = ibv_alloc_pd(r->context);
  if (r->pd == NULL)
    snprintf(error, size, "%s: no protection domain: %s", ibv_get_device_name(r->context->device), strerror(errno));
  return r->pd != NULL;
}

void rdma_close(struct rdma *r) {
  if (r->pd != NULL) ibv_dealloc_pd(r->pd);
  if (r->context != NULL) ibv_close_device(r->context);
  *r = (struct rdma){0};
}

uint32_t rdma_psn(void) {
  struct timespec now;
  clock_gettime(CLOCK_REALTIME, &now);
  return (uint32_t)(now.tv_nsec ^ now.tv_sec << 12) & PSN;
}

// --- queue pairs ---

struct ibv_qp *rdma_pair(const struct rdma *r, struct ibv_cq *sends, struct ibv_cq *receives, unsigned most_sends,
                         unsigned most_receives, unsigned pieces, bool written) {
  struct ibv_qp_init_attr wanted = {
      .send_cq = sends,
      .recv_cq = receives,
      .cap = {.max_send_wr = most_sends, .max_recv_wr = most_receives, .max_send_sge = pieces, .max_recv_sge = pieces},
      .qp_type = IBV_QPT_RC,
  };
  struct ibv_qp *pair = ibv_create_qp(r->pd, &wanted);
  struct ibv_qp_attr init = {.qp_state = IBV_QPS_INIT,
                             .port_num = (uint8_t)r->config.port,
                             .qp_access_flags = written ? IBV_ACCESS_REMOTE_WRITE : 0};
  if (pair != NULL && ibv_modify_qp(pair, &init, IBV_QP_STATE | IBV_QP_PKEY_INDEX | IBV_QP_PORT | IBV_QP_ACCESS_FLAGS) != 0) {
    ibv_destroy_qp(pair);
    pair = NULL;
  }
  return pair;
}

int rdma_connect(const struct rdma *r, struct ibv_qp *pair, const struct rdma_peer *peer) {
  const struct rdma_config *k = &r->config;
  struct ibv_qp_attr a = {
      .qp_state = IBV_QPS_RTR,
      .path_mtu = mtu_code(k->mtu),
      .dest_qp_num = peer->qpn,
      .rq_psn = peer->receive_psn,
      .min_rnr_timer = RNR_TIMER,
      .ah_attr = {.is_global = 1,
                  .port_num = (uint8_t)k->port,
                  .sl = peer->control ? k->control_service_level : k->service_level,
                  .grh = {.sgid_index = r->gid_index,
                          .hop_limit = HOP_LIMIT,
                          .traffic_class = peer->control ? k->control_traffic_class : k->traffic_class}},
  };
  memcpy(a.ah_attr.grh.dgid.raw, peer->gid, 16);
  int code = ETIMEDOUT;
  // The kernel asks for the neighbour's MAC address, once, and waits a second: a question that is lost is asked again.
  for (unsigned tries = 0; code == ETIMEDOUT && tries < NEIGHBOUR_TRIES; tries++)
    code = ibv_modify_qp(pair, &a,
                         IBV_QP_STATE | IBV_QP_AV | IBV_QP_PATH_MTU | IBV_QP_DEST_QPN | IBV_QP_RQ_PSN |
                             IBV_QP_MAX_DEST_RD_ATOMIC | IBV_QP_MIN_RNR_TIMER);
  if (code != 0) return -code;
  a.qp_state = IBV_QPS_RTS;
  a.sq_psn = peer->send_psn;
  a.timeout = peer->timeout;
  a.retry_cnt = peer->retries;
  a.rnr_retry = RNR_FOREVER;
  code = ibv_modify_qp(pair, &a,
                       IBV_QP_STATE | IBV_QP_TIMEOUT | IBV_QP_RETRY_CNT | IBV_QP_RNR_RETRY | IBV_QP_SQ_PSN |
                           IBV_QP_MAX_QP_RD_ATOMIC);
  return -code;
}

// --- memory ---

int rdma_remember(const struct rdma *r, void *data, size_t bytes, struct host_memory *out) {
  struct ibv_mr *memory = ibv_reg_mr(r->pd, data, bytes, IBV_ACCESS_LOCAL_WRITE);
  if (memory == NULL) return errno != 0 ? -errno : -EIO;
  *out = (struct host_memory){.data = data, .bytes = bytes, .handle = memory, .key = memory->lkey};
  return 0;
}

int memory_forget(struct host_memory *m) { return -ibv_dereg_mr(m->handle); }

// --- completions ---

int rdma_errno(enum ibv_wc_status status) {
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
