#ifndef HY_SERVICE_CLIENT_FENCED_H
#define HY_SERVICE_CLIENT_FENCED_H

#include "halyard/driver.h"

/*
 * The fenced group of struct hy_device. The fence is the read end of a pipe, to which the process
 * writes a byte at the end of the work: a hang-up without one is a failure, whoever failed.
 */
void hy_service_fill_fenced(struct hy_device *table);

#endif
