#ifndef HY_RUNTIME_COPIED_H
#define HY_RUNTIME_COPIED_H

#include <stdint.h>

/*
 * Tensor bytes copied by the runtime during executions, counted per thread. Callers read the
 * counter before and after an action that may copy. An execution without copies does not read the
 * counter.
 */
void hy_copied_add(uint64_t bytes);
uint64_t hy_copied_by_thread(void);

#endif
