/* Converts a request to the addresses of an instance. */
#ifndef XD_REQUEST_H
#define XD_REQUEST_H

#include "driver_kit/request_binding.h"
#include "instance.h"

/*
 * Binds the request and writes the addresses into xd_instance_arguments. An input is copied to
 * memory of the instance if the input is not aligned to its elements, or if reads after its end may
 * reach unreadable memory. Call hy_request_release with xd_instance_bound in any case. Errors:
 * those of hy_request_bind.
 */
int32_t xd_request_bind(const struct hy_request_target *target, const struct hy_request *request,
                        const struct xd_program *program, struct xd_instance *instance,
                        const struct hy_message *message);

#endif
