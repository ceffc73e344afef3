// Plays NCCL's part for tools/test/host/test_host_nccl.sh: loads a CollNet plugin by its symbol and lets two ranks reduce, parent and child, or (PLUGIN RANK ADDRESS) programs of two hosts, of
// which rank 0 has that IPv4 address. What stands here of the plugin's layout is written down once more, by offset, as NCCL's own header has it.
#include <arpa/inet.h>
#include <dlfcn.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

enum {
  RANKS = 2,
  COUNT = 3000,
  HANDLE = 128,
  INT32 = 2,
  FLOAT32 = 7,
  DOUBLE = 8,
  SUM = 0,
  PROD = 1,
  MAX = 2,
  AVG = 4,
  HOST = 1,
  CUDA = 2,
  PORT = 7475,
  TRIES = 300
};
// ncclCollNet_v8_t: the name, then functions.
enum {
  INIT = 1,
  DEVICES,
  PROPERTIES,
  LISTEN,
  CONNECT,
  SUPPORT,
  REGISTER,
  DMA_BUF,
  DEREGISTER,
  ALL_REDUCE,
  ALL_GATHER,
  REDUCE_SCATTER,
  FLUSH,
  TEST,
  CLOSE,
  CLOSE_LISTENER
};
struct part {   // ncclNetSGE_v8_t
  void *memory, *address;
  uint32_t bytes;
};
static void *const *plugin;
#define CALL(which, ...) ((int (*)(__VA_ARGS__))(uintptr_t)plugin[which])

static void say(int level, unsigned long subsystems, const char *file, int line, const char *format, ...) {
  va_list arguments;
  (void)level, (void)subsystems, (void)file, (void)line;
  va_start(arguments, format);
  vfprintf(stderr, format, arguments);
  va_end(arguments);
  fputc('\n', stderr);
}

static void need(int good, const char *what) {
  if (good) return;
  fprintf(stderr, "%s\n", what);
  exit(1);
}

static void await(void *request, int expected) {
  int done = 0, bytes = -1;
  while (!done) need(CALL(TEST, void *, int *, int *)(request, &done, &bytes) == 0, "test fails");
  need(bytes == expected, "not so many bytes");
}

static void reduce(void *comm, int rank) {
  static float send[COUNT], receive[COUNT];
  static int32_t all[RANKS * COUNT], own[COUNT];
  void *memory, *request = NULL;
  need(CALL(REGISTER, void *, void *, size_t, int, void **)(comm, send, sizeof send, CUDA, &memory) != 0,
       "memory of a GPU is registered");
  need(CALL(REGISTER, void *, void *, size_t, int, void **)(comm, send, sizeof send, HOST, &memory) == 0, "no registration");
  for (int i = 0; i < COUNT; i++) send[i] = (float)(i * (rank + 1));
  int (*all_reduce)(void *, void *, void *, int, int, int, void *, void *, void **) =
      CALL(ALL_REDUCE, void *, void *, void *, int, int, int, void *, void *, void **);
  need(all_reduce(comm, send, receive, COUNT, FLOAT32, SUM, memory, NULL, &request) == 0 && request != NULL, "no all-reduce");
  await(request, sizeof send);
  for (int i = 0; i < COUNT; i++) need(receive[i] == (float)(3 * i), "a wrong sum");
  need(all_reduce(comm, send, receive, COUNT, FLOAT32, AVG, NULL, NULL, &request) == 0, "no average");
  await(request, sizeof send);
  for (int i = 0; i < COUNT; i++) need(receive[i] == (float)i * 1.5f, "a wrong average");
  need(all_reduce(comm, send, receive, COUNT, DOUBLE, SUM, NULL, NULL, &request) != 0, "an all-reduce of doubles");
  for (int i = 0; i < COUNT; i++) own[i] = i + 1000 * rank;
  struct part part = {.address = all, .bytes = sizeof all};
  int (*all_gather)(void *, void *, int, struct part *, size_t, size_t, size_t, void *, void **) =
      CALL(ALL_GATHER, void *, void *, int, struct part *, size_t, size_t, size_t, void *, void **);
  need(all_gather(comm, own, 1, &part, sizeof own, 0, sizeof own, NULL, &request) != 0, "an all-gather of a window");
  need(all_gather(comm, own, 1, &part, sizeof own, 0, sizeof all, NULL, &request) == 0, "no all-gather");
  await(request, sizeof all);
  for (int i = 0; i < RANKS * COUNT; i++) need(all[i] == i % COUNT + 1000 * (i / COUNT), "a wrong all-gather");
  int (*scatter)(void *, int, struct part *, void *, size_t, size_t, size_t, int, int, void *, void **) =
      CALL(REDUCE_SCATTER, void *, int, struct part *, void *, size_t, size_t, size_t, int, int, void *, void **);
  need(scatter(comm, 1, &part, own, sizeof own, 0, sizeof all, INT32, MAX, NULL, &request) == 0, "no reduce-scatter");
  await(request, sizeof own);
  for (int i = 0; i < COUNT; i++) need(own[i] == i + 1000 * rank, "a wrong reduce-scatter");
  need(CALL(FLUSH, void *, void *, int, void *, void **)(comm, own, 8, NULL, &request) == 0, "no flush");
  await(request, 8);
  need(CALL(DEREGISTER, void *, void *)(comm, memory) == 0, "no deregistration");
}

