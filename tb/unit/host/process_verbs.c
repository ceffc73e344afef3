#include "unit/host/process_verbs.h"

#include <endian.h>
#include <errno.h>
#include <fcntl.h>
#include <infiniband/verbs.h>
#include <pthread.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "wire/bytes.h"
#include "wire/reduce.h"
#include "wire/roce.h"

// What the inline functions of verbs.h call.
#undef ibv_query_port
#undef ibv_reg_mr

enum { QUEUE = 128, EPOCH = 9, ADDRESSES = 16, FIRST_PAIR = 1 };

struct mail {
  uint32_t to;   // queue pair
  enum ibv_wr_opcode opcode;
  uint32_t immediate;
  uint64_t at;
  size_t bytes;
  uint8_t data[PROCESS_MOST];
};

/// A queue pair, as others see it.
struct mailbox {
  pid_t owner;       // 0: free
  uint32_t number;   // which pair, of all that had this box
  uint64_t put, taken;
  struct mail queue[PROCESS_DEPTH];
};

/// A message of a ring, of all ranks that have sent it.
struct waiting_sum {
  bool used;
  uint16_t ring;
  uint32_t msgid;
  unsigned came;
  bool has[PROCESS_RANKS];
  struct mail rows[PROCESS_RANKS];
};

struct shared {
  pthread_mutex_t lock;
  uint32_t pairs;   // ever made
  struct mailbox boxes[PROCESS_PAIRS];
  struct waiting_sum columns[PROCESS_COLUMNS];
};

/// A queue pair, for its owner.
struct pair {
  struct ibv_qp qp;
  struct pair *next;
  uint32_t peer;
  uint64_t wanted[QUEUE];
  struct ibv_sge places[QUEUE];
  uint64_t posted, used;
};

struct completions {
  struct ibv_cq cq;
  struct ibv_wc done[QUEUE];
  uint64_t put, taken;
};

// Verbs have no argument for it.
static struct shared *shared;
static struct pair *pairs;
static struct ibv_device device = {.name = "fake0"};
static struct ibv_context context;

static void lock(void) {
  if (pthread_mutex_lock(&shared->lock) == EOWNERDEAD) pthread_mutex_consistent(&shared->lock);
}
static void unlock(void) { pthread_mutex_unlock(&shared->lock); }

// --- what goes wrong on purpose ---

/// WEIR_FAKE_DIE="CALL[:N]": the process ends, as if it were killed, at the call of that name, or the N-th of them.
static void die_at(const char *call) {
  static char name[32];
  static unsigned left;
  const char *text = getenv("WEIR_FAKE_DIE");
  if (text == NULL) return;
  if (*name == 0 && sscanf(text, "%31[^:]:%u", name, &left) == 1) left = 1;
  if (strcmp(name, call) == 0 && --left == 0) raise(SIGKILL);
}

/// WEIR_FAKE_WRONG=N: the N-th sum has a wrong bit.
static bool is_wrong(void) {
  static unsigned sums;
  const char *text = getenv("WEIR_FAKE_WRONG");
  return text != NULL && ++sums == strtoul(text, NULL, 10);
}

/// WEIR_FAKE_FORGETS=N: the device knows the ring no longer when this process sends its N-th message of it.
static bool forgotten(void) {
  static unsigned messages;
  const char *text = getenv("WEIR_FAKE_FORGETS");
  return text != NULL && ++messages >= strtoul(text, NULL, 10);
}

// --- sending ---

static bool alive(uint32_t number) {
  const struct mailbox *b = &shared->boxes[number % PROCESS_PAIRS];
  return b->owner != 0 && b->number == number && (b->owner == getpid() || kill(b->owner, 0) == 0);
}

/// False if nobody is there.
static bool put(const struct mail *m) {
  struct mailbox *b = &shared->boxes[m->to % PROCESS_PAIRS];
  if (!alive(m->to)) return false;
  if (b->put - b->taken == PROCESS_DEPTH) abort();   // the window of the library is smaller
  struct mail *to = &b->queue[b->put % PROCESS_DEPTH];
  memcpy(to, m, offsetof(struct mail, data) + m->bytes);
  __atomic_store_n(&b->put, b->put + 1, __ATOMIC_RELEASE);
  return true;
}

