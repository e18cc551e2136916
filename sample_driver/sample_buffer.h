/* Device buffers. Buffers hold tensors in the layout of the kernels, so an execution reads the
 * output of another execution without a copy or conversion. */
#ifndef SAMPLE_BUFFER_H
#define SAMPLE_BUFFER_H

#include "driver_kit/device_buffer.h"

#define SAMPLE_MAX_BUFFERS 65535u /* maximum of live buffers */

extern const struct hy_buffer_functions sample_buffer_functions;

#endif