static int live(int rank, int to_other, int from_other) {
  char handles[RANKS][HANDLE];
  void *pointers[RANKS] = {handles[0], handles[1]}, *listener, *comm;
  int count, yes[4] = {0};
  char properties[128] = {0};
  const char *name;
  setenv("WEIR_ADDRESS", rank == 0 ? "10.0.0.1" : "10.0.0.2", 0);
  need(CALL(INIT, void *)((void *)(uintptr_t)say) == 0 && CALL(DEVICES, int *)(&count) == 0 && count == 1, "no device");
  need(CALL(PROPERTIES, int, void *)(0, properties) == 0 && CALL(PROPERTIES, int, void *)(1, properties) != 0, "no properties");
  memcpy(&name, properties, sizeof name);
  int memory, speed;
  memcpy(&memory, properties + 24, sizeof memory);
  memcpy(&speed, properties + 32, sizeof speed);
  need(strcmp(name, "weir") == 0 && memory == HOST && speed == 100000, "wrong properties");
  const int asked[4][2] = {{FLOAT32, SUM}, {INT32, AVG}, {DOUBLE, SUM}, {FLOAT32, PROD}};
  for (int i = 0; i < 4; i++) CALL(SUPPORT, int, int, int *)(asked[i][0], asked[i][1], &yes[i]);
  need(yes[0] == 1 && yes[1] == 0 && yes[2] == 0 && yes[3] == 0, "wrong support");
  need(CALL(LISTEN, int, void *, void **)(0, handles[rank], &listener) == 0 && listener != NULL, "no listener");
  // NCCL's own bootstrap.
  need(write(to_other, handles[rank], HANDLE) == HANDLE && read(from_other, handles[1 - rank], HANDLE) == HANDLE, "no exchange");
  need(CALL(CONNECT, void **, int, int, void *, void **)(pointers, RANKS, rank, listener, &comm) == 0, "no connection");
  need(CALL(CLOSE_LISTENER, void *)(listener) == 0, "the listener does not close");
  reduce(comm, rank);
  need(CALL(CLOSE, void *)(comm) == 0, "no end");
  return 0;
}

/// A socket between two hosts, in place of NCCL's own bootstrap.
static int meet(int rank, const char *address) {
  struct sockaddr_in at = {.sin_family = AF_INET, .sin_port = htons(PORT)};
  int s = socket(AF_INET, SOCK_STREAM, 0), tries = 0;
  need(inet_pton(AF_INET, address, &at.sin_addr) == 1, "no address");
  if (rank == 0) {
    need(bind(s, (struct sockaddr *)&at, sizeof at) == 0 && listen(s, 1) == 0, "no socket");
    return accept(s, NULL, NULL);
  }
  while (connect(s, (struct sockaddr *)&at, sizeof at) != 0) {
    need(++tries < TRIES, "rank 0 does not listen");
    close(s);
    usleep(100000);
    s = socket(AF_INET, SOCK_STREAM, 0);
  }
  return s;
}

int main(int argc, char **argv) {
  int there[2], back[2], status = 1;
  void *library = argc == 2 || argc == 4 ? dlopen(argv[1], RTLD_NOW | RTLD_LOCAL) : NULL;
  need(library != NULL && pipe(there) == 0 && pipe(back) == 0, "no plugin");
  plugin = dlsym(library, "ncclCollNetPlugin_v8");
  need(plugin != NULL && strcmp(plugin[0], "Weir") == 0, "no such symbol");
  if (argc == 4) {
    const int rank = atoi(argv[2]), other = meet(rank, argv[3]);
    need(other >= 0 && live(rank, other, other) == 0, "no other rank");
    puts("right");
    return 0;
  }
  const pid_t child = fork();
  if (child == 0) return live(1, back[1], there[0]);
  need(live(0, there[1], back[0]) == 0 && waitpid(child, &status, 0) == child && status == 0, "rank 1 failed");
  puts("right");
  return 0;
}
