/*
 * A program is a model as the device runs it: a list of steps and, for each operand, where its
 * bytes are. Everything is checked and laid out when it is made, so that an execution checks only
 * its request (run.h). It is made from a model here, from another program in search.c, and from
 * cache files in artefact.c.
 */
#ifndef SAMPLE_PROGRAM_H
#define SAMPLE_PROGRAM_H

#include "driver_kit/idle_memory.h"
#include "driver_kit/quota_arena.h"
#include "operations.h"

#define SAMPLE_NO_CONSTANT UINT32_MAX

/* What an execution needs to know of an operand. Plain bytes without a pointer. */
struct sample_tensor {
    uint64_t bytes;  /* as a request has it; 0: no step uses it */
    uint64_t offset; /* in the scratch memory: intermediate tensors */
    int32_t lifetime;
    uint32_t rank;
    uint32_t dims[SAMPLE_MAX_RANK];
    uint32_t constant; /* the number of its bytes, or SAMPLE_NO_CONSTANT */
    int32_t type;
    float scale;
    int32_t zero_point;
    uint32_t readers;   /* inputs of steps that it is */
    uint8_t is_bound;   /* a request gives its address */
    uint8_t is_needed;  /* by a step that reads it: a request cannot leave it out */
    uint8_t is_written; /* by a step */
    uint8_t layout;     /* that all steps which use it agree on, of memory of the device's own */
};

struct sample_program {
    const struct hy_host *host;
    struct hy_quota_arena memory; /* of the arrays, and of constants of the program's own */
    struct sample_step *steps;
    struct sample_tensor *tensors;
    uint32_t *arguments; /* operand indices: the inputs, then the outputs */
    struct hy_bytes *constants;
    uint32_t step_count, tensor_count, input_count, output_count, constant_count;
    uint64_t scratch_bytes;
    struct hy_idle_memory idle; /* working memory of executions: see run.c */
};

/* Lays out the main subgraph of `source->reader.model`, all of whose operations must be supported.
 * Constants in pools are used where they lie: pools outlive the prepared model. */
int32_t sample_program_make(struct sample_source *source, const struct hy_message *message,
                            struct sample_program **program);

/* A program with the arrays of another, copied, with room for `spare` more tensors and constants.
 * The bytes of the constants stay where they are; without an array of constants there are as many
 * empty ones. NULL: out of memory. */
struct sample_program *sample_program_copy(const struct sample_program *other, uint32_t spare);
void sample_program_destroy(struct sample_program *program); /* takes NULL */

#endif
