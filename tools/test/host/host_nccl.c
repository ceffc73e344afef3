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
// ncclNet_v8_t likewise, from `connect` on; what is before is as above.
enum {
  NET_CONNECT = 5,
  NET_ACCEPT,
  NET_REGISTER,
  NET_DMA_BUF,
  NET_DEREGISTER,
  NET_SEND,
  NET_RECEIVE,
  NET_FLUSH,
  NET_TEST,
  NET_CLOSE_SEND,
  NET_CLOSE_RECEIVE,
  NET_CLOSE_LISTENER
};
enum { MESSAGES = 40, STEP = 5000, MOST = MESSAGES * STEP };   // message i has i * STEP bytes
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

// --- messages between two ranks ---

/// A connection of nobody's, which says something else.
static void stranger(const char *handle) {
  struct sockaddr_in at;
  memcpy(&at, handle, sizeof at);
  const int s = socket(AF_INET, SOCK_STREAM, 0);
  need(connect(s, (struct sockaddr *)&at, sizeof at) == 0 && write(s, "GET / HTTP/1.0", 14) == 14, "a stranger cannot connect");
  close(s);
}

/// Rank 0 sends, rank 1 receives: all that there is room for at once.
static void pass(void *comm, int rank, void *memory) {
  static uint8_t data[MESSAGES][MOST];
  void *requests[MESSAGES] = {0};
  int begun = 0, ended = 0, waited = 0;
  while (ended < MESSAGES) {
    if (begun < MESSAGES) {
      void *at = data[begun];
      int bytes = rank == 0 ? begun * STEP : MOST, tag = 7;
      memset(at, rank == 0 ? begun + 1 : 0, MOST);
      need((rank == 0 ? CALL(NET_SEND, void *, void *, int, int, void *, void **)(comm, at, bytes, tag, memory, &requests[begun])
                      : CALL(NET_RECEIVE, void *, int, void **, int *, int *, void **, void **)(comm, 1, &at, &bytes, &tag,
                                                                                                &memory, &requests[begun])) == 0,
           "no message");
      const int room = requests[begun] != NULL;
      begun += room;
      waited += !room;
      if (begun < MESSAGES && room) continue;
    }
    int done = 0, bytes = -1;
    need(CALL(NET_TEST, void *, int *, int *)(requests[ended], &done, &bytes) == 0, "a message fails");
    if (!done) continue;
    need(bytes == ended * STEP, "a message of another length");
    for (int i = 0; rank == 1 && i < MOST; i++) need(data[ended][i] == (i < bytes ? ended + 1 : 0), "another message");
    ended++;
  }
  need(waited > 0, "a queue without end");
  void *at = data[0];
  int bytes = rank == 0 ? 100 : 99, tag = 0, done = 0, code = 0;
  if (rank == 0) CALL(NET_SEND, void *, void *, int, int, void *, void **)(comm, at, bytes, tag, memory, &requests[0]);
  if (rank == 1)
    CALL(NET_RECEIVE, void *, int, void **, int *, int *, void **, void **)(comm, 1, &at, &bytes, &tag, &memory, &requests[0]);
  while (code == 0 && !done) code = CALL(NET_TEST, void *, int *, int *)(requests[0], &done, &bytes);
  need(rank == 0 ? code == 0 : code != 0, "a message that is too long");
}

static void net(void *const *library, int rank, int to_other, int from_other) {
  void *const *collnet = plugin;
  char handle[HANDLE];
  void *listener, *comm = NULL, *memory, *offload = NULL;
  int count;
  plugin = library;
  need(CALL(INIT, void *)((void *)(uintptr_t)say) == 0 && CALL(DEVICES, int *)(&count) == 0 && count == 1,
       "no device for messages");
  if (rank == 1) {
    need(CALL(LISTEN, int, void *, void **)(0, handle, &listener) == 0, "no listener for messages");
    stranger(handle);
    need(CALL(NET_ACCEPT, void *, void **, void **)(listener, &comm, &offload) == 0 && comm == NULL, "a stranger is let in");
    need(write(to_other, handle, HANDLE) == HANDLE, "no exchange");
    while (comm == NULL) need(CALL(NET_ACCEPT, void *, void **, void **)(listener, &comm, &offload) == 0, "nobody is let in");
    need(CALL(NET_CLOSE_LISTENER, void *)(listener) == 0, "the listener for messages does not close");
  } else {
    need(read(from_other, handle, HANDLE) == HANDLE, "no exchange");
    while (comm == NULL)
      need(CALL(NET_CONNECT, int, void *, void **, void **)(0, handle, &comm, &offload) == 0, "rank 1 is not reached");
  }
  need(CALL(NET_REGISTER, void *, void *, size_t, int, void **)(comm, handle, HANDLE, CUDA, &memory) != 0, "a GPU's memory");
  need(CALL(NET_REGISTER, void *, void *, size_t, int, void **)(comm, handle, HANDLE, HOST, &memory) == 0 && memory != NULL,
       "no memory");
  pass(comm, rank, memory);
  need(CALL(NET_DEREGISTER, void *, void *)(comm, memory) == 0, "no deregistration");
  // Rank 0 leaves last: what it sent is to be read.
  char over = 1;
  if (rank == 1) need(write(to_other, &over, 1) == 1, "no end");
  if (rank == 0) need(read(from_other, &over, 1) == 1, "no end");
  need(CALL(rank == 0 ? NET_CLOSE_SEND : NET_CLOSE_RECEIVE, void *)(comm) == 0, "no end of messages");
  plugin = collnet;
}

// --- a rank ---

static int live(void *const *messages, int rank, int to_other, int from_other) {
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
  net(messages, rank, to_other, from_other);
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
  void *const *messages = dlsym(library, "ncclNetPlugin_v8");
  need(plugin != NULL && strcmp(plugin[0], "Weir") == 0 && messages != NULL && strcmp(messages[0], "Weir") == 0,
       "no such symbol");
  if (argc == 4) {
    const int rank = atoi(argv[2]), other = meet(rank, argv[3]);
    need(other >= 0 && live(messages, rank, other, other) == 0, "no other rank");
    puts("right");
    return 0;
  }
  const pid_t child = fork();
  if (child == 0) return live(messages, 1, back[1], there[0]);
  need(live(messages, 0, there[1], back[0]) == 0 && waitpid(child, &status, 0) == child && status == 0, "rank 1 failed");
  puts("right");
  return 0;
}
