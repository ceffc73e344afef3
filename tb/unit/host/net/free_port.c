#include "unit/host/net/free_port.h"

#include <arpa/inet.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <unistd.h>

void free_port(char root[FREE_PORT]) {
  struct sockaddr_in at = {.sin_family = AF_INET, .sin_addr = {htonl(INADDR_LOOPBACK)}};
  socklen_t size = sizeof at;
  const int s = socket(AF_INET, SOCK_STREAM, 0);
  if (bind(s, (struct sockaddr *)&at, sizeof at) != 0 || getsockname(s, (struct sockaddr *)&at, &size) != 0) abort();
  close(s);
  snprintf(root, FREE_PORT, "127.0.0.1:%u", ntohs(at.sin_port));
}
