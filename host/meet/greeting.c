#include "host/meet/greeting.h"

#include <nettle/hmac.h>
#include <nettle/memops.h>
#include <string.h>

#include "wire/bytes.h"

_Static_assert(SHA256_DIGEST_SIZE == GREETING_MAC, "a MAC is what SHA-256 makes");

enum { MAGIC = 0x57454952 };
// Places in a hello and in a verdict.
enum { AT_VERSION = 4, AT_COUNT = 6, AT_RANK = 8, AT_JOB = 12, AT_DRAWN = 20, AT_VALUES = AT_DRAWN + GREETING_NONCE };
enum { AT_VERDICT = 4, AT_FIELD = 6, AT_VALUE = 8 };

/// Each use of the secret begins with a letter of its own, so that no MAC can be taken for one of another use.
static struct hmac_sha256_ctx under(const struct greeting_self *self, char use) {
  struct hmac_sha256_ctx c;
  hmac_sha256_set_key(&c, self->secret_bytes, self->secret_bytes > 0 ? self->secret : (const uint8_t *)"");
  hmac_sha256_update(&c, 1, (const uint8_t *)&use);
  return c;
}

static void hello_mac(const struct greeting_self *self, const uint8_t challenge[GREETING_CHALLENGE], const uint8_t *hello,
                      uint8_t out[GREETING_MAC]) {
  struct hmac_sha256_ctx c = under(self, 'h');
  hmac_sha256_update(&c, GREETING_CHALLENGE, challenge);
  hmac_sha256_update(&c, GREETING_HELLO_TEXT, hello);
  hmac_sha256_digest(&c, GREETING_MAC, out);
}

static void verdict_mac(const struct greeting_self *self, const uint8_t drawn[GREETING_NONCE], const uint8_t mac[GREETING_MAC],
                        const uint8_t *verdict, uint8_t out[GREETING_MAC]) {
  struct hmac_sha256_ctx c = under(self, 'v');
  hmac_sha256_update(&c, GREETING_NONCE, drawn);
  hmac_sha256_update(&c, GREETING_MAC, mac);
  hmac_sha256_update(&c, GREETING_VERDICT_TEXT, verdict);
  hmac_sha256_digest(&c, GREETING_MAC, out);
}

void greeting_challenge(uint8_t out[GREETING_CHALLENGE], const uint8_t drawn[GREETING_NONCE]) {
  memset(out, 0, GREETING_CHALLENGE);
  put_be32(out, MAGIC);
  put_be16(out + AT_VERSION, GREETING_VERSION);
  memcpy(out + 8, drawn, GREETING_NONCE);
}

bool greeting_challenged(const uint8_t challenge[GREETING_CHALLENGE], unsigned *version) {
  *version = get_be32(challenge) == MAGIC ? get_be16(challenge + AT_VERSION) : 0;
  return *version == GREETING_VERSION;
}

void greeting_hello(const struct greeting_self *self, const uint8_t challenge[GREETING_CHALLENGE],
                    const uint8_t drawn[GREETING_NONCE], uint8_t out[GREETING_HELLO]) {
  memset(out, 0, GREETING_HELLO);
  put_be32(out, MAGIC);
  put_be16(out + AT_VERSION, GREETING_VERSION);
  put_be16(out + AT_COUNT, (uint16_t)self->count);
  put_be16(out + AT_RANK, (uint16_t)self->rank);
  put_be64(out + AT_JOB, self->job);
  memcpy(out + AT_DRAWN, drawn, GREETING_NONCE);
  for (unsigned i = 0; i < self->count; i++) put_be32(out + AT_VALUES + 4 * i, self->fields[i].value);
  hello_mac(self, challenge, out, out + GREETING_HELLO_TEXT);
}

