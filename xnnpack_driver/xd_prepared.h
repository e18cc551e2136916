/* Prepared models: a program and its instances. */
#ifndef XD_PREPARED_H
#define XD_PREPARED_H

#include "driver_kit/single_device.h"
#include "program.h"

/* Implement hy_device.prepare and prepared_destroy. A prepared model begins with struct
 * hy_single_prepared. */
int32_t xd_prepare(struct hy_single_device *device, const struct hy_model *model,
                   const struct hy_prepare_options *options, void **prepared);
void xd_prepared_destroy(void *prepared);

/* The tensor of an input or output of a prepared model. NULL: the index is out of range. */
const struct xd_tensor *xd_prepared_argument(const void *prepared, bool is_output, uint32_t index);

#endif
