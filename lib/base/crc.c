#include "base/crc.h"

#include <zlib.h>

#ifdef __x86_64__

#include <immintrin.h>

// A stretch of bits may be replaced by a shorter one with the same remainder. 128 bits in front of D others are worth 64 of them times
// x^(D+32) mod P plus the other 64 times x^(D-32) mod P. P is the polynomial of CRC-32; bits are reflected, hence one bit further to the left.
#define X544 0x154442BD4
#define X480 0x1C6E41596
#define X160 0x1751997D0
#define X96 0x0CCAA009E

enum { WORD = 16, WORDS = 4, BLOCK = WORD * WORDS };

typedef __m128i word;

static word load(const uint8_t *bytes) { return _mm_loadu_si128((const word *)bytes); }

/// `front`, moved behind the bits that `factors` are for, onto `behind`.
__attribute__((target("pclmul"))) static word fold(word front, word factors, word behind) {
  const word low = _mm_clmulepi64_si128(front, factors, 0x00), high = _mm_clmulepi64_si128(front, factors, 0x11);
  return _mm_xor_si128(_mm_xor_si128(low, high), behind);
}

/// The same for whole words, BLOCK bytes at least.
__attribute__((target("pclmul"))) static uint32_t more_words(uint32_t crc, const uint8_t *bytes, size_t len) {
  const word far = _mm_set_epi64x(X480, X544), near = _mm_set_epi64x(X96, X160);
  word w[WORDS];
  for (size_t i = 0; i < WORDS; i++) w[i] = load(bytes + WORD * i);
  w[0] = _mm_xor_si128(w[0], _mm_cvtsi32_si128((int)~crc));
  size_t at = BLOCK;
  for (; len - at >= BLOCK; at += BLOCK)
    for (size_t i = 0; i < WORDS; i++) w[i] = fold(w[i], far, load(bytes + at + WORD * i));
  for (size_t i = 1; i < WORDS; i++) w[0] = fold(w[0], near, w[i]);
  for (; at < len; at += WORD) w[0] = fold(w[0], near, load(bytes + at));
  uint8_t rest[WORD];
  _mm_storeu_si128((word *)rest, w[0]);
  return (uint32_t)crc32(UINT32_MAX, rest, WORD);   // begun with a register of zeros
}

uint32_t crc_more(uint32_t crc, const uint8_t *bytes, size_t len) {
  if (len >= BLOCK && __builtin_cpu_supports("pclmul")) {
    const size_t whole = len - len % WORD;
    crc = more_words(crc, bytes, whole);
    bytes += whole;
    len -= whole;
  }
  return (uint32_t)crc32(crc, bytes, (uInt)len);
}

#else

uint32_t crc_more(uint32_t crc, const uint8_t *bytes, size_t len) { return (uint32_t)crc32(crc, bytes, (uInt)len); }

#endif
