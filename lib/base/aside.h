/// Work that a second thread does, in the order in which it was handed over.
#ifndef WEIR_BASE_ASIDE_H
#define WEIR_BASE_ASIDE_H

#include <stdbool.h>
#include <stddef.h>

struct aside;

/// Does one piece of work. Called by the second thread, with one piece at a time.
typedef void aside_do(void *user, const void *piece);

/// True if this process may run on more than one processor, so that a second thread can save time.
bool aside_worth(void);

/// Starts the thread; signals go to the others. NULL if there is none to be had.
struct aside *aside_start(aside_do *work, void *user);
/// Room for the next piece, aligned as a pointer: `bytes` that the caller fills before it calls anything else of this. Pieces go to the thread by
/// the batch; who hands over more than it can do waits.
void *aside_put(struct aside *a, size_t bytes);
/// Waits until all that was handed over is done. The caller then sees what it did, and may change it until the next piece is put.
void aside_wait(struct aside *a);
/// The same, and ends the thread.
void aside_end(struct aside *a);

#endif