enum greeting_verdict greeting_read(const struct greeting_self *self, const uint8_t challenge[GREETING_CHALLENGE],
                                    const uint8_t hello[GREETING_HELLO], struct greeting_peer *peer) {
  uint8_t mac[GREETING_MAC];
  memset(peer, 0, sizeof *peer);
  if (get_be32(hello) != MAGIC) return GREETING_STRANGER;
  memcpy(peer->drawn, hello + AT_DRAWN, GREETING_NONCE);
  memcpy(peer->mac, hello + GREETING_HELLO_TEXT, GREETING_MAC);
  if (get_be16(hello + AT_VERSION) != GREETING_VERSION || get_be16(hello + AT_COUNT) != self->count)
    return GREETING_OTHER_VERSION;
  hello_mac(self, challenge, hello, mac);
  if (!greeting_same(mac, peer->mac)) return GREETING_SECRET;
  if (get_be64(hello + AT_JOB) != self->job) return GREETING_OTHER_JOB;
  peer->rank = get_be16(hello + AT_RANK);
  for (unsigned i = 0; i < self->count; i++) {
    peer->field = i;
    peer->value = get_be32(hello + AT_VALUES + 4 * i);
    if (peer->value != self->fields[i].value) return GREETING_OTHER_FIELD;
  }
  return peer->rank == 0 || peer->rank >= self->workers ? GREETING_NO_RANK : GREETING_WELCOME;
}

void greeting_answer(const struct greeting_self *self, enum greeting_verdict verdict, const struct greeting_peer *peer,
                     uint8_t out[GREETING_VERDICT]) {
  memset(out, 0, GREETING_VERDICT);
  put_be32(out, MAGIC);
  put_be16(out + AT_VERDICT, (uint16_t)verdict);
  if (verdict == GREETING_OTHER_FIELD) {
    put_be16(out + AT_FIELD, (uint16_t)peer->field);
    put_be32(out + AT_VALUE, self->fields[peer->field].value);
  }
  // Who does not know the secret gets nothing made with it.
  if (verdict != GREETING_SECRET && verdict != GREETING_OTHER_VERSION)
    verdict_mac(self, peer->drawn, peer->mac, out, out + GREETING_VERDICT_TEXT);
}

enum greeting_verdict greeting_heard(const struct greeting_self *self, const uint8_t hello[GREETING_HELLO],
                                     const uint8_t verdict[GREETING_VERDICT], unsigned *field, uint32_t *value) {
  uint8_t mac[GREETING_MAC];
  const unsigned said = get_be16(verdict + AT_VERDICT);
  *field = get_be16(verdict + AT_FIELD);
  *value = get_be32(verdict + AT_VALUE);
  if (get_be32(verdict) != MAGIC || said > GREETING_OTHER_FIELD) return GREETING_STRANGER;
  if (said == GREETING_SECRET || said == GREETING_OTHER_VERSION) return (enum greeting_verdict)said;
  verdict_mac(self, hello + AT_DRAWN, hello + GREETING_HELLO_TEXT, verdict, mac);
  if (!greeting_same(mac, verdict + GREETING_VERDICT_TEXT)) return GREETING_STRANGER;
  return said == GREETING_OTHER_FIELD && *field >= self->count ? GREETING_STRANGER : (enum greeting_verdict)said;
}

void greeting_begin(const struct greeting_self *self, const uint8_t challenge[GREETING_CHALLENGE],
                    const uint8_t drawn[GREETING_NONCE], unsigned rank, struct greeting_session *out) {
  uint8_t number[2];
  struct hmac_sha256_ctx c = under(self, 's');
  put_be16(number, (uint16_t)rank);
  hmac_sha256_update(&c, GREETING_CHALLENGE, challenge);
  hmac_sha256_update(&c, GREETING_NONCE, drawn);
  hmac_sha256_update(&c, sizeof number, number);
  *out = (struct greeting_session){0};
  hmac_sha256_digest(&c, GREETING_MAC, out->key);
}

void greeting_mac(const struct greeting_session *s, bool to_root, uint64_t number, const void *head, size_t head_bytes,
                  const void *body, size_t bytes, uint8_t out[GREETING_MAC]) {
  uint8_t place[9] = {to_root};
  struct hmac_sha256_ctx c;
  put_be64(place + 1, number);
  hmac_sha256_set_key(&c, GREETING_MAC, s->key);
  hmac_sha256_update(&c, sizeof place, place);
  hmac_sha256_update(&c, head_bytes, head);
  hmac_sha256_update(&c, bytes, body);
  hmac_sha256_digest(&c, GREETING_MAC, out);
}

bool greeting_same(const uint8_t a[GREETING_MAC], const uint8_t b[GREETING_MAC]) { return memeql_sec(a, b, GREETING_MAC) != 0; }
