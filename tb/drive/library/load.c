#include "drive/library/load.h"

#include <dirent.h>
#include <dlfcn.h>
#include <errno.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/stop.h"

// make.args, in the folder of devices, is written by the build (mk/device.mk): how the project's make is called to build one like the
// others, one argument a line; the first two are -C and the way from there to the project.
enum { MOST_ARGS = 32, LINE = PATH_MAX, PROGRESS_MS = 250, TAIL = 4096 };

/// Path of a file of a device, "FOLDER/NAME" and an ending. False if it is too long.
static bool path_of(char out[PATH_MAX], const char *folder, const char *name, const char *ending) {
  const int len = snprintf(out, PATH_MAX, "%s/%s%s", folder, name, ending);
  return len > 0 && len < PATH_MAX;
}

static bool is_folder(const char *path) {
  struct stat s;
  return stat(path, &s) == 0 && S_ISDIR(s.st_mode);
}

/// Where libraries are. False if there is no such folder.
static bool find_folder(char out[PATH_MAX]) {
  static const char *const places[] = {"device", "../device", "../lib/weir"};   // of build/weir; of build/*/..; installed
  const char *named = getenv("WEIR_DEVICES");
  if (named != NULL && named[0] != '\0') return path_of(out, named, ".", "") && is_folder(out);
  char program[PATH_MAX];
  const ssize_t len = readlink("/proc/self/exe", program, sizeof program - 1);
  if (len <= 0) return false;
  program[len] = '\0';
  *strrchr(program, '/') = '\0';
  for (size_t i = 0; i < sizeof places / sizeof *places; i++) {
    if (path_of(out, program, places[i], "") && is_folder(out)) return true;
  }
  return false;
}

/// The next line of a file, without its end. False at the end of the file.
static bool next_line(FILE *f, char line[LINE]) {
  if (fgets(line, LINE, f) == NULL) return false;
  line[strcspn(line, "\n")] = '\0';
  return true;
}

// --- is it current? ---

/// The project that libraries of `folder` are built from. False if they are not built here.
static bool find_project(const char *folder, char project[PATH_MAX]) {
  char path[PATH_MAX], line[LINE];
  if (!path_of(path, folder, "make.args", "")) return false;
  FILE *f = fopen(path, "r");
  if (f == NULL) return false;
  bool found = next_line(f, line) && next_line(f, line);   // behind -C
  fclose(f);
  if (found && line[0] == '/')
    snprintf(project, PATH_MAX, "%s", line);
  else
    found = found && path_of(project, folder, line, "");
  return found && is_folder(project);
}

static bool newer(const struct stat *a, const struct stat *b) {
  return a->st_mtim.tv_sec > b->st_mtim.tv_sec ||
         (a->st_mtim.tv_sec == b->st_mtim.tv_sec && a->st_mtim.tv_nsec > b->st_mtim.tv_nsec);
}

/// What is wrong with a library, as make would see it; NULL if nothing is. NAME.sources has the files that it is made from, one a line.
static const char *lacks(const char *folder, const char *config, const char *project) {
  char path[PATH_MAX], line[LINE];
  struct stat library, source;
  if (!path_of(path, folder, config, ".so") || stat(path, &library) != 0) return "is not built yet";
  FILE *f = path_of(path, folder, config, ".sources") ? fopen(path, "r") : NULL;
  if (f == NULL) return NULL;
  const char *what = NULL;
  while (what == NULL && next_line(f, line)) {
    const bool named = line[0] == '/' ? snprintf(path, sizeof path, "%s", line) > 0 : path_of(path, project, line, "");
    if (!named || stat(path, &source) != 0 || newer(&source, &library)) what = "is older than its sources";
  }
  fclose(f);
  return what;
}

// --- build ---

/// In the child: becomes make.
static void run_make(const char *folder, const char *config, FILE *said) {
  char *argv[MOST_ARGS + 5] = {"make", "-s", NULL}, line[LINE], name[LINE];
  size_t count = 2;
  if (chdir(folder) != 0) return;
  FILE *f = fopen("make.args", "r");
  while (f != NULL && count < MOST_ARGS && next_line(f, line)) argv[count++] = strdup(line);
  snprintf(name, sizeof name, "D=%s", config);
  argv[count++] = "devices";
  argv[count] = name;
  // This is no part of a make that the program may run under.
  unsetenv("MAKEFLAGS");
  unsetenv("MFLAGS");
  unsetenv("MAKELEVEL");
  if (freopen("/dev/null", "r", stdin) == NULL || dup2(fileno(said), 1) < 0 || dup2(fileno(said), 2) < 0) return;
  execvp(argv[0], argv);
  fprintf(stderr, "make: %s\n", strerror(errno));
}

