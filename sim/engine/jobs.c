#include "sim/engine/jobs.h"

#include <jansson.h>
#include <string.h>

#include "base/text.h"
#include "sim/engine/tree/json_file.h"
#include "wire/roce.h"

void jobs_alike(struct jobs *jobs, unsigned count, unsigned hosts, uint8_t kind, size_t tensor) {
  *jobs = (struct jobs){.count = count, .hosts = hosts};
  for (unsigned i = 0; i < count; i++) {
    jobs->list[i] = (struct job){.ranks = hosts, .kind = kind, .tensor = tensor};
    for (unsigned host = 0; host < hosts; host++) jobs->list[i].hosts[host] = (uint8_t)host;
  }
}

// --- reading ---

/// What is wrong, for one line, and which job it is about; 0: the whole.
struct jobs_fault {
  char *text;
  size_t size;
  unsigned job;
};

static int fail(const struct jobs_fault *f, const char *text) {
  if (f->job > 0)
    snprintf(f->text, f->size, "job %u: %s", f->job, text);
  else
    snprintf(f->text, f->size, "%s", text);
  text_make_printable(f->text);
  return -1;
}

static int read_hosts(struct job *job, const json_t *hosts, const struct jobs_fault *f) {
  char text[80];
  if (!json_is_array(hosts)) return fail(f, "\"hosts\" must be a list of numbers, [0, 1, ..]");
  if (json_array_size(hosts) < 2) return fail(f, "fewer than 2 hosts");
  job->ranks = 0;
  for (size_t i = 0; i < json_array_size(hosts); i++) {
    const json_t *host = json_array_get(hosts, i);
    const json_int_t number = json_integer_value(host);
    if (!json_is_integer(host) || number < 0 || number >= JOBS_MOST_HOSTS) return fail(f, "a host must be a number, 0 to 15");
    snprintf(text, sizeof text, "host %d is named twice", (int)number);
    if (job_rank(job, (unsigned)number) >= 0) return fail(f, text);
    job->hosts[job->ranks++] = (uint8_t)number;
  }
  return 0;
}

/// Index in `names`, or -1.
static int read_name(const json_t *value, const char *const *names) {
  const char *text = json_string_value(value);
  for (int i = 0; text != NULL && names[i] != NULL; i++)
    if (strcmp(names[i], text) == 0) return i;
  return -1;
}

static int read_type(struct job *job, const json_t *value, const struct jobs_fault *f) {
  const int type = read_name(value, ina_types);
  if (type < 0) return fail(f, "\"type\" must be \"fp32\", \"fp16\", \"bf16\" or \"int32\"");
  job->kind = (uint8_t)((job->kind & 0xF0) | type);
  return 0;
}

static int read_op(struct job *job, const json_t *value, const struct jobs_fault *f) {
  const int op = read_name(value, ina_ops);
  if (op < 0) return fail(f, "\"op\" must be \"sum\", \"min\" or \"max\"");
  job->kind = (uint8_t)((job->kind & 0x0F) | op << 4);
  return 0;
}

static int read_tensor(struct job *job, const json_t *value, const struct jobs_fault *f) {
  const json_int_t number = json_integer_value(value);
  uint64_t bytes = number > 0 && (uint64_t)number <= JOBS_MOST_BYTES ? (uint64_t)number : 0;
  if (json_is_string(value) && !text_bytes(json_string_value(value), 1, JOBS_MOST_BYTES, &bytes)) bytes = 0;
  if (bytes == 0) return fail(f, "\"tensor\" must be a number of bytes, 1 to 4096M");
  job->tensor = bytes;
  return 0;
}

static int read_job(struct job *job, json_t *json, const struct jobs_fault *f) {
  static const struct {
    const char *name;
    int (*read)(struct job *job, const json_t *value, const struct jobs_fault *f);
  } members[] = {{"hosts", read_hosts}, {"type", read_type}, {"op", read_op}, {"tensor", read_tensor}};
  enum { MEMBERS = sizeof members / sizeof *members };
  const char *name;
  json_t *value;
  if (!json_is_object(json)) return fail(f, "must be {\"hosts\": [..], ..}");
  if (json_object_get(json, "hosts") == NULL) return fail(f, "\"hosts\" is missing");
  json_object_foreach(json, name, value) {
    size_t m = 0;
    while (m < MEMBERS && strcmp(name, members[m].name) != 0) m++;
    if (m == MEMBERS) {
      char text[120];
      snprintf(text, sizeof text, "unknown member \"%.60s\"; there are hosts, type, op and tensor", name);
      return fail(f, text);
    }
    if (members[m].read(job, value, f) != 0) return -1;
  }
  return 0;
}

static int read_list(struct jobs *jobs, const json_t *json, const struct job *standard, struct jobs_fault *f) {
  if (!json_is_array(json)) return fail(f, "must be a list of jobs, [{\"hosts\": [0, 1]}, ..]");
  if (json_array_size(json) < 1) return fail(f, "no job");
  if (json_array_size(json) > JOBS_MOST) return fail(f, "more than 32 jobs");
  for (unsigned i = 0; i < json_array_size(json); i++) {
    struct job *job = &jobs->list[jobs->count++];
    *job = *standard;
    f->job = i + 1;
    if (read_job(job, json_array_get(json, i), f) != 0) return -1;
    for (unsigned rank = 0; rank < job->ranks; rank++)
      if (job->hosts[rank] >= jobs->hosts) jobs->hosts = job->hosts[rank] + 1u;
  }
  return 0;
}

int jobs_read(struct jobs *jobs, const char *text, const struct job *standard, char *error, size_t size) {
  struct jobs_fault f = {error, size, 0};
  const size_t flags = JSON_REJECT_DUPLICATES | JSON_DECODE_ANY;
  json_error_t wrong;
  memset(jobs, 0, sizeof *jobs);
  json_t *json = *text == '[' || *text == '{' ? json_loads(text, flags, &wrong) : json_file_read(text, flags, &wrong);
  if (json == NULL) {
    char line[sizeof wrong.text + 32];
    snprintf(line, sizeof line, "line %d: %s", wrong.line, wrong.text);
    return fail(&f, wrong.line > 0 ? line : wrong.text);
  }
  const int code = read_list(jobs, json, standard, &f);
  json_decref(json);
  return code;
}

// --- looking at them ---

bool jobs_whole(const struct jobs *jobs, unsigned *index) {
  for (*index = 0; *index < jobs->count; (*index)++)
    if (jobs->list[*index].tensor % ina_element_size(jobs->list[*index].kind) != 0) return false;
  return true;
}

int job_rank(const struct job *job, unsigned host) {
  for (unsigned rank = 0; rank < job->ranks; rank++)
    if (job->hosts[rank] == host) return (int)rank;
  return -1;
}

void job_print(FILE *file, const struct job *job) {
  fprintf(file, "%s %s of %zu bytes on hosts", ina_ops[job->kind >> 4], ina_types[job->kind & 15], job->tensor);
  for (unsigned rank = 0, end; rank < job->ranks; rank = end) {
    end = rank + 1;
    while (end < job->ranks && job->hosts[end] == job->hosts[end - 1] + 1) end++;
    fprintf(file, "%s %u", rank > 0 ? "," : "", job->hosts[rank]);
    if (end > rank + 1) fprintf(file, "-%u", job->hosts[end - 1]);
  }
}
