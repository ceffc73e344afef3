#include "unit/host/net/fake_verbs.h"

#include <errno.h>
#include <infiniband/verbs.h>
#include <net/if.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "unit/host/net/fake_net.h"

// What the inline functions of verbs.h call.
#undef ibv_query_port
#undef ibv_reg_mr

static void *refuse(enum fake_refusal what) {
  if (fake_net->options.refusal != what) return fake_net;
  errno = ENOMEM;
  return NULL;
}

// --- opening and closing ---

struct ibv_device **ibv_get_device_list(int *count) {
  struct ibv_device **list = calloc(2, sizeof *list);
  *count = refuse(FAKE_DEVICES) != NULL;
  if (list != NULL && *count == 1) list[0] = &fake_net->device;
  return list;
}
void ibv_free_device_list(struct ibv_device **list) { free(list); }
const char *ibv_get_device_name(struct ibv_device *device) { return device->name; }

/// Counts what is opened (1) and closed (-1).
static int count(int more) {
  pthread_mutex_lock(&fake_net->lock);
  fake_net->objects += (unsigned)more;
  pthread_mutex_unlock(&fake_net->lock);
  return 0;
}

struct ibv_context *ibv_open_device(struct ibv_device *device) {
  (void)device;
  count(1);
  return &fake_net->context;
}
int ibv_close_device(struct ibv_context *context) {
  (void)context;
  return count(-1);
}

int ibv_query_port(struct ibv_context *context, uint8_t number, struct _compat_ibv_port_attr *out) {
  struct ibv_port_attr *port = (struct ibv_port_attr *)(void *)out;
  (void)context;
  port->gid_tbl_len = 2 * FAKE_RANKS;
  if (number < 1 || number > 2) return EINVAL;
  port->active_mtu = IBV_MTU_256;
  const unsigned mtu = fake_net->options.mtu[number - 1] != 0 ? fake_net->options.mtu[number - 1] : 1024;
  while (128u << port->active_mtu < mtu) port->active_mtu++;
  port->max_msg_sz = fake_net->options.message != 0 ? fake_net->options.message : 1 << 23;
  return 0;
}

/// Each address twice, as RoCEv1 and as RoCEv2, as rdma_rxe has it not but NICs do.
int _ibv_query_gid_ex(struct ibv_context *context, uint32_t port, uint32_t index, struct ibv_gid_entry *entry, uint32_t flags,
                      size_t size) {
  (void)context;
  (void)port;
  (void)flags;
  memset(entry, 0, size);
  entry->gid_type = index % 2 == 0 ? IBV_GID_TYPE_ROCE_V1 : IBV_GID_TYPE_ROCE_V2;
  entry->ndev_ifindex = if_nametoindex("lo");   // where every machine may join a group
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
  pthread_mutex_lock(&fake_net->lock);
  for (uint32_t i = 0; i < REGIONS && mr == NULL; i++) {
    if (fake_net->regions[i].length > 0) continue;
    mr = &fake_net->regions[i];
    *mr = (struct ibv_mr){.pd = pd, .addr = at, .length = bytes, .lkey = KEY + i, .rkey = KEY + i};
    fake_net->access[i] = access;
    if ((access & IBV_ACCESS_REMOTE_WRITE) != 0) fake_net->exposed += bytes;
    fake_net->objects++;
  }
  pthread_mutex_unlock(&fake_net->lock);
  return mr;
}
int ibv_dereg_mr(struct ibv_mr *mr) {
  pthread_mutex_lock(&fake_net->lock);
  mr->length = 0;
  fake_net->objects--;
  pthread_mutex_unlock(&fake_net->lock);
  return 0;
}

struct ibv_qp *ibv_create_qp(struct ibv_pd *pd, struct ibv_qp_init_attr *wanted) {
  struct pair *p = refuse(FAKE_QPS) != NULL ? calloc(1, sizeof *p) : NULL;
  if (p == NULL) return NULL;
  p->qp = (struct ibv_qp){.context = pd->context, .send_cq = wanted->send_cq, .recv_cq = wanted->recv_cq};
  p->unanswered = fake_net->options.unanswered;
  pthread_mutex_lock(&fake_net->lock);
  while (p->qp.qp_num + 1 < PAIRS && fake_net->pairs[p->qp.qp_num] != NULL) p->qp.qp_num++;
  fake_net->pairs[p->qp.qp_num] = p;
  fake_net->objects++;
  pthread_mutex_unlock(&fake_net->lock);
  return &p->qp;
}

