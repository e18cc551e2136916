#ifndef HY_SERVICE_CLIENT_FENCED_H
#define HY_SERVICE_CLIENT_FENCED_H

#include "halyard/driver.h"

/*
 * Fills the fenced functions of struct hy_device. A fence is the read end of a pipe. The driver's
 * process writes one byte when the work ends. A hang-up without a byte is a failure, of the driver
 * or of its process.
 */
void hy_service_fill_fenced(struct hy_device *table);

#endif
