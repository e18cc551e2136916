/*
 * A program is a model as the device runs it: a list of steps and, for each operand, where its
 * bytes are. Everything is checked and laid out when it is made, so that an execution checks only
 * its request (run.h). It is made from a model here, from another program in search.c, and from
 * cache files in artefact.c.
 */
#ifndef SAMPLE_PROGRAM_H
#define SAMPLE_PROGRAM_H

#include "driver_kit/idle_pool.h"
#include "lanes.h"
#include "operands.h"
#include "operations.h"

#define SAMPLE_NO_BLOCK UINT32_MAX

/* What an execution needs to know of an operand. Plain bytes without a pointer. */
struct sample_tensor {
    uint64_t bytes;  /* as a request has it; 0: no step uses it */
    uint64_t offset; /* in the scratch memory: intermediate tensors */
    int32_t lifetime;
    uint32_t rank;
    uint32_t dims[SAMPLE_MAX_RANK];
    uint32_t block; /* of a constant: its bytes; else SAMPLE_NO_BLOCK */
    int32_t type;
    float scale;
    int32_t zero_point;
    uint8_t is_bound;   /* a request gives its address */
    uint8_t is_read;    /* by a step */
    uint8_t is_needed;  /* by a step that reads it: a request cannot leave it out */
    uint8_t is_written; /* by a step */
    uint8_t layout;     /* that all steps which use it agree on, of memory of the device's own */
    uint8_t reserved[7];
};

/* The bytes of one constant. */
struct sample_block {
    const uint8_t *data;
    uint64_t length;
    uint8_t *own; /* where the program has to free them, else NULL */
};

struct sample_program {
    const struct hy_host *host;
    struct sample_step *steps;
    struct sample_tensor *tensors;
    uint32_t *arguments; /* operand indices: the inputs, then the outputs */
    struct sample_block *blocks;
    uint8_t *values; /* copy of the model's, whose own is gone after prepare; may be NULL */
    uint32_t step_count, tensor_count, input_count, output_count, block_count;
    uint64_t scratch_bytes;
    struct hy_idle_pool idle; /* working memory of executions: see run.c */
};

/* Lays out the main subgraph of `source->reader.model`, all of whose operations must be supported.
 * Constants in pools are used where they lie: pools outlive the prepared model. */
int32_t sample_program_make(struct sample_source *source, const struct hy_message *message,
                            struct sample_program **program);

/* An empty one with room for these counts; NULL: out of memory. */
struct sample_program *sample_program_create(const struct hy_host *host, uint32_t steps,
                                             uint32_t tensors, uint32_t arguments, uint32_t blocks);
void sample_program_destroy(struct sample_program *program); /* takes NULL */

#endif
