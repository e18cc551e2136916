#ifndef HY_BENCH_CHILD_RUN_H
#define HY_BENCH_CHILD_RUN_H

#include <stddef.h>
#include <stdint.h>

#include "common/error.h"
#include "libhalyard/tflite/tflite_model.h"

/*
 * Runs a network in a child process, because a process reads its environment only once. The parent
 * must not call the API before, and gets the outputs through shared memory.
 */
enum {
    HY_CHILD_OUTPUTS = 16,       /* outputs of a network, at most */
    HY_CHILD_BYTES = 64u << 20u, /* bytes of all outputs together, at most */
};

struct hy_child_output {
    enum hy_tflite_type type;
    size_t offset; /* in bytes, from the start of `bytes` */
    size_t length;
};

struct hy_child_run {
    uint32_t output_count;
    struct hy_child_output outputs[HY_CHILD_OUTPUTS];
    size_t length; /* bytes of the outputs together */
    struct hy_error err;
    unsigned char bytes[HY_CHILD_BYTES];
};

struct hy_child_course {
    const char *device; /* NULL: the planner chooses */
    uint32_t runs;      /* at least 1; all runs must give the same bytes */
    /* Variables that the child adds to its environment: `variable_count` names and values. */
    const char *const *names;
    const char *const *values;
    uint32_t variable_count;
};

/* Memory shared by parent and child, or NULL. Untouched pages use no memory. */
struct hy_child_run *hy_child_run_create(void);
/* NULL is ignored. */
void hy_child_run_destroy(struct hy_child_run *run);

/* Inputs are the inputs of hy_inference_fill_inputs. HY_FAILED also if the child dies, or if two
 * runs give different bytes. */
HY_MUST_CHECK enum hy_code hy_child_run_network(struct hy_child_run *run, const char *path,
                                                const struct hy_child_course *course,
                                                struct hy_error *err);

#endif
