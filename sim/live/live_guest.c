#include "sim/live/live_guest.h"

#include <errno.h>
#include <fcntl.h>
#include <libgen.h>
#include <limits.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include "sim/cli/usage.h"

#define QEMU "qemu-system-x86_64"
enum { QEMU_OWN_MB = 64, BUFFER_BYTES = 4 << 20 };

// --- what there is ---

const char *live_image_folder(char *text, size_t size) {
  char path[PATH_MAX];
  const ssize_t len = readlink("/proc/self/exe", path, sizeof path - 1);
  path[len > 0 ? len : 0] = 0;
  snprintf(text, size, "%s/live", dirname(path));
  return text;
}

static bool in_path(const char *program) {
  char path[PATH_MAX];
  const char *at = getenv("PATH");
  while (at != NULL && *at != 0) {
    const size_t len = strcspn(at, ":");
    snprintf(path, sizeof path, "%.*s/%s", (int)len, at, program);
    if (access(path, X_OK) == 0) return true;
    at += len + (at[len] == ':');
  }
  return false;
}

static uint64_t available_mb(void) {
  FILE *f = fopen("/proc/meminfo", "r");
  char line[128];
  unsigned long long kb = UINT64_MAX;
  while (f != NULL && fgets(line, sizeof line, f) != NULL && sscanf(line, "MemAvailable: %llu", &kb) != 1) continue;
  if (f != NULL) fclose(f);
  return kb / 1024;
}

static bool readable(const char *folder, const char *name) {
  char path[PATH_MAX];
  snprintf(path, sizeof path, "%s/%s", folder, name);
  return access(path, R_OK) == 0;
}

/// What the image was tried with, unless KVM may not be used by this user.
static void choose_accel(const char *folder, char accel[16]) {
  char path[PATH_MAX];
  snprintf(path, sizeof path, "%s/accel", folder);
  FILE *f = fopen(path, "r");
  strcpy(accel, "tcg");
  if (f == NULL) return;
  if (fscanf(f, "%15s", accel) != 1 || access("/dev/kvm", R_OK | W_OK) != 0) strcpy(accel, "tcg");
  fclose(f);
}

int live_machine_check(struct live_machine *m, unsigned hosts, char accel[16]) {
  if (!in_path(QEMU)) return usage_refuse("weir live", "%s is not there; `make live-image' installs it", QEMU);
  if (!readable(m->image, "vmlinux") || !readable(m->image, "initrd"))
    return usage_refuse("weir live", "%s: nothing to boot is there; `make live-image' makes it", m->image);
  const uint64_t needed = (uint64_t)hosts * (m->memory_mb + QEMU_OWN_MB);
  if (available_mb() < needed)
    return usage_refuse("weir live", "%u guests need %llu MB of memory, %llu are free", hosts, (unsigned long long)needed,
                        (unsigned long long)available_mb());
  if (m->accel == NULL) {
    choose_accel(m->image, accel);
    m->accel = accel;
  }
  return 0;
}

// --- starting and stopping ---

/// A folder of this machine as a file system of the guest, by a name.
struct guest_folder {
  char device[PATH_MAX + 96], card[64];
};

static void add_share(const char **arguments, size_t *count, struct guest_folder *s, const char *name, const char *folder,
                      bool readonly) {
  snprintf(s->device, sizeof s->device, "local,id=%s,path=%s,security_model=none%s", name, folder,
           readonly ? ",readonly=on" : "");
  snprintf(s->card, sizeof s->card, "virtio-9p-pci,fsdev=%s,mount_tag=%s", name, name);
  const char *more[] = {"-fsdev", s->device, "-device", s->card};
  for (size_t i = 0; i < sizeof more / sizeof *more; i++) arguments[(*count)++] = more[i];
}

/// In the child: becomes QEMU. Only the guest's own sockets go with it.
static void become_qemu(const struct live_machine *m, unsigned rank, unsigned hosts, int console, int network) {
  char kernel[PATH_MAX], initrd[PATH_MAX], memory[16], line[512], netdev[64], card[80], vlan[32] = "", files[PATH_MAX];
  struct guest_folder root, written;
  snprintf(kernel, sizeof kernel, "%s/vmlinux", m->image);
  snprintf(initrd, sizeof initrd, "%s/initrd", m->image);
  snprintf(memory, sizeof memory, "%u", m->memory_mb);
  if (m->vlan > 0) snprintf(vlan, sizeof vlan, "VLAN=%u ", m->vlan);
  // What only takes time in a guest that lives for a run is left out: self-tests of ciphers, and the kernel's own pages made read-only.
  snprintf(
      line, sizeof line,
      "console=ttyS0 quiet no_timer_check mitigations=off rodata=off cryptomgr.notests panic=-1 RANK=%u HOSTS=%u MTU=%u %s%s%s",
      rank, hosts, m->mtu, vlan, m->ipv6 ? "IPV6=1" : "", m->files != NULL ? " FILES=1" : "");
  snprintf(netdev, sizeof netdev, "dgram,id=n0,local.type=fd,local.str=%d", network);
  snprintf(card, sizeof card, "virtio-net-pci,netdev=n0,mac=52:54:00:57:45:%02x,romfile=", rank);
  fcntl(network, F_SETFD, 0);
  dup2(console, 0);
  dup2(console, 1);
  dup2(console, 2);
  // Room for a second processor, which is not there: without it TCG leaves out memory barriers, which QEMU's own network thread
  // needs too, and once in a while a guest's network stands still for ever because a notification was lost.
  const char *arguments[40] = {QEMU,         "-accel",      m->accel,  "-M",      "q35",         "-cpu",     "max",
                               "-smp",       "1,maxcpus=2", "-m",      memory,    "-nodefaults", "-display", "none",
                               "-no-reboot", "-serial",     "stdio",   "-kernel", kernel,        "-initrd",  initrd,
                               "-append",    line,          "-netdev", netdev,    "-device",     card};
  size_t count = 27;
  snprintf(files, sizeof files, "%s/host%u", m->files != NULL ? m->files : "", rank);
  if (m->root != NULL) add_share(arguments, &count, &root, "root", m->root, true);
  if (m->files != NULL) add_share(arguments, &count, &written, "files", files, false);
  execvp(QEMU, (char *const *)(uintptr_t)arguments);
  dprintf(1, "%s: %s\n", QEMU, strerror(errno));
  _exit(127);
}

