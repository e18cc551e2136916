#ifndef HY_SERVICE_CLIENT_BUFFER_H
#define HY_SERVICE_CLIENT_BUFFER_H

#include "common/error.h"
#include "halyard/driver.h"

struct hy_connection;

/* The buffer group of struct hy_device. A buffer goes with its process; its token, which means
 * nothing in the next one, is never given again. */
void hy_service_fill_buffers(struct hy_device *table);

/* The token that the process has for the one that this side gave. Errors: DEAD (the memory was lost
 * with an earlier process), BAD_DATA (there is none). */
HY_MUST_CHECK enum hy_code hy_service_buffer_token(struct hy_connection *connection, uint32_t token,
                                                   uint32_t *ret, struct hy_error *err);

/* The last one that was given to anybody. */
uint32_t hy_service_buffer_last_token(void);

#endif
