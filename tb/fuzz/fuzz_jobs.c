// Any bytes, read as a file that names jobs, and as jobs on the command line: what is taken is a list of rings.

#include "fuzz/fuzz.h"
#include "sim/engine/jobs.h"
#include "wire/roce.h"

static void check(const struct jobs *jobs) {
  unsigned most = 0;
  fuzz_must(jobs->count >= 1 && jobs->count <= JOBS_MOST, "there are 1 to 32 jobs");
  for (unsigned i = 0; i < jobs->count; i++) {
    const struct job *job = &jobs->list[i];
    fuzz_must(job->ranks >= 2 && job->ranks <= JOBS_MOST_HOSTS, "a job has 2 to 16 hosts");
    fuzz_must(job->tensor >= 1 && job->tensor <= JOBS_MOST_BYTES, "a tensor has 1 byte to 4 GB");
    fuzz_must(ina_element_size(job->kind) != 0, "type and operation are known");
    for (unsigned rank = 0; rank < job->ranks; rank++) {
      fuzz_must(job_rank(job, job->hosts[rank]) == (int)rank, "no host is in a job twice");
      if (job->hosts[rank] > most) most = job->hosts[rank];
    }
  }
  fuzz_must(jobs->hosts == most + 1 && jobs->hosts <= JOBS_MOST_HOSTS, "all hosts are counted");
}

static void read_one(const char *text) {
  const struct job standard = {.kind = INA_FP32, .tensor = 1};
  struct jobs jobs;
  char error[256] = "";
  if (jobs_read(&jobs, text, &standard, error, sizeof error) == 0)
    check(&jobs);
  else
    fuzz_is_text(error);
}

static bool are_jobs(const char *text) { return text[0] == '[' || text[0] == '{'; }

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  fuzz_file_or_text(data, size, read_one, are_jobs);
  return 0;
}
