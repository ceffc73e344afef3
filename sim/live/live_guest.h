/// A virtual machine of `weir live`: QEMU, its console, and the socket of its network card.
///
/// The guest reads commands line by line from its console and answers with lines that begin with "@weir" (host/guest_init.sh).
#ifndef WEIR_SIM_LIVE_GUEST_H
#define WEIR_SIM_LIVE_GUEST_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>
#include <sys/un.h>

#include "sim/live/live_said.h"

struct live_guest {
  pid_t pid;               ///< of QEMU, 0 if it does not run
  int console;             ///< both ways; -1: none
  int network;             ///< frames, one a datagram; -1: none
  struct live_line line;   ///< of the console
  bool up;
  bool shown;                ///< its console is shown on standard output, but for lines that are for us
  struct sockaddr_un peer;   ///< of an attached guest
};

/// What guests are started with.
struct live_machine {
  const char *image;   ///< folder with vmlinux and initrd
  const char *accel;
  unsigned memory_mb, mtu, vlan;
  bool ipv6;
  const char *root;    ///< folder that the guest sees as a root file system, which stays as it is; or NULL
  const char *files;   ///< folder with host0, host1 and so on, of which each guest may write into its own; or NULL
};

/// Where what guests boot lies, if nobody says: beside this program. Returns `text`.
const char *live_image_folder(char *text, size_t size);
/// Looks whether guests can be started: QEMU, image, memory. 0, or COMMAND_UNUSABLE after one line on stderr. `accel` (16 bytes) becomes
/// what the image was tried with if `machine->accel` is NULL.
int live_machine_check(struct live_machine *machine, unsigned hosts, char accel[16]);
/// Starts guest `rank` of `hosts`. 0, or COMMAND_UNUSABLE after one line on stderr; live_guest_stop is due in both cases.
int live_guest_start(struct live_guest *g, const struct live_machine *machine, unsigned rank, unsigned hosts);
/// Kills it, if it runs, and closes all.
void live_guest_stop(struct live_guest *g);
/// True as long as QEMU runs.
bool live_guest_runs(struct live_guest *g);
/// Writes a command, which must be one line.
void live_guest_command(struct live_guest *g, const char *text);
/// The next whole line of the console, without its end, if one is there; valid until the next call. NULL if not.
const char *live_guest_line(struct live_guest *g);
/// Sends it a frame. 1, 0 if there is no room now, or -1 if it is not there.
int live_guest_send(struct live_guest *g, const uint8_t *frame, size_t len);
/// A port for a guest of the user's own: socket `folder`/weirN.sock, which talks to `folder`/hostN.sock. 0, or COMMAND_UNUSABLE after one
/// line on stderr.
int live_guest_attach(struct live_guest *g, const char *folder, unsigned rank);
/// Removes that socket's name.
void live_guest_detach(const char *folder, unsigned rank);

#endif
