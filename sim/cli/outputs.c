#include "sim/cli/outputs.h"

#include <errno.h>
#include <string.h>

#include "base/target.h"
#include "sim/cli/usage.h"

/// Opens what one file grows in, if it has a path.
static int open_one(const struct outputs *o, const char *path, bool must_seek, struct target **target) {
  struct file_error error;
  if (path == NULL) return 0;
  *target = target_open(path, must_seek, error.text, sizeof error.text);
  return *target != NULL ? 0 : usage_refuse(o->command, "%s", error.text);
}

int outputs_open(struct outputs *o, unsigned interfaces) {
  struct file_error error;
  if (o->out != NULL) {
    o->writer = capture_writer_open(o->out, interfaces, &error);
    if (o->writer == NULL) return usage_refuse(o->command, "%s", error.text);
  }
  int code = open_one(o, o->json, false, &o->json_target);
  if (code == 0) code = open_one(o, o->report, false, &o->report_target);
  if (code == 0) code = open_one(o, o->csv, false, &o->csv_target);
  if (code == 0) code = open_one(o, o->wave, true, &o->wave_target);
  return code;
}

const char *outputs_wave(const struct outputs *o) { return o->wave_target != NULL ? target_temporary(o->wave_target) : NULL; }

const char *outputs_csv(const struct outputs *o) { return o->csv_target != NULL ? target_temporary(o->csv_target) : NULL; }

static int write_one(const struct outputs *o, const struct target *target, const char *path, outputs_writer *write,
                     const void *report) {
  if (target == NULL) return 0;
  FILE *file = fopen(target_temporary(target), "w");
  int result = file == NULL ? -1 : write(file, report);
  if (file != NULL && fclose(file) != 0) result = -1;
  return result == 0 ? 0 : usage_refuse(o->command, "%s: cannot write: %s", path, strerror(errno));
}

int outputs_write(const struct outputs *o, outputs_writer *json, outputs_writer *page, const void *report) {
  const int code = write_one(o, o->json_target, o->json, json, report);
  return code != 0 ? code : write_one(o, o->report_target, o->report, page, report);
}

int outputs_close(struct outputs *o, bool keep) {
  struct target *targets[] = {NULL, o->json_target, o->report_target, o->csv_target, o->wave_target};
  struct file_error error;
  int code = 0;
  if (o->writer != NULL && keep) {
    targets[0] = capture_writer_finish(o->writer, &error);
    if (targets[0] == NULL) code = usage_refuse(o->command, "%s", error.text);
  } else if (o->writer != NULL) {
    capture_writer_close(o->writer, false, &error);
  }
  if (target_close_all(targets, sizeof targets / sizeof *targets, keep && code == 0, error.text, sizeof error.text) != 0)
    code = usage_refuse(o->command, "%s", error.text);
  o->writer = NULL;
  o->json_target = o->report_target = o->csv_target = o->wave_target = NULL;
  return code;
}