int ibv_modify_qp(struct ibv_qp *qp, struct ibv_qp_attr *a, int mask) {
  struct pair *p = (struct pair *)(void *)qp;
  if (a->qp_state == IBV_QPS_INIT) p->written = (a->qp_access_flags & IBV_ACCESS_REMOTE_WRITE) != 0;
  if (a->qp_state != IBV_QPS_RTR || (mask & IBV_QP_AV) == 0) return 0;   // a queue pair of UD has nobody at its other side
  if (refuse(FAKE_CONNECTIONS) == NULL) return EINVAL;
  if (p->unanswered > 0) return p->unanswered--, ETIMEDOUT;
  if ((mask & IBV_QP_DEST_QPN) == 0 || (a->dest_qp_num >= PAIRS && a->dest_qp_num >= FAKE_NODE + CONNS)) return EINVAL;
  p->peer = a->dest_qp_num;
  p->rank = a->ah_attr.grh.sgid_index / 2u;
  pthread_mutex_lock(&fake_net->lock);
  if (fake_net->connected < PAIRS)
    fake_net->connections[fake_net->connected++] = (struct fake_connection){.rank = p->rank,
                                                                            .peer = p->peer,
                                                                            .port = a->ah_attr.port_num,
                                                                            .gid_index = a->ah_attr.grh.sgid_index,
                                                                            .mtu = 128u << a->path_mtu,
                                                                            .traffic_class = a->ah_attr.grh.traffic_class,
                                                                            .service_level = a->ah_attr.sl};
  pthread_mutex_unlock(&fake_net->lock);
  return 0;
}

int ibv_attach_mcast(struct ibv_qp *qp, const union ibv_gid *gid, uint16_t lid) {
  if (refuse(FAKE_GROUPS) == NULL) return ENOMEM;
  if (gid->raw[12] != 239 || gid->raw[13] != 87 || lid != 0) return EINVAL;
  ((struct pair *)(void *)qp)->listens = true;
  return count(1);
}
int ibv_detach_mcast(struct ibv_qp *qp, const union ibv_gid *gid, uint16_t lid) {
  (void)gid;
  (void)lid;
  ((struct pair *)(void *)qp)->listens = false;
  return count(-1);
}

int ibv_destroy_qp(struct ibv_qp *qp) {
  pthread_mutex_lock(&fake_net->lock);
  struct pair *p = fake_net->pairs[qp->qp_num];
  while (p->taken < p->put) fake_net_take(p);
  fake_net->pairs[qp->qp_num] = NULL;
  fake_net->objects--;
  pthread_mutex_unlock(&fake_net->lock);
  free(p);
  return 0;
}

const char *ibv_wc_status_str(enum ibv_wc_status status) { return status == IBV_WC_RETRY_EXC_ERR ? "nobody answers" : "failed"; }

// --- all of it ---

void fake_verbs_open(const struct fake_options *options) {
  fake_net = need(calloc(1, sizeof *fake_net));
  fake_net->options = *options;
  pthread_mutex_init(&fake_net->lock, NULL);
  strcpy(fake_net->device.name, "fake0");
  fake_net->context.device = &fake_net->device;
  fake_net_operations(&fake_net->context);
}

bool fake_verbs_connection(unsigned at, struct fake_connection *out) {
  if (at >= fake_net->connected) return false;
  *out = fake_net->connections[at];
  return true;
}

size_t fake_verbs_exposed(void) { return fake_net->exposed; }

bool fake_verbs_close(void) {
  const bool good = fake_net->objects == 0 && !fake_net->trespassed;
  pthread_mutex_destroy(&fake_net->lock);
  free(fake_net);
  fake_net = NULL;
  return good;
}
