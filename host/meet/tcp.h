/// TCP with deadlines: what hosts meet over before they have queue pairs. Sockets are non-blocking; deadlines are of clock_monotonic_ms.
#ifndef WEIR_HOST_MEET_TCP_H
#define WEIR_HOST_MEET_TCP_H

#include <netdb.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { TCP_LISTENERS = 8 };

/// "10.0.0.1:7471", "[fd57::1]:7471" or "name:7471": all its addresses. 0, or -EINVAL. freeaddrinfo is due.
int tcp_resolve(const char *root, bool passive, struct addrinfo **out);
/// Listens at all of them, at most TCP_LISTENERS. How many, or a negative errno if none could be had.
int tcp_listen(const struct addrinfo *at, int listeners[TCP_LISTENERS]);
/// Gives what a socket sends from now on a traffic class (its DSCP) and a priority; -1: as the system has it. A priority above 6 is for privileged programs.
void tcp_mark(int socket, int traffic_class, int priority);
/// The next connection of a listener, or a negative errno (-EAGAIN: none).
int tcp_accept(int listener);
/// Tries one address until the deadline. A socket, or a negative errno.
int tcp_connect(const struct addrinfo *at, uint64_t deadline);
/// Moves all bytes, one way or the other. 0, or a negative errno: -ETIMEDOUT, -ECONNRESET if the peer has closed.
int tcp_send(int socket, const void *data, size_t bytes, uint64_t deadline);
int tcp_receive(int socket, void *data, size_t bytes, uint64_t deadline);
/// The index of a socket that can be read, of those that are not -1, or -ETIMEDOUT.
int tcp_first(const int *sockets, unsigned count, uint64_t deadline);
/// How many of the next bytes have come, of so many at most; they stay where they are. -EAGAIN if none has, or what broke the connection.
int tcp_peek(int socket, void *data, size_t bytes);
/// True if the peer has closed, or the connection is broken.
bool tcp_gone(int socket);

#endif
