#ifndef HY_TOOLS_CHECK_DRIVER_TRIAL_H
#define HY_TOOLS_CHECK_DRIVER_TRIAL_H

#include "tools/check_driver/memory.h"
#include "tools/vectors/vector.h"

/* How the memory of a request is made. */
struct hy_trial_form {
    uint32_t kind;         /* HY_POOL_* of both pools */
    uint32_t shift;        /* bytes that every tensor lies beside its alignment */
    uint32_t shortened;    /* bytes that every output is too short by */
    int has_shapes;        /* the request repeats the model's shapes, outputs with an open extent */
    int has_frozen_inputs; /* writing to them ends the process */
};

/*
 * One execution of a test: pool 0 has the inputs, pool 1 the outputs, with watched bytes around
 * each. All of the request may be changed before it is run.
 */
struct hy_trial {
    const struct hy_vector *vector;
    const struct hy_vector_example *example;
    struct hy_trial_form form;
    uint32_t input_count, output_count;
    struct hy_memory memory[2];
    struct hy_pool pools[2];
    struct hy_argument *arguments; /* inputs, then outputs */
    struct hy_output_shape *shapes;
    uint32_t *open_dims; /* zeros, for outputs of any rank */
    struct hy_request request;
    struct hy_run_options options;
    struct hy_result result;
    char words[256]; /* of the driver, behind a failure */
};

/* What is wrong with an execution. */
enum hy_trial_fault {
    HY_TRIAL_GOOD,
    HY_TRIAL_STATUS,  /* it failed */
    HY_TRIAL_SHAPE,   /* an output's shape is missing or wrong */
    HY_TRIAL_VALUES,  /* an output's values are wrong */
    HY_TRIAL_OUTSIDE, /* bytes beside the outputs changed */
    HY_TRIAL_INPUTS,  /* bytes of the inputs changed */
};

/* Takes a zeroed trial; finish it in any case. */
HY_MUST_CHECK enum hy_code hy_trial_make(const struct hy_vector *vector,
                                         const struct hy_trial_form *form, struct hy_trial *out,
                                         struct hy_error *err);
void hy_trial_finish(struct hy_trial *trial);

/* Moves the memory of a pool, which keeps its id: see hy_memory_move. */
HY_MUST_CHECK enum hy_code hy_trial_move(struct hy_trial *trial, uint32_t pool,
                                         struct hy_error *err);

/* Puts the inputs back, and `fill` into every byte of the outputs. */
void hy_trial_reset(struct hy_trial *trial, uint8_t fill);

/* The bytes of an output. */
const uint8_t *hy_trial_output(const struct hy_trial *trial, uint32_t index);

/* Judges what an execution with this status left; `words` say what is wrong. */
enum hy_trial_fault hy_trial_judge(const struct hy_trial *trial, int32_t status,
                                   struct hy_error *words);

/* Whether what was told of the outputs is true: shape, and whether the room was enough. */
enum hy_trial_fault hy_trial_judge_shapes(const struct hy_trial *trial, struct hy_error *words);

/* Whether nothing but the outputs was written. */
enum hy_trial_fault hy_trial_judge_memory(const struct hy_trial *trial, struct hy_error *words);

/* "INVALID_ARGUMENT (4)", for one that does not exist "unknown (77)". In a buffer of the thread,
 * good until the third call after it. */
const char *hy_status_text(int32_t status);

#endif
