/// `protocol locking ..`: one search of a locked tree, with its traces in words.
#ifndef WEIR_PROTOCOL_LOCKING_SEARCH_LOCKING_H
#define WEIR_PROTOCOL_LOCKING_SEARCH_LOCKING_H

/// The program's exit code.
int search_locking(int argc, char **argv);

#endif