/// How many C++ files a device being built has, and how many are compiled.
static void show_progress(const char *folder, const char *config) {
  char path[PATH_MAX], name[NAME_MAX];
  unsigned sources = 0, objects = 0;
  // A device with waves is made from the same files.
  snprintf(name, sizeof name, "%.*s", (int)strcspn(config, "-"), config);
  DIR *dir = path_of(path, folder, name, "") ? opendir(path) : NULL;
  for (const struct dirent *e; dir != NULL && (e = readdir(dir)) != NULL;) {
    const char *ending = strrchr(e->d_name, '.');
    sources += ending != NULL && strcmp(ending, ".cpp") == 0;
    objects += ending != NULL && strcmp(ending, ".o") == 0;
  }
  if (dir != NULL) closedir(dir);
  if (objects > 0)
    fprintf(stderr, "\rweir: device %s: %u of %u files compiled\033[K", config, objects, sources);
  else
    fprintf(stderr, "\rweir: device %s: Verilator\033[K", config);
}

/// Waits for make, which ends soon if a signal asks us to stop. True if it built what it should.
static bool wait_for(pid_t pid, const char *folder, const char *config) {
  const bool terminal = isatty(STDERR_FILENO);
  int status;
  for (;;) {
    const pid_t ended = waitpid(pid, &status, terminal ? WNOHANG : 0);
    if (ended == pid || (ended < 0 && errno != EINTR)) break;
    if (stop_asked() != 0) kill(pid, SIGTERM);
    if (!terminal) continue;
    show_progress(folder, config);
    nanosleep(&(struct timespec){.tv_nsec = PROGRESS_MS * 1000000L}, NULL);
  }
  if (terminal) fprintf(stderr, "\r\033[K");
  return WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

/// The end of what make said, for the one who has to mend it.
static void show_end(FILE *said) {
  char text[TAIL + 1];
  fseek(said, 0, SEEK_END);
  const long len = ftell(said);
  fseek(said, len > TAIL ? len - TAIL : 0, SEEK_SET);
  text[fread(text, 1, TAIL, said)] = '\0';
  fputs(text, stderr);
}

static bool build(const char *folder, const char *config, const char *why, char *error, size_t size) {
  fprintf(stderr, "weir: device %s %s: building it, which can take some minutes\n", config, why);
  fflush(NULL);
  FILE *said = tmpfile();
  const pid_t pid = said != NULL ? fork() : -1;
  if (pid == 0) {
    run_make(folder, config, said);
    _exit(127);
  }
  const bool built = pid > 0 && wait_for(pid, folder, config);
  if (pid < 0)
    snprintf(error, size, "device %s cannot be built: %s", config, strerror(errno));
  else if (!built)
    snprintf(error, size, "device %s could not be built; make says why", config);
  if (pid > 0 && !built && stop_asked() == 0) show_end(said);
  if (said != NULL) fclose(said);
  return built;
}

// --- load ---

bool device_load(const char *name, bool waves, device_open_fn **open, char *error, size_t size) {
  char folder[PATH_MAX], project[PATH_MAX], path[PATH_MAX], config[NAME_MAX];
  snprintf(config, sizeof config, "%s%s", name, waves ? "-waves" : "");
  if (!find_folder(folder) || !path_of(path, folder, config, ".so")) {
    snprintf(error, size, "device %s: no folder of devices beside the program or in WEIR_DEVICES", config);
    return false;
  }
  void *library = dlopen(path, RTLD_NOW | RTLD_LOCAL | RTLD_NOLOAD);
  if (library == NULL && find_project(folder, project)) {
    const char *why = lacks(folder, config, project);
    if (why != NULL && !build(folder, config, why, error, size)) return false;
  } else if (library == NULL && access(path, F_OK) != 0) {
    snprintf(error, size, "device %s is not installed, and there is no source tree here to build it from", config);
    return false;
  }
  if (library == NULL) library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
  void *symbol = library != NULL ? dlsym(library, "weir_device_open") : NULL;
  if (symbol == NULL) {
    snprintf(error, size, "%s", dlerror());
    return false;
  }
  memcpy(open, &symbol, sizeof symbol);
  return true;
}
