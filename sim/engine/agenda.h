/// What is due when: times of numbered things, the earliest first. For loops over many parts of which few do something at a time.
#ifndef WEIR_SIM_AGENDA_H
#define WEIR_SIM_AGENDA_H

#include <stddef.h>
#include <stdint.h>

struct agenda;

/// For things 0 to `count` - 1, none of which is due. NULL if out of memory.
struct agenda *agenda_new(size_t count);
void agenda_free(struct agenda *a);
/// Thing `index` is due at `time`, and at no other; UINT64_MAX: never.
void agenda_set(struct agenda *a, size_t index, uint64_t time);
/// The time of what is due first, UINT64_MAX if nothing is, and what it is. Of several it is the one with the lowest number.
uint64_t agenda_first(const struct agenda *a, size_t *index);

#endif
