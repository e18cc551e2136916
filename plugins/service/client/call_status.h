#ifndef HY_SERVICE_CLIENT_CALL_STATUS_H
#define HY_SERVICE_CLIENT_CALL_STATUS_H

#include "common/error.h"
#include "halyard/driver.h"

/* The status for what came in the way of a call. */
int32_t hy_channel_status(enum hy_code code);

/* Puts the words of a failing call where the caller wants them; gives the status. */
int32_t hy_service_fail(const struct hy_message *message, int32_t status,
                        const struct hy_error *err);

#endif
