#include "model/tree/rc_end.h"

#include <stdlib.h>
#include <string.h>

enum { BTH_BYTES = 12 };

struct rc_end {
  struct conn_key in;
  struct rc_requester *request;
  struct rc_responder *respond;
};

struct rc_end *rc_end_new(const struct rc_end_config *config) {
  struct rc_request_config q = config->request;
  struct rc_respond_config p = config->respond;
  struct rc_end *e = calloc(1, sizeof *e);
  if (e == NULL) return NULL;
  memcpy(q.local_mac, config->local_mac, sizeof q.local_mac);
  memcpy(p.local_mac, config->local_mac, sizeof p.local_mac);
  memcpy(q.peer_mac, config->peer_mac, sizeof q.peer_mac);
  memcpy(p.peer_mac, config->peer_mac, sizeof p.peer_mac);
  q.key = p.key = config->out;
  q.psn = config->psn_out;
  p.psn = config->psn_in;
  q.udp_source = p.udp_source = config->udp_source;
  q.mtu = p.mtu = config->mtu;
  e->in = config->in;
  e->request = rc_requester_new(&q);
  e->respond = rc_responder_new(&p);
  if (e->request != NULL && e->respond != NULL) return e;
  rc_end_free(e);
  return NULL;
}

void rc_end_free(struct rc_end *e) {
  if (e == NULL) return;
  rc_requester_free(e->request);
  rc_responder_free(e->respond);
  free(e);
}

bool rc_end_is(const struct rc_end *e, const struct roce_packet *p) {
  return p->class != ROCE_OTHER && p->class != ROCE_BAD_ICRC && conn_key_equal(&p->key, &e->in);
}

bool rc_end_receive(struct rc_end *e, uint64_t now, const uint8_t *frame, const struct roce_packet *p) {
  if (!rc_end_is(e, p)) return false;
  if (p->class == ROCE_CANDIDATE) {
    rc_responder_data(e->respond, now, frame, p);
    return true;
  }
  if (p->opcode != ROCE_ACK || p->bth + BTH_BYTES + AETH_BYTES + 4 > p->ip_end) return false;
  rc_requester_answer(e->request, now, p->psn, frame[p->bth + BTH_BYTES]);
  return true;
}

bool rc_end_ready(const struct rc_end *e, uint64_t now) {
  return rc_responder_ready(e->respond, now) || rc_requester_ready(e->request, now);
}

size_t rc_end_next(struct rc_end *e, uint64_t now, uint8_t *frame, size_t size) {
  if (rc_responder_ready(e->respond, now)) return rc_responder_next(e->respond, now, frame, size);
  return rc_requester_next(e->request, now, frame, size);
}

uint64_t rc_end_deadline(const struct rc_end *e, uint64_t now) {
  const uint64_t request = rc_requester_deadline(e->request, now), respond = rc_responder_deadline(e->respond);
  return request < respond ? request : respond;
}

void rc_end_tick(struct rc_end *e, uint64_t now) { rc_requester_tick(e->request, now); }

struct rc_requester *rc_end_requester(struct rc_end *e) {
  return e->request;
}

struct rc_responder *rc_end_responder(struct rc_end *e) {
  return e->respond;
}

enum rc_fault rc_end_fault(const struct rc_end *e) {
  const enum rc_fault fault = rc_requester_fault(e->request);
  return fault != RC_GOOD ? fault : rc_responder_fault(e->respond);
}

bool rc_end_empty(const struct rc_end *e) {
  return rc_requester_idle(e->request) && rc_responder_first(e->respond) == NULL &&
         rc_responder_deadline(e->respond) == UINT64_MAX;
}
