/* Driver-managed buffers. The driver allocates the tensors of buffers, and executions read and
 * write the tensors in place, without a copy. */
#ifndef XD_BUFFER_H
#define XD_BUFFER_H

#include "driver_kit/device_buffer.h"

#define XD_MAX_BUFFERS 4096u /* maximum of live buffers */

extern const struct hy_buffer_functions xd_buffer_functions;

#endif
