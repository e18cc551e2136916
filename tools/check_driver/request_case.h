#ifndef HY_TOOLS_CHECK_DRIVER_REQUEST_CASE_H
#define HY_TOOLS_CHECK_DRIVER_REQUEST_CASE_H

#include "tools/check_driver/guarded_memory.h"
#include "tools/vectors/vector.h"

/* The memory of a request. */
struct hy_request_case_form {
    uint32_t kind;      /* HY_POOL_* of both pools */
    uint32_t shift;     /* bytes by which every tensor misses its alignment */
    uint32_t shortened; /* bytes by which every output is too short */
    /* the request repeats the model's shapes, for outputs with an open extent */
    int has_shapes;
    int has_frozen_inputs; /* writing to inputs ends the process */
};

/*
 * One execution of a test: pool 0 has the inputs, pool 1 the outputs, with watched bytes around
 * each. A check may change all of the request before running it.
 */
struct hy_request_case {
    const struct hy_vector *vector;
    const struct hy_vector_example *example;
    struct hy_request_case_form form;
    uint32_t input_count, output_count;
    struct hy_memory memory[2];
    struct hy_pool pools[2];
    struct hy_argument *arguments; /* inputs, then outputs */
    struct hy_output_shape *shapes;
    uint32_t *open_dims; /* zeros, for outputs of any rank */
    struct hy_request request;
    struct hy_run_options options;
    struct hy_result result;
    char text[256]; /* the driver's text for a failure */
};

/* The fault of an execution. */
enum hy_request_case_fault {
    HY_REQUEST_CASE_OK,
    HY_REQUEST_CASE_STATUS,  /* the execution failed */
    HY_REQUEST_CASE_SHAPE,   /* an output's shape is missing or wrong */
    HY_REQUEST_CASE_VALUES,  /* an output's values are wrong */
    HY_REQUEST_CASE_OUTSIDE, /* bytes outside the outputs changed */
    HY_REQUEST_CASE_INPUTS,  /* bytes of the inputs changed */
};

/* Fills a zeroed trial, which the caller must finish also after a failure. */
HY_MUST_CHECK enum hy_code hy_request_case_make(const struct hy_vector *vector,
                                                const struct hy_request_case_form *form,
                                                struct hy_request_case *out, struct hy_error *err);
void hy_request_case_finish(struct hy_request_case *test_case);

/* Moves the memory of a pool, whose id stays the same: see hy_memory_move. */
HY_MUST_CHECK enum hy_code hy_request_case_move(struct hy_request_case *test_case, uint32_t pool,
                                                struct hy_error *err);

/* Restores the inputs, and fills every byte of the outputs with `fill`. */
void hy_request_case_reset(struct hy_request_case *test_case, uint8_t fill);

/* The bytes of an output. */
const uint8_t *hy_request_case_output(const struct hy_request_case *test_case, uint32_t index);

/* Checks the results of an execution with this status; `text` describes the fault. */
enum hy_request_case_fault hy_request_case_check(const struct hy_request_case *test_case,
                                                 int32_t status, struct hy_error *reason);

/* Checks the reported output shapes, and the report of insufficient buffers. */
enum hy_request_case_fault hy_request_case_check_shapes(const struct hy_request_case *test_case,
                                                        struct hy_error *reason);

/* Checks that only the outputs were written. */
enum hy_request_case_fault hy_request_case_check_memory(const struct hy_request_case *test_case,
                                                        struct hy_error *reason);

/* "INVALID_ARGUMENT (4)"; "unknown (77)" for an unknown number. The text lies in a buffer of the
 * thread, valid for two more calls. */
const char *hy_status_text(int32_t status);

#endif
