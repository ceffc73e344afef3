/// A place where a test may listen.
#ifndef WEIR_UNIT_FREE_PORT_H
#define WEIR_UNIT_FREE_PORT_H

enum { FREE_PORT = 32 };

/// "127.0.0.1:" and a TCP port that nobody uses now.
void free_port(char root[FREE_PORT]);

#endif
