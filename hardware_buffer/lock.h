#ifndef HY_HARDWARE_BUFFER_LOCK_H
#define HY_HARDWARE_BUFFER_LOCK_H

#include "hardware_buffer/buffer.h"

/*
 * Begins a use of the buffer by the CPU, as AHardwareBuffer_lock says, and makes its address valid.
 * Takes the fence over, however it ends.
 */
HY_MUST_CHECK int hy_hardware_buffer_lock(AHardwareBuffer *buffer, uint64_t usage, int fence,
                                          const ARect *rect);

/* -EINVAL: it is not locked. What the system says to the end of the use: it is unlocked then. */
HY_MUST_CHECK int hy_hardware_buffer_unlock(AHardwareBuffer *buffer);

#endif
