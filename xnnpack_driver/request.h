/* From a request to the addresses that an instance works on. */
#ifndef XD_REQUEST_H
#define XD_REQUEST_H

#include "instance.h"
#include "program.h"

/*
 * Checks every argument of the request against the program and writes its address into
 * `arguments`. Inputs that cannot be read where they are, because they may end where readable
 * memory ends or are not aligned to their elements, are copied to the instance's own room.
 * Errors: INVALID_ARGUMENT, OUTPUT_INSUFFICIENT_SIZE, those of hy_host.map; `message` has the
 * words.
 */
int32_t xd_request_bind(const struct hy_host *host, const struct xd_program *program,
                        const struct hy_request *request, struct xd_instance *instance,
                        const struct hy_message *message);

#endif
