/// What fuzz targets share.
#ifndef WEIR_FUZZ_FUZZ_H
#define WEIR_FUZZ_FUZZ_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/// One input. Returns 0; what must not be aborts.
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/// Aborts, which makes the fuzzer keep the input, unless it holds.
void fuzz_must(bool holds, const char *what);

enum { FUZZ_PATH = 64 };
/// A file in memory with these bytes; its descriptor, to be closed, and its path.
int fuzz_file(const uint8_t *data, size_t size, char path[FUZZ_PATH]);
/// An input that a command takes as the name of a file or as what such a file would hold: `taken` gets both, the second if `inside`
/// says that it is that. No name of a file: it could be any of this machine.
void fuzz_file_or_text(const uint8_t *data, size_t size, void (*taken)(const char *text), bool (*inside)(const char *text));
/// A text is there, is one line, and does nothing to a terminal.
void fuzz_is_text(const char *text);
/// An error about a file is such a text: the file's name, and what is wrong.
void fuzz_is_error(const char *error, const char *path);

#endif
