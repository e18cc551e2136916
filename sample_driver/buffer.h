/* Tensors in buffers stay on the device, in the layout of its kernels: an execution that reads the
 * output of another converts nothing and copies nothing. */
#ifndef SAMPLE_BUFFER_H
#define SAMPLE_BUFFER_H

#include "driver_kit/device_buffer.h"

#define SAMPLE_MAX_BUFFERS 65535u /* that live at once */

extern const struct hy_buffer_functions sample_buffer_functions;

#endif