static bool device_is_there(void) {
  const char *text = getenv("WEIR_FAKE_DEVICE");
  return text == NULL || *text != '0';
}

/// Its column, or a free one.
static struct waiting_sum *sum_of(const struct ina_header *h) {
  struct waiting_sum *free_one = NULL;
  for (unsigned i = 0; i < PROCESS_COLUMNS; i++) {
    struct waiting_sum *c = &shared->columns[i];
    if (c->used && c->ring == h->ring && c->msgid == h->msgid) return c;
    if (!c->used) free_one = c;
  }
  if (free_one == NULL) abort();
  *free_one = (struct waiting_sum){.used = true, .ring = h->ring, .msgid = h->msgid};
  return free_one;
}

/// Takes a rank's message; when all are here, each gets the sum under the header of the one before it.
static void contribute(const struct ina_header *h, const struct mail *m) {
  static uint8_t sum[PROCESS_MOST];
  const uint8_t *rows[PROCESS_RANKS];
  struct waiting_sum *c = sum_of(h);
  if (h->rank >= PROCESS_RANKS || h->workers > PROCESS_RANKS || c->has[h->rank]) abort();
  memcpy(&c->rows[h->rank], m, offsetof(struct mail, data) + m->bytes);
  c->has[h->rank] = true;
  if (++c->came < h->workers) return;
  for (unsigned r = 0; r < h->workers; r++) rows[r] = c->rows[r].data + INA_BYTES;
  const size_t bytes = m->bytes - INA_BYTES;
  if (ina_reduce(h->kind, rows, h->workers, bytes, sum) != 0) abort();
  if (is_wrong()) sum[0] ^= 1;
  for (unsigned r = 0; r < h->workers; r++) {
    memcpy(c->rows[r].data + INA_BYTES, sum, bytes);
    c->rows[r].data[INA_EPOCH] = EPOCH;
    c->rows[r].immediate |= EPOCH << 8;
    put(&c->rows[r]);
  }
  c->used = false;
}

static void complete(struct ibv_cq *cq, struct ibv_wc wc) {
  struct completions *c = (struct completions *)(void *)cq;
  c->done[c->put++ % QUEUE] = wc;
}

static int post_send(struct ibv_qp *qp, struct ibv_send_wr *wanted, struct ibv_send_wr **bad) {
  static struct mail m;
  struct pair *p = (struct pair *)(void *)qp;
  struct ina_header h;
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
  lock();
  bool there = alive(m.to);
  const bool summed = there && device_is_there() && m.bytes >= INA_BYTES && get_be32(m.data) == INA_TAG;
  if (summed && forgotten())
    there = false;
  else if (summed)
    ina_get(m.data, &h), contribute(&h, &m);
  else
    there = put(&m);
  unlock();
  complete(p->qp.send_cq, (struct ibv_wc){.wr_id = wanted->wr_id, .status = there ? IBV_WC_SUCCESS : IBV_WC_RETRY_EXC_ERR});
  *bad = NULL;
  return 0;
}

// --- receiving ---

static int post_receive(struct ibv_qp *qp, struct ibv_recv_wr *wanted, struct ibv_recv_wr **bad) {
  struct pair *p = (struct pair *)(void *)qp;
  p->wanted[p->posted % QUEUE] = wanted->wr_id;
  p->places[p->posted++ % QUEUE] = wanted->num_sge > 0 ? wanted->sg_list[0] : (struct ibv_sge){0};
  *bad = NULL;
  return 0;
}

