#ifndef HY_SERVICE_CLIENT_BUFFER_H
#define HY_SERVICE_CLIENT_BUFFER_H

#include "halyard/driver.h"

/* Fills the buffer functions of struct hy_device. A buffer lives in the driver's process and is
 * lost when the process ends. A buffer token is never reused and is not valid in a later
 * process. */
void hy_service_fill_buffers(struct hy_device *table);

#endif
