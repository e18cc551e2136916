#ifndef HY_RUNTIME_COPIED_H
#define HY_RUNTIME_COPIED_H

#include <stdint.h>

/*
 * Bytes of tensors that the runtime itself copies in executions, counted on the thread that runs
 * them: whoever starts something that may copy looks before and after. In an execution that copies
 * nothing nobody looks.
 */
void hy_copied_add(uint64_t bytes);
uint64_t hy_copied_by_thread(void);

#endif
