#ifndef HY_RUNTIME_ARGUMENT_H
#define HY_RUNTIME_ARGUMENT_H

#include "common/error.h"
#include "common/operations/shape.h"
#include "halyard/driver.h"

#include <stdbool.h>

struct hy_memory;
struct hy_operand_spec;

/* An argument from the app: a memory with an offset, or a buffer (NULL and 0: omitted). */
struct hy_argument_source {
    struct hy_memory *memory;
    void *buffer;
    uint64_t offset;
    uint64_t length;
};

/* An input or output of an execution: the current argument, or the argument of the previous run. */
struct hy_bound_argument {
    bool is_set;
    bool is_omitted;
    bool is_plain;         /* set without a type, to a buffer or to memory without a descriptor */
    bool was_padded;       /* padding was enabled by the app */
    struct hy_shape shape; /* known extents from model and app; 0 = unknown */
    struct hy_memory *memory; /* while set; NULL: `buffer` */
    bool counts_memory; /* holds a reference; false: an earlier argument with the same memory holds
                           it */
    uint64_t memory_id; /* 0: none */
    void *buffer;
    uint64_t offset;       /* in the memory */
    uint64_t given_length; /* data and padding */
    uint64_t length;       /* bytes of data, or capacity for an output of unknown shape */
    uint64_t padding;      /* accessible bytes behind the data */
};

/* True if setting the argument without a type gives the same argument as in the previous run. */
bool hy_argument_is_repeated(const struct hy_bound_argument *argument,
                             const struct hy_argument_source *source, bool padded);

/*
 * Checks a type against an operand and returns the merged shape. `type` may be NULL: as in the
 * model. Scale and zero point of `type` may differ from the operand. `complete`: all extents must
 * be known. Errors: BAD_DATA.
 */
HY_MUST_CHECK enum hy_code hy_argument_check_type(const struct hy_operand *operand,
                                                  const struct hy_operand_spec *type, bool complete,
                                                  struct hy_shape *ret, struct hy_error *err);

/*
 * Checks `length` bytes against the size of the shape and splits them into data and padding.
 * `padded`: the app has enabled padding. Errors: BAD_DATA.
 */
HY_MUST_CHECK enum hy_code hy_argument_check_length(const struct hy_operand *operand,
                                                    const struct hy_shape *shape, uint64_t length,
                                                    bool padded, struct hy_bound_argument *argument,
                                                    struct hy_error *err);

#endif
