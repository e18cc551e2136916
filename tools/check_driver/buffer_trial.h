#ifndef HY_TOOLS_CHECK_DRIVER_BUFFER_TRIAL_H
#define HY_TOOLS_CHECK_DRIVER_BUFFER_TRIAL_H

#include "tools/check_driver/rules/check.h"

/* A buffer of the driver's; zeroed where there is none. */
struct hy_buffer {
    void *self;
    uint32_t token;
};

/* What a buffer can stand for: input or output number `index` of a sample's model. */
struct hy_buffer_use {
    uint32_t is_output;
    uint32_t index;
};

/* Makes a buffer for uses of one prepared model, or says why not. What the driver does wrong beside
 * is a finding about `rule`. */
int32_t hy_buffer_make(struct hy_check *check, enum hy_rule rule, void *prepared,
                       const struct hy_buffer_use *uses, uint32_t count, struct hy_buffer *out);
void hy_buffer_finish(struct hy_check *check, struct hy_buffer *buffer);

/* Copies `size` bytes, in memory of this kind of just that size. */
int32_t hy_buffer_write(struct hy_check *check, const struct hy_buffer *buffer, uint32_t kind,
                        const void *bytes, size_t size);
int32_t hy_buffer_read(struct hy_check *check, const struct hy_buffer *buffer, uint32_t kind,
                       void *bytes, size_t size);

/* The pool of a buffer. */
struct hy_pool hy_buffer_pool(const struct hy_buffer *buffer);

/* ---- In requests ----------------------------------------------------------------------------- */

/* A sample whose request can have buffers in the places of arguments. */
struct hy_buffer_trial {
    struct hy_check *check;
    enum hy_rule rule;
    struct hy_sample sample;
    struct hy_buffer input, output; /* for input 0 and output 0 */
    struct hy_location *shared;     /* of each argument, in the memory of the trial */
    struct hy_pool pools[8];        /* the trial's, then those of buffers */
};

/* Takes a model that has an input 0 and an output 0 of some bytes, for which the driver makes
 * buffers. False: it is none, or there is a finding. Finish it in any case. */
bool hy_buffer_trial_make(struct hy_check *check, enum hy_rule rule, const struct hy_vector *vector,
                          struct hy_buffer_trial *out);
void hy_buffer_trial_finish(struct hy_buffer_trial *trial);

/* Puts a buffer in the place of an argument (the inputs, then the outputs), or the shared memory
 * back in all places. */
void hy_buffer_trial_put(struct hy_buffer_trial *trial, uint32_t argument,
                         const struct hy_buffer *buffer);
void hy_buffer_trial_clear(struct hy_buffer_trial *trial);

/* Runs the request as it is. */
int32_t hy_buffer_trial_run(struct hy_buffer_trial *trial);

/* Writes input 0 to its buffer. */
int32_t hy_buffer_trial_fill(struct hy_buffer_trial *trial);

/* Reads output 0 from its buffer, and judges that and all else that an execution over both buffers
 * has left. The status is that of the execution. */
bool hy_buffer_trial_is_right(struct hy_buffer_trial *trial, int32_t status,
                              struct hy_error *words);

/* Number of the argument of output 0. */
uint32_t hy_buffer_trial_output(const struct hy_buffer_trial *trial);

/* A finding: the model's name, and the words. */
void hy_buffer_trial_find(const struct hy_buffer_trial *trial, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* Skips a rule where the device has no buffers; else runs the check for each sample. */
void hy_for_each_buffer_trial(struct hy_check *check, enum hy_rule rule,
                              void (*run)(struct hy_buffer_trial *trial));

#endif
