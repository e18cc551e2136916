#ifndef HY_COMMON_SIGNATURE_ROWS_H
#define HY_COMMON_SIGNATURE_ROWS_H

#include "common/operation.h"

#include <assert.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

/*
 * The tables of signatures.def have rows of all operations. Beside each of them stands the column
 * of its operations by itself, in bytes, where those of one operation are found at once: the checks
 * of a model ask for them several times per operation.
 */
static_assert(HY_OP_COUNT <= UINT8_MAX, "operations fit bytes");

/* The first row of the operation from `from` on; `count` where there is none. */
static inline size_t hy_row_find(const uint8_t *operations, size_t count, int32_t operation,
                                 size_t from)
{
    const uint8_t *found = from < count ? memchr(operations + from, operation, count - from) : NULL;

    return found ? (size_t)(found - operations) : count;
}

/* Runs the statement for each row of `table` that is of the operation, which ops.def has. */
#define HY_FOR_ROWS(i, table, operation) \
    for (size_t i = hy_row_find(table##_operations, sizeof table##_operations, (operation), 0); \
         i < sizeof table##_operations; \
         i = hy_row_find(table##_operations, sizeof table##_operations, (operation), i + 1))

#endif
