// Any bytes from whoever connects to rank 0, and from whoever listens in its place: nobody is welcome without the secret, and what is believed is within
// its bounds. Every other input gets the MAC that belongs to it, as a host of the job that is mad would make it.
#include <string.h>

#include "fuzz/fuzz.h"
#include "host/meet/greeting.h"

static const struct greeting_self self = {
    .rank = 0, .workers = 5, .job = 3, .secret = "sesame", .secret_bytes = 6, .fields = {{"one", 1}, {"two", 2}}, .count = 2};

/// A host's hello with these bytes in place of its own, but for the MAC, which is made by saying hello as whom they claim to be.
static void sign(const uint8_t *challenge, uint8_t hello[GREETING_HELLO]) {
  struct greeting_self claimed = self;
  uint8_t drawn[GREETING_NONCE];
  claimed.rank = (unsigned)hello[8] << 8 | hello[9];
  claimed.job = hello[19];
  for (unsigned i = 0; i < claimed.count; i++) claimed.fields[i].value = hello[20 + GREETING_NONCE + 4 * i + 3] & 3;
  memcpy(drawn, hello + 20, sizeof drawn);
  greeting_hello(&claimed, challenge, drawn, hello);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  uint8_t challenge[GREETING_CHALLENGE] = {0}, hello[GREETING_HELLO] = {0}, verdict[GREETING_VERDICT] = {0},
          drawn[GREETING_NONCE] = {7};
  struct greeting_peer peer;
  unsigned version, field;
  uint32_t value;
  const bool signs = size > 0 && (data[0] & 1) != 0;
  greeting_challenge(challenge, drawn);
  if (size > 1) memcpy(hello, data + 1, size - 1 < sizeof hello ? size - 1 : sizeof hello);
  if (signs) sign(challenge, hello);
  const enum greeting_verdict said = greeting_read(&self, challenge, hello, &peer);
  fuzz_must(said <= GREETING_OTHER_FIELD && said != GREETING_TAKEN, "a verdict");
  fuzz_must(signs || said == GREETING_STRANGER || said == GREETING_SECRET || said == GREETING_OTHER_VERSION,
            "without the secret nobody gets further");
  fuzz_must(said != GREETING_WELCOME || (peer.rank > 0 && peer.rank < self.workers), "who is welcome has a rank");
  fuzz_must(peer.field < self.count, "a field that there is");
  greeting_answer(&self, said, &peer, verdict);
  if (signs) fuzz_must(greeting_heard(&self, hello, verdict, &field, &value) == said, "a verdict arrives as it was given");
  memcpy(verdict, data, size < sizeof verdict ? size : sizeof verdict);
  const enum greeting_verdict heard = greeting_heard(&self, hello, verdict, &field, &value);
  fuzz_must(heard == GREETING_STRANGER || heard == GREETING_SECRET || heard == GREETING_OTHER_VERSION || size < sizeof verdict,
            "no verdict of a stranger is believed");
  memcpy(challenge, data, size < sizeof challenge ? size : sizeof challenge);
  greeting_challenged(challenge, &version);
  return 0;
}
