#ifndef HY_HARDWARE_BUFFER_LOCK_H
#define HY_HARDWARE_BUFFER_LOCK_H

#include "hardware_buffer/hw_buffer.h"

/*
 * Begins CPU access to the buffer, as specified for AHardwareBuffer_lock, and makes the address
 * valid. Takes ownership of the fence in every case.
 */
HY_MUST_CHECK int hy_hardware_buffer_lock(AHardwareBuffer *buffer, uint64_t usage, int fence,
                                          const ARect *rect);

/* Ends CPU access. Errors: -EINVAL (not locked); a negative errno value of the system, after which
 * the buffer is unlocked. */
HY_MUST_CHECK int hy_hardware_buffer_unlock(AHardwareBuffer *buffer);

#endif