/// Takes what has come to a pair, as far as receives are posted.
static void receive(struct pair *p) {
  struct mailbox *b = &shared->boxes[p->qp.qp_num % PROCESS_PAIRS];
  while (p->used < p->posted && __atomic_load_n(&b->put, __ATOMIC_ACQUIRE) > b->taken) {
    const struct mail *m = &b->queue[b->taken % PROCESS_DEPTH];
    const struct ibv_sge *place = &p->places[p->used % QUEUE];
    struct ibv_wc wc = {.wr_id = p->wanted[p->used++ % QUEUE],
                        .byte_len = (uint32_t)m->bytes,
                        .imm_data = htobe32(m->immediate),
                        .wc_flags = IBV_WC_WITH_IMM};
    if (m->opcode == IBV_WR_RDMA_WRITE_WITH_IMM)
      memcpy((void *)(uintptr_t)m->at, m->data, m->bytes);
    else if (m->bytes <= place->length)
      memcpy((void *)(uintptr_t)place->addr, m->data, m->bytes);
    else
      wc.status = IBV_WC_LOC_LEN_ERR;
    complete(p->qp.recv_cq, wc);
    lock();
    b->taken++;
    unlock();
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

static bool map_shared(void) {
  const char *path = getenv("WEIR_FAKE_VERBS");
  if (shared != NULL) return true;
  const int fd = path != NULL ? open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0600) : -1;
  // Whoever is first makes it: the lock of the file is for that.
  if (fd < 0 || lockf(fd, F_LOCK, 0) != 0) return false;
  const bool first = lseek(fd, 0, SEEK_END) == 0;
  if (first && ftruncate(fd, sizeof *shared) != 0) return false;
  shared = mmap(NULL, sizeof *shared, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
  if (shared == MAP_FAILED) abort();
  if (first) {
    pthread_mutexattr_t kind;
    pthread_mutexattr_init(&kind);
    pthread_mutexattr_setpshared(&kind, PTHREAD_PROCESS_SHARED);
    pthread_mutexattr_setrobust(&kind, PTHREAD_MUTEX_ROBUST);
    pthread_mutex_init(&shared->lock, &kind);
  }
  close(fd);   // and unlocks it
  context.device = &device;
  context.ops.post_send = post_send;
  context.ops.post_recv = post_receive;
  context.ops.poll_cq = poll_completions;
  return true;
}

struct ibv_device **ibv_get_device_list(int *count) {
  struct ibv_device **list = calloc(2, sizeof *list);
  *count = list != NULL && map_shared();
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
  die_at("register");
  if (getenv("WEIR_FAKE_NO_MEMORY") != NULL) {
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
  lock();
  do p->qp.qp_num = FIRST_PAIR + shared->pairs++;
  while (shared->boxes[p->qp.qp_num % PROCESS_PAIRS].owner != 0);
  struct mailbox *b = &shared->boxes[p->qp.qp_num % PROCESS_PAIRS];
  b->owner = getpid();
  b->number = p->qp.qp_num;
  b->put = b->taken = 0;
  unlock();
  p->next = pairs;
  pairs = p;
  return &p->qp;
}

int ibv_modify_qp(struct ibv_qp *qp, struct ibv_qp_attr *a, int mask) {
  die_at("connect");
  if ((mask & IBV_QP_DEST_QPN) != 0) ((struct pair *)(void *)qp)->peer = a->dest_qp_num;
  return 0;
}

int ibv_destroy_qp(struct ibv_qp *qp) {
  die_at("destroy");
  struct pair **at = &pairs;
  while (&(*at)->qp != qp) at = &(*at)->next;
  *at = (*at)->next;
  lock();
  shared->boxes[qp->qp_num % PROCESS_PAIRS].owner = 0;
  // As a flush of the ring would: what nobody can be given any more is forgotten.
  for (unsigned i = 0; i < PROCESS_COLUMNS; i++)
    for (unsigned r = 0; r < PROCESS_RANKS; r++)
      if (shared->columns[i].has[r] && shared->columns[i].rows[r].to == qp->qp_num) shared->columns[i].used = false;
  unlock();
  free(qp);
  return 0;
}

const char *ibv_wc_status_str(enum ibv_wc_status status) { return status == IBV_WC_RETRY_EXC_ERR ? "nobody answers" : "failed"; }
