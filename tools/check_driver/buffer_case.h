#ifndef HY_TOOLS_CHECK_DRIVER_BUFFER_CASE_H
#define HY_TOOLS_CHECK_DRIVER_BUFFER_CASE_H

#include "tools/check_driver/rules/check.h"

/* A buffer of the driver; zeroed without a buffer. */
struct hy_buffer {
    void *self;
    uint32_t token;
};

/* A role of a buffer: input or output number `index` of a sample's model. */
struct hy_buffer_use {
    uint32_t is_output;
    uint32_t index;
};

/* Makes a buffer for roles of one prepared model, or returns the driver's error. Any other fault of
 * the driver is a finding about `rule`. */
int32_t hy_buffer_make(struct hy_check *check, enum hy_rule rule, void *prepared,
                       const struct hy_buffer_use *uses, uint32_t count, struct hy_buffer *out);
void hy_buffer_finish(struct hy_check *check, struct hy_buffer *buffer);

/* Copies `size` bytes, through memory of kind `kind` and of exactly `size` bytes. */
int32_t hy_buffer_write(struct hy_check *check, const struct hy_buffer *buffer, uint32_t kind,
                        const void *bytes, size_t size);
int32_t hy_buffer_read(struct hy_check *check, const struct hy_buffer *buffer, uint32_t kind,
                       void *bytes, size_t size);

/* The pool of a buffer. */
struct hy_pool hy_buffer_pool(const struct hy_buffer *buffer);

/* ---- In requests ----------------------------------------------------------------------------- */

/* A sample with a request whose arguments may be buffers. */
struct hy_buffer_case {
    struct hy_check *check;
    enum hy_rule rule;
    struct hy_sample sample;
    struct hy_buffer input, output; /* for input 0 and output 0 */
    struct hy_location *shared;     /* location of each argument in the memory of the trial */
    struct hy_pool pools[8];        /* the trial's pools, followed by the pools of buffers */
};

/* Prepares a model with an input 0 and an output 0 of at least one byte, for which the driver makes
 * buffers. False: the model is not suitable, or a finding exists. The caller must finish the trial
 * in both cases. */
bool hy_buffer_case_make(struct hy_check *check, enum hy_rule rule, const struct hy_vector *vector,
                         struct hy_buffer_case *out);
void hy_buffer_case_finish(struct hy_buffer_case *test_case);

/* Replaces the memory of an argument by a buffer (arguments are the inputs, followed by the
 * outputs); or restores the shared memory of all arguments. */
void hy_buffer_case_put(struct hy_buffer_case *test_case, uint32_t argument,
                        const struct hy_buffer *buffer);
void hy_buffer_case_clear(struct hy_buffer_case *test_case);

/* Runs the current request. */
int32_t hy_buffer_case_run(struct hy_buffer_case *test_case);

/* Writes input 0 to its buffer. */
int32_t hy_buffer_case_fill(struct hy_buffer_case *test_case);

/* Reads output 0 from its buffer, and checks all results of an execution over both buffers.
 * `status` is the status of the execution. */
bool hy_buffer_case_is_correct(struct hy_buffer_case *test_case, int32_t status,
                               struct hy_error *reason);

/* Number of the argument of output 0. */
uint32_t hy_buffer_case_output(const struct hy_buffer_case *test_case);

/* Adds a finding: the model's name, and the text. */
void hy_buffer_case_report(const struct hy_buffer_case *test_case, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* Skips a rule if the device has no buffers; else runs the check for each sample. */
void hy_for_each_buffer_case(struct hy_check *check, enum hy_rule rule,
                             void (*run)(struct hy_buffer_case *test_case));

#endif