int live_guest_start(struct live_guest *g, const struct live_machine *machine, unsigned rank, unsigned hosts) {
  int console[2] = {-1, -1}, network[2] = {-1, -1};
  *g = (struct live_guest){.console = -1, .network = -1};
  if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, console) != 0 ||
      socketpair(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0, network) != 0)
    return usage_refuse("weir live", "no sockets: %s", strerror(errno));
  for (int i = 0; i < 2; i++) {
    const int bytes = BUFFER_BYTES;
    setsockopt(network[i], SOL_SOCKET, SO_SNDBUF, &bytes, sizeof bytes);
  }
  const pid_t parent = getpid();
  g->pid = fork();
  if (g->pid == 0) {
    setpgid(0, 0);   // what is typed at our terminal is not for it
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() == parent) become_qemu(machine, rank, hosts, console[1], network[1]);
    _exit(127);
  }
  close(console[1]);
  close(network[1]);
  g->console = console[0];
  g->network = network[0];
  fcntl(g->console, F_SETFL, O_NONBLOCK);
  return g->pid > 0 ? 0 : usage_refuse("weir live", "no process for %s: %s", QEMU, strerror(errno));
}

void live_guest_stop(struct live_guest *g) {
  if (g->pid > 0) {
    kill(g->pid, SIGKILL);
    waitpid(g->pid, NULL, 0);
  }
  if (g->console >= 0) close(g->console);
  if (g->network >= 0) close(g->network);
  g->pid = 0;
  g->console = g->network = -1;
}

bool live_guest_runs(struct live_guest *g) {
  if (g->pid > 0 && waitpid(g->pid, NULL, WNOHANG) == g->pid) g->pid = 0;
  return g->pid > 0;
}

// --- the console ---

void live_guest_command(struct live_guest *g, const char *text) {
  char line[LIVE_LINE + 32];   // a line of a console, and what the program puts in front of it
  const int len = snprintf(line, sizeof line, "%s\n", text);
  // A socket has more room than a line; a guest that is gone shows otherwise.
  if (len > 0 && (size_t)len < sizeof line) (void)!send(g->console, line, (size_t)len, MSG_NOSIGNAL);
}

const char *live_guest_line(struct live_guest *g) {
  char c;
  while (g->console >= 0 && read(g->console, &c, 1) == 1) {
    // A line that is for us begins with '@'; anything else is shown as it comes, prompts too.
    if (g->shown && !(g->line.used > 0 ? g->line.text[0] == '@' : c == '@')) (void)!write(1, &c, 1);
    if (live_line_add(&g->line, c)) return g->line.text;
  }
  return NULL;
}

// --- guests of the user's own ---

static void name_socket(struct sockaddr_un *at, const char *folder, const char *who, unsigned rank) {
  *at = (struct sockaddr_un){.sun_family = AF_UNIX};
  snprintf(at->sun_path, sizeof at->sun_path, "%s/%s%u.sock", folder, who, rank);
}

int live_guest_send(struct live_guest *g, const uint8_t *frame, size_t len) {
  const bool attached = g->peer.sun_family == AF_UNIX;
  const ssize_t n = attached ? sendto(g->network, frame, len, MSG_NOSIGNAL, (struct sockaddr *)&g->peer, sizeof g->peer)
                             : send(g->network, frame, len, MSG_NOSIGNAL);
  if (n >= 0) return 1;
  return errno == EAGAIN || errno == EWOULDBLOCK || errno == ENOBUFS ? 0 : -1;
}

int live_guest_attach(struct live_guest *g, const char *folder, unsigned rank) {
  struct sockaddr_un own;
  *g = (struct live_guest){.console = -1, .network = -1};
  if (strlen(folder) + sizeof "/weir0.sock" > sizeof own.sun_path)
    return usage_refuse("weir live", "--attach %s: a socket's name may have %zu characters at most", folder,
                        sizeof own.sun_path - 1);
  name_socket(&own, folder, "weir", rank);
  name_socket(&g->peer, folder, "host", rank);
  g->network = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
  if (g->network >= 0 && bind(g->network, (struct sockaddr *)&own, sizeof own) == 0) {
    g->up = true;
    return 0;
  }
  const int why = errno;
  if (g->network >= 0) close(g->network);
  g->network = -1;
  if (why == EADDRINUSE)
    return usage_refuse("weir live", "%s: the socket is taken; does another weir run, or was one killed?", own.sun_path);
  return usage_refuse("weir live", "%s: no socket: %s", own.sun_path, strerror(why));
}

void live_guest_detach(const char *folder, unsigned rank) {
  struct sockaddr_un own;
  name_socket(&own, folder, "weir", rank);
  unlink(own.sun_path);
}
