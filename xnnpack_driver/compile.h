/* Compiles a model to a program. */
#ifndef XD_COMPILE_H
#define XD_COMPILE_H

#include "driver_kit/model_reader.h"
#include "program.h"

/* Implements hy_device.supported_operations. Each operation is checked on its own, with a reason
 * for each refusal. */
int32_t xd_supported_operations(const struct hy_host *host, const struct hy_model *model,
                                uint8_t *supported, const struct hy_refusals *refusals);

/* Compiles the main subgraph; all of its operations must be supported. On failure `message` has the
 * reason. */
int32_t xd_compile(const struct hy_host *host, const struct hy_model *model,
                   const struct hy_message *message, struct xd_program **ret);

#endif
