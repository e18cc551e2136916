#ifndef HY_RUNTIME_MODEL_SORT_H
#define HY_RUNTIME_MODEL_SORT_H

#include "common/error.h"
#include "halyard/driver.h"

/* Marks an operand without a writing operation in a list of producers. */
#define HY_NO_PRODUCER UINT32_MAX

/*
 * Sorts operations into an executable order. A valid given order is kept; otherwise an operation
 * only moves ahead of the operations with a need for its outputs. Linear in time and space.
 *   producers  for each operand, the writing operation or HY_NO_PRODUCER
 *   order      out: operation numbers in execution order
 * Errors: BAD_DATA (a cycle of operations), OUT_OF_MEMORY.
 */
HY_MUST_CHECK enum hy_code hy_operations_sort(const struct hy_operation *operations, uint32_t count,
                                              const uint32_t *producers, uint32_t *order,
                                              struct hy_error *err);

#endif
