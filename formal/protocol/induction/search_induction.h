/// `protocol induction`: searches a device of a tree between what its children and its parent are bound to.
#ifndef WEIR_PROTOCOL_SEARCH_INDUCTION_H
#define WEIR_PROTOCOL_SEARCH_INDUCTION_H

/// Reads the command line and searches. Returns the program's exit code.
int search_induction(int argc, char **argv);

#endif
