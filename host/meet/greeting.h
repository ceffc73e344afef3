/// What hosts say when they meet over TCP (docs/host.md): that they are of one job and one mind, and know the secret. Bytes in, bytes out; no sockets.
///
/// Rank 0 challenges whoever connects with 16 random bytes; the host says hello, rank 0 answers with a verdict. Hello, verdict and all that
/// follows carry an HMAC-SHA256 under the secret, over what both have drawn, so none of it can be used a second time. Without a secret it is of the
/// empty one: then anybody may join who knows the job.
#ifndef WEIR_HOST_MEET_GREETING_H
#define WEIR_HOST_MEET_GREETING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { GREETING_VERSION = 3, GREETING_FIELDS = 16, GREETING_NONCE = 16, GREETING_MAC = 32 };
enum {
  GREETING_CHALLENGE = 8 + GREETING_NONCE,   ///< "WEIR", version:16, 0:16, what rank 0 has drawn
  GREETING_HELLO_TEXT =
      20 + GREETING_NONCE + 4 * GREETING_FIELDS,   ///< "WEIR", version:16, fields:16, rank:16, 0:16, job:64, drawn, values
  GREETING_HELLO = GREETING_HELLO_TEXT + GREETING_MAC,
  GREETING_VERDICT_TEXT = 12,   ///< "WEIR", verdict:16, field:16, value of rank 0:32
  GREETING_VERDICT = GREETING_VERDICT_TEXT + GREETING_MAC
};

/// Something that all hosts must have alike.
struct greeting_field {
  const char *name;
  uint32_t value;
};

/// What a host is.
struct greeting_self {
  unsigned rank, workers;
  uint64_t job;
  const void *secret;
  size_t secret_bytes;
  struct greeting_field fields[GREETING_FIELDS];
  unsigned count;   ///< of them
};

enum greeting_verdict {
  GREETING_WELCOME,
  GREETING_STRANGER,   ///< what came is no hello
  GREETING_SECRET,     ///< a hello under another secret
  GREETING_OTHER_VERSION,
  GREETING_OTHER_JOB,
  GREETING_NO_RANK,   ///< of rank 0, or none that there is
  GREETING_TAKEN,     ///< rank is here already: the caller's verdict
  GREETING_OTHER_FIELD
};

/// Keys and counts of one connection, behind the verdict.
struct greeting_session {
  uint8_t key[GREETING_MAC];
  uint64_t sent, received;   ///< frames
};

/// A host that said hello.
struct greeting_peer {
  unsigned rank;
  unsigned field;   ///< GREETING_OTHER_FIELD: which of ours, and its value there
  uint32_t value;
  uint8_t drawn[GREETING_NONCE];
  uint8_t mac[GREETING_MAC];
};

void greeting_challenge(uint8_t out[GREETING_CHALLENGE], const uint8_t drawn[GREETING_NONCE]);
void greeting_hello(const struct greeting_self *self, const uint8_t challenge[GREETING_CHALLENGE],
                    const uint8_t drawn[GREETING_NONCE], uint8_t out[GREETING_HELLO]);
/// Rank 0 reads a hello. `peer` is filled as far as it is believed.
enum greeting_verdict greeting_read(const struct greeting_self *self, const uint8_t challenge[GREETING_CHALLENGE],
                                    const uint8_t hello[GREETING_HELLO], struct greeting_peer *peer);
void greeting_answer(const struct greeting_self *self, enum greeting_verdict verdict, const struct greeting_peer *peer,
                     uint8_t out[GREETING_VERDICT]);
/// A host reads a challenge: false if what listens there is no rank 0 of this version.
bool greeting_challenged(const uint8_t challenge[GREETING_CHALLENGE], unsigned *version);
/// A host reads the verdict on its hello, and the value that rank 0 has for `field`. GREETING_STRANGER: who said it does not know the secret.
enum greeting_verdict greeting_heard(const struct greeting_self *self, const uint8_t hello[GREETING_HELLO],
                                     const uint8_t verdict[GREETING_VERDICT], unsigned *field, uint32_t *value);
/// Both ends: what later frames are under.
void greeting_begin(const struct greeting_self *self, const uint8_t challenge[GREETING_CHALLENGE],
                    const uint8_t drawn[GREETING_NONCE], unsigned rank, struct greeting_session *out);
/// The MAC of frame `number` of one direction.
void greeting_mac(const struct greeting_session *s, bool to_root, uint64_t number, const void *head, size_t head_bytes,
                  const void *body, size_t bytes, uint8_t out[GREETING_MAC]);
/// True if both are the same, in a time that tells nothing.
bool greeting_same(const uint8_t a[GREETING_MAC], const uint8_t b[GREETING_MAC]);

#endif
