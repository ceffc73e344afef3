/// CRC-32 of long stretches. zlib's tables are larger than what a processor's first cache keeps of them beside a Verilated device.
#ifndef WEIR_BASE_CRC_H
#define WEIR_BASE_CRC_H

#include <stddef.h>
#include <stdint.h>

/// What zlib's crc32 says of `len` bytes behind those whose CRC is `crc`; 0 for none.
uint32_t crc_more(uint32_t crc, const uint8_t *bytes, size_t len);

#endif
