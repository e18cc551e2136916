#ifndef HY_SERVICE_CLIENT_BUFFER_H
#define HY_SERVICE_CLIENT_BUFFER_H

#include "halyard/driver.h"

/* The buffer group of struct hy_device. A buffer goes with its process; its token, which means
 * nothing in the next one, is never given again. */
void hy_service_fill_buffers(struct hy_device *table);

#endif
