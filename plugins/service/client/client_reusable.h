#ifndef HY_SERVICE_CLIENT_REUSABLE_H
#define HY_SERVICE_CLIENT_REUSABLE_H

#include "halyard/driver.h"

/* Fills the reusable functions of struct hy_device. */
void hy_service_fill_reusables(struct hy_device *table);

#endif
