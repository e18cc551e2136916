/* The tensors of buffers, in memory of the driver's own: executions read and write them in place,
 * without the copy that other memory may need. */
#ifndef XD_BUFFER_H
#define XD_BUFFER_H

#include "driver_kit/device_buffer.h"

#define XD_MAX_BUFFERS 4096u /* that live at once */

extern const struct hy_buffer_functions xd_buffer_functions;

#endif
