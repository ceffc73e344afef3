/// Memory for programs that cannot go on without it, and arrays that grow.
#ifndef WEIR_BASE_MEMORY_H
#define WEIR_BASE_MEMORY_H

#include <stdbool.h>
#include <stddef.h>

/// Hands on what malloc and the like returned. NULL ends the program: a line on stderr, and abort.
void *need(void *memory);

/// An array with room for at least `count` elements of `element` bytes: `array` itself, or where it has been moved to. `*room`
/// (elements) at least doubles when it grows, so appending one by one is cheap; NULL with `*room` 0 is an empty array. New
/// elements are not set. The caller frees it. Ends the program like `need`.
void *need_room(void *array, size_t *room, size_t count, size_t element);

/// The same for who can do without: the array, or NULL if there is no memory; then `array` and `*room` are what they were.
void *try_room(void *array, size_t *room, size_t count, size_t element);

#endif
