#ifndef HY_RUNTIME_ARGUMENT_H
#define HY_RUNTIME_ARGUMENT_H

#include "common/error.h"
#include "common/operations/shape.h"
#include "halyard/driver.h"

#include <stdbool.h>

struct hy_memory;
struct hy_operand_spec;

/* An argument as the app gives it: memory with offset, or a buffer (NULL and 0: omitted). */
struct hy_argument_source {
    struct hy_memory *memory;
    void *buffer;
    uint64_t offset;
    uint64_t length;
};

/* An input or output of an execution as the app has set it, or has set it the time before. */
struct hy_bound_argument {
    bool is_set;
    bool is_omitted;
    bool is_plain; /* set without a type, to a buffer or to memory that is not from a descriptor */
    bool was_padded;          /* the app had switched padding on */
    struct hy_shape shape;    /* as far as known from model and app; 0 = unknown */
    struct hy_memory *memory; /* while it is set; or NULL: `buffer` */
    bool counts_memory;       /* else the argument before does, which lies in the same */
    uint64_t memory_id;       /* 0: none */
    void *buffer;
    uint64_t offset;       /* inside the memory */
    uint64_t given_length; /* data and padding */
    uint64_t length;       /* bytes of data, or the room for an output of unknown shape */
    uint64_t padding;      /* bytes behind them that may be touched */
};

/* Whether setting the argument to this, without a type, comes out as it did the time before. */
bool hy_argument_is_repeated(const struct hy_bound_argument *argument,
                             const struct hy_argument_source *source, bool padded);

/*
 * Checks a type against an operand and gives the shape that both say together. `type` may be NULL:
 * as in the model; its scale and zero point need not be the operand's. `complete`: nothing may stay
 * unknown. Errors: BAD_DATA.
 */
HY_MUST_CHECK enum hy_code hy_argument_check_type(const struct hy_operand *operand,
                                                  const struct hy_operand_spec *type, bool complete,
                                                  struct hy_shape *ret, struct hy_error *err);

/*
 * Checks `length` bytes against what the shape needs and splits them into data and padding.
 * `padded`: the app has switched padding on. Errors: BAD_DATA.
 */
HY_MUST_CHECK enum hy_code hy_argument_check_length(const struct hy_operand *operand,
                                                    const struct hy_shape *shape, uint64_t length,
                                                    bool padded, struct hy_bound_argument *argument,
                                                    struct hy_error *err);

#endif
