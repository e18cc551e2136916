#ifndef HY_BENCH_CHILD_RUN_H
#define HY_BENCH_CHILD_RUN_H

#include <stddef.h>
#include <stdint.h>

#include "common/error.h"
#include "libhalyard/tflite/tflite_model.h"

/*
 * A network runs in a child process, because a process reads its environment once. The parent must
 * not call the API before, and gets the outputs through shared memory.
 */
enum {
    HY_CHILD_OUTPUTS = 16,       /* of a network, at most */
    HY_CHILD_BYTES = 64u << 20u, /* of all outputs together, at most */
};

struct hy_child_output {
    enum hy_tflite_type type;
    size_t offset; /* in `bytes` */
    size_t length;
};

struct hy_child_run {
    uint32_t output_count;
    struct hy_child_output outputs[HY_CHILD_OUTPUTS];
    size_t length; /* of the outputs together */
    struct hy_error err;
    unsigned char bytes[HY_CHILD_BYTES];
};

struct hy_child_course {
    const char *device; /* NULL: the planner chooses */
    uint32_t runs;      /* >= 1; all have to give the same bytes */
    /* Names and values, `variable_count` of each: what the child adds to its environment. */
    const char *const *names;
    const char *const *values;
    uint32_t variable_count;
};

/* Memory that parent and child share, or NULL. Pages that nothing is written to cost nothing. */
struct hy_child_run *hy_child_run_create(void);
void hy_child_run_destroy(struct hy_child_run *run); /* takes NULL */

/* Inputs are those of hy_inference_fill_inputs. HY_FAILED where the child ends, too, or where two
 * runs give different bytes. */
HY_MUST_CHECK enum hy_code hy_child_run_network(struct hy_child_run *run, const char *path,
                                                const struct hy_child_course *course,
                                                struct hy_error *err);

#endif
