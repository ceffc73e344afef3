/// Members of the public configurations that are whole numbers: between what they must be, and which variable of the environment says them (docs/host.md).
#ifndef WEIR_HOST_COLL_NUMBERS_H
#define WEIR_HOST_COLL_NUMBERS_H

#include <stddef.h>
#include <stdint.h>

struct number {
  const char *variable;   ///< NULL: none
  const char *member;
  size_t at, bytes;   ///< of the member, in its struct
  int least;          ///< below 0: the member is signed, and no variable says that
  uint64_t most;
};

/// Of struct weir_coll_config, and of struct weir_tree_config. Behind the last one `member` is NULL.
extern const struct number numbers_coll[], numbers_tree[];

/// Whatever the environment has of them goes into `config`. 0, or -EINVAL and one line in `error` that names the variable.
int numbers_read(const struct number *numbers, void *config, char *error, size_t size);
/// 0, or -EINVAL and one line that names the first member that is less or more than it must be, or an `mtu` that is no path MTU.
int numbers_check(const struct number *numbers, const void *config, char *error, size_t size);

#endif
