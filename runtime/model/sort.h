#ifndef HY_RUNTIME_MODEL_SORT_H
#define HY_RUNTIME_MODEL_SORT_H

#include "common/error.h"
#include "halyard/driver.h"

/* In a list of producers: no operation writes this operand. */
#define HY_NO_PRODUCER UINT32_MAX

/*
 * Puts operations into an order in which they can run. The order given is kept where it is legal;
 * otherwise an operation moves up only to come before those that need it. Time and room are linear.
 *   producers  for each operand, the operation that writes it, or HY_NO_PRODUCER
 *   order      written: for each place, the number of the operation to run there
 * Errors: BAD_DATA (operations that wait for each other), OUT_OF_MEMORY.
 */
HY_MUST_CHECK enum hy_code hy_operations_sort(const struct hy_operation *operations, uint32_t count,
                                              const uint32_t *producers, uint32_t *order,
                                              struct hy_error *err);

#endif
