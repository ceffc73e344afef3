/// Which backend takes a tensor: the one that was fastest for its size when the communicator began, the same on all hosts.
#ifndef WEIR_HOST_COLL_CHOICE_H
#define WEIR_HOST_COLL_CHOICE_H

#include <stddef.h>
#include <stdint.h>

#include "host/coll/backend.h"

enum { CHOICE_BACKENDS = 3, CHOICE_SIZES = 3, CHOICE_TEXT = 200 };

/// Sizes that are measured, in bytes.
extern const size_t choice_sizes[CHOICE_SIZES];

struct choice {
  unsigned count;                               ///< backends
  uint32_t us[CHOICE_SIZES][CHOICE_BACKENDS];   ///< of the slowest host; not looked at if there is one backend
  unsigned best[CHOICE_SIZES];
};

/// Chooses by `us`: of backends that are as fast the first.
void choice_make(struct choice *c);
/// The class of a tensor: that of the measured size which is nearest to it, as a ratio.
unsigned choice_class(size_t bytes);
/// The backend for it.
unsigned choice_of(const struct choice *c, size_t bytes);
/// In words: which for `bytes`, and what was measured.
void choice_text(const struct choice *c, const struct backend *backends, size_t bytes, char text[CHOICE_TEXT]);

#endif
