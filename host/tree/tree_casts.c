#include "host/tree/tree_casts.h"

#include <errno.h>
#include <netinet/in.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "wire/tree_cast.h"

/// Before each message its GRH lies: an IPv6 header, or 20 bytes of nothing and an IPv4 one.
enum { GRH = 40, SOURCE = 8, SOURCE_V4 = 32, PAGE = 4096, NO_PLACE = TREE_CASTS_PLACES, PLACE_MASK = 0xFF };

struct tree_casts {
  const struct rdma *rdma;
  struct ibv_qp *pair;
  struct ibv_mr *memory;
  uint8_t *places;   // each of `place_bytes`: no packet is longer
  size_t place_bytes;
  uint64_t mark;
  int group;               // a socket that is in the group of IP addresses; -1: none yet
  union ibv_gid address;   // of the group, once `joined`
  bool joined;
  uint8_t from[16];   // whose multicasts count
  uint32_t from_qpn;
  unsigned landed;   // place that was shown last and is not posted again
};

// --- opening ---

static bool make_pair(struct tree_casts *c, struct ibv_cq *done) {
  struct ibv_qp_init_attr wanted = {
      .send_cq = done,
      .recv_cq = done,
      .cap = {.max_send_wr = 1, .max_recv_wr = TREE_CASTS_PLACES, .max_send_sge = 1, .max_recv_sge = 1},
      .qp_type = IBV_QPT_UD,
  };
  struct ibv_qp_attr a = {.qp_state = IBV_QPS_INIT, .port_num = (uint8_t)c->rdma->config.port, .qkey = TREE_CAST_QKEY};
  c->pair = ibv_create_qp(c->rdma->pd, &wanted);
  if (c->pair == NULL) return false;
  if (ibv_modify_qp(c->pair, &a, IBV_QP_STATE | IBV_QP_PKEY_INDEX | IBV_QP_PORT | IBV_QP_QKEY) != 0) return false;
  a.qp_state = IBV_QPS_RTR;
  return ibv_modify_qp(c->pair, &a, IBV_QP_STATE) == 0;
}

static int post(struct tree_casts *c, unsigned place) {
  struct ibv_sge all = {.addr = (uint64_t)(uintptr_t)(c->places + place * c->place_bytes),
                        .length = (uint32_t)c->place_bytes,
                        .lkey = c->memory->lkey};
  struct ibv_recv_wr wanted = {.wr_id = c->mark | place, .sg_list = &all, .num_sge = 1}, *bad;
  return -ibv_post_recv(c->pair, &wanted, &bad);
}

struct tree_casts *tree_casts_open(const struct rdma *r, struct ibv_cq *done, uint64_t mark) {
  struct tree_casts *c = calloc(1, sizeof *c);
  if (c == NULL) return NULL;
  *c = (struct tree_casts){.rdma = r, .place_bytes = GRH + r->port_mtu, .mark = mark, .group = -1, .landed = NO_PLACE};
  const size_t bytes = (TREE_CASTS_PLACES * c->place_bytes + PAGE - 1) / PAGE * PAGE;
  c->places = aligned_alloc(PAGE, bytes);
  if (c->places != NULL) c->memory = ibv_reg_mr(r->pd, c->places, bytes, IBV_ACCESS_LOCAL_WRITE);
  if (c->memory != NULL && make_pair(c, done)) return c;
  const int code = errno;
  tree_casts_close(c);
  errno = code;
  return NULL;
}

void tree_casts_close(struct tree_casts *c) {
  if (c == NULL) return;
  if (c->joined) ibv_detach_mcast(c->pair, &c->address, 0);
  if (c->group >= 0) close(c->group);
  if (c->pair != NULL) ibv_destroy_qp(c->pair);
  if (c->memory != NULL) ibv_dereg_mr(c->memory);
  free(c->places);
  free(c);
}

// --- the group ---

/// What libibverbs does not do: the IP group is joined, so that the kernel takes its packets, and switches that listen to IGMP or MLD send them here.
static int join_ip(struct tree_casts *c, bool v6, const uint8_t ip[16]) {
  struct ip_mreqn four = {.imr_ifindex = (int)c->rdma->interface};
  struct ipv6_mreq six = {.ipv6mr_interface = c->rdma->interface};
  memcpy(&four.imr_multiaddr, ip, sizeof four.imr_multiaddr);
  memcpy(&six.ipv6mr_multiaddr, ip, sizeof six.ipv6mr_multiaddr);
  c->group = socket(v6 ? AF_INET6 : AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
  if (c->group < 0) return -errno;
  const int code = v6 ? setsockopt(c->group, IPPROTO_IPV6, IPV6_ADD_MEMBERSHIP, &six, sizeof six)
                      : setsockopt(c->group, IPPROTO_IP, IP_ADD_MEMBERSHIP, &four, sizeof four);
  return code == 0 ? 0 : -errno;
}

static bool is_v4(const uint8_t gid[16]) {
  static const uint8_t mapped[12] = {[10] = 0xFF, [11] = 0xFF};
  return memcmp(gid, mapped, sizeof mapped) == 0;
}

int tree_casts_join(struct tree_casts *c, uint16_t tree, const uint8_t gid[16], uint32_t qpn) {
  uint8_t ip[16], mac[6];
  const bool v6 = !is_v4(gid);
  int code = 0;
  memcpy(c->from, gid, sizeof c->from);
  c->from_qpn = qpn;
  tree_cast_address(tree, v6, ip, mac);
  memcpy(c->address.raw, gid, sizeof c->address.raw);   // of IPv4: how it is mapped
  memcpy(c->address.raw + (v6 ? 0 : 12), ip, v6 ? 16 : 4);
  for (unsigned place = 0; code == 0 && place < TREE_CASTS_PLACES; place++) code = post(c, place);
  if (code == 0) code = join_ip(c, v6, ip);
  if (code == 0) code = -ibv_attach_mcast(c->pair, &c->address, 0);
  c->joined = code == 0;
  return code;
}

// --- what comes ---

const uint8_t *tree_casts_landed(struct tree_casts *c, const struct ibv_wc *done, size_t *bytes) {
  const unsigned place = done->wr_id & PLACE_MASK;
  const uint8_t *at = c->places + place * c->place_bytes;
  const bool v4 = is_v4(c->from);
  if (done->status != IBV_WC_SUCCESS) return NULL;   // the queue pair is closed, and with it this
  tree_casts_again(c);
  c->landed = place;
  if (done->byte_len < GRH || done->src_qp != c->from_qpn ||
      memcmp(at + (v4 ? SOURCE_V4 : SOURCE), c->from + (v4 ? 12 : 0), v4 ? 4 : 16) != 0)
    return NULL;
  *bytes = done->byte_len - GRH;
  return at + GRH;
}

void tree_casts_again(struct tree_casts *c) {
  if (c->landed != NO_PLACE) post(c, c->landed);
  c->landed = NO_PLACE;
}
