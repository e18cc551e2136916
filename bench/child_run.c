#include "bench/child_run.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "bench/inference.h"

struct hy_child_run *hy_child_run_create(void)
{
    void *run = mmap(NULL, sizeof(struct hy_child_run), PROT_READ | PROT_WRITE,
                     MAP_SHARED | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    return run != MAP_FAILED ? run : NULL;
}

void hy_child_run_destroy(struct hy_child_run *run)
{
    if (run)
        munmap(run, sizeof *run);
}

/* ---- In the child ---------------------------------------------------------------------------- */

static enum hy_code save_outputs(struct hy_child_run *run, const struct hy_inference *inference,
                                 struct hy_error *err)
{
    run->output_count = hy_inference_output_count(inference);
    run->length = 0;
    if (run->output_count > HY_CHILD_OUTPUTS)
        return hy_fail(err, HY_BAD_DATA, "%u outputs, at most %d", run->output_count,
                       HY_CHILD_OUTPUTS);
    for (uint32_t i = 0; i < run->output_count; i++) {
        const size_t length = hy_inference_output_bytes(inference, i);
        if (length > HY_CHILD_BYTES - run->length)
            return hy_fail(err, HY_BAD_DATA, "output %u: no room for %zu bytes", i, length);
        run->outputs[i] = (struct hy_child_output){hy_inference_output_tensor(inference, i)->type,
                                                   run->length, length};
        memcpy(run->bytes + run->length, hy_inference_output(inference, i), length);
        run->length += length;
    }
    return HY_OK;
}

static enum hy_code check_outputs(const struct hy_child_run *run,
                                  const struct hy_inference *inference, uint32_t number,
                                  struct hy_error *err)
{
    for (uint32_t i = 0; i < run->output_count; i++)
        if (memcmp(run->bytes + run->outputs[i].offset, hy_inference_output(inference, i),
                   run->outputs[i].length) != 0)
            return hy_fail(err, HY_FAILED, "output %u of run %u is not that of run 0", i, number);
    return HY_OK;
}

static enum hy_code run_network(struct hy_child_run *run, const char *path,
                                const struct hy_child_course *course, struct hy_error *err)
{
    const struct hy_inference_options options = {.device = course->device};
    struct hy_inference *inference = NULL;

    for (uint32_t i = 0; i < course->variable_count; i++)
        setenv(course->names[i], course->values[i], 1);
    enum hy_code code = hy_inference_open(path, &options, &inference, err);
    if (code == HY_OK)
        hy_inference_fill_inputs(inference);
    for (uint32_t i = 0; code == HY_OK && i < course->runs; i++) {
        code = hy_inference_run(inference, HY_INFERENCE_REUSED, err);
        if (code == HY_OK)
            code =
                i == 0 ? save_outputs(run, inference, err) : check_outputs(run, inference, i, err);
    }
    hy_inference_destroy(inference);
    return code;
}

/* ---- In the parent --------------------------------------------------------------------------- */

enum hy_code hy_child_run_network(struct hy_child_run *run, const char *path,
                                  const struct hy_child_course *course, struct hy_error *err)
{
    int status = 0;

    fflush(stdout);
    run->err = (struct hy_error){.code = HY_OK};
    const pid_t child = fork();
    if (child == 0)
        _exit(run_network(run, path, course, &run->err) != HY_OK);
    if (child < 0 || waitpid(child, &status, 0) != child)
        return hy_fail(err, HY_FAILED, "%s: no process", path);
    if (!WIFEXITED(status))
        return hy_fail(err, HY_FAILED, "%s: the process died of signal %d", path, WTERMSIG(status));
    return WEXITSTATUS(status) == 0 ? HY_OK
                                    : hy_fail(err, HY_FAILED, "%s: %s", path, run->err.text);
}
