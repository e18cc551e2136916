/*
 * A program is a model ready to run: a list of steps, and the location of the bytes of each
 * operand. A program is checked and laid out when created, so an execution only checks its request
 * (sample_run.h). Programs are created from a model (this file), from another program (search.c) or
 * from cache files (artefact.c).
 */
#ifndef SAMPLE_PROGRAM_H
#define SAMPLE_PROGRAM_H

#include "driver_kit/idle_memory.h"
#include "driver_kit/quota_arena.h"
#include "operations.h"

#define SAMPLE_NO_CONSTANT UINT32_MAX

/* Properties of an operand. A tensor has no pointers, so cache files can store tensors as they are
 * in memory. */
struct sample_tensor {
    uint64_t bytes;  /* size in a request; 0: no step uses the tensor */
    uint64_t offset; /* in the scratch memory, for intermediate tensors */
    int32_t lifetime;
    uint32_t rank;
    uint32_t dims[SAMPLE_MAX_RANK];
    uint32_t constant; /* index of the constant, or SAMPLE_NO_CONSTANT */
    int32_t type;
    float scale;
    int32_t zero_point;
    uint32_t readers;   /* number of step inputs that read the tensor */
    uint8_t is_bound;   /* bound to an address by each request */
    uint8_t is_needed;  /* a step needs the tensor: requests cannot omit it */
    uint8_t is_written; /* by a step */
    uint8_t layout;     /* SAMPLE_ROWS or SAMPLE_COLUMNS, in device memory */
};

struct sample_program {
    const struct hy_host *host;
    struct hy_quota_arena memory; /* memory of the arrays, and of constants owned by the program */
    struct sample_step *steps;
    struct sample_tensor *tensors;
    uint32_t *arguments; /* operand indices: inputs first, then outputs */
    struct hy_bytes *constants;
    uint32_t step_count, tensor_count, input_count, output_count, constant_count;
    uint64_t scratch_bytes;
    struct hy_idle_memory idle; /* working memory of executions, see sample_run.c */
};

/* Creates a program from the main subgraph of `source->reader.model`; all operations must be
 * supported. Constants in pools are not copied: pools outlive the prepared model. */
int32_t sample_program_make(struct sample_source *source, const struct hy_message *message,
                            struct sample_program **program);

/* Creates a program with copies of the arrays of `other`, with capacity for `spare` more tensors
 * and constants. The bytes of constants are not copied. If `other` has no array of constants, the
 * copy has as many empty constants. NULL: out of memory. */
struct sample_program *sample_program_copy(const struct sample_program *other, uint32_t extra);
void sample_program_destroy(struct sample_program *program); /* NULL is ignored */

#endif
