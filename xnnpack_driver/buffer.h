/*
 * The buffer group of hy_device: tensors in memory of the driver's own, which executions read and
 * write in place, without the copy that other memory may need. Their shapes are those of the
 * prepared models, which are all known.
 */
#ifndef XD_BUFFER_H
#define XD_BUFFER_H

#include "buffers.h"

/*
 * hy_device.buffer_create. Errors: INVALID_ARGUMENT (roles that are none, stand there twice, or do
 * not agree with one another or with the dimensions), GENERAL_FAILURE (an input that no operation
 * reads: its size may be anything), RESOURCE_EXHAUSTED_TRANSIENT.
 */
int32_t xd_buffer_create(struct xd_buffers *buffers, const struct hy_buffer_desc *desc,
                         uint32_t *token, void **buffer);

/* hy_device.buffer_copy_from, buffer_copy_to and buffer_destroy. */
int32_t xd_buffer_copy_from(void *buffer, const struct hy_pool *source, const uint32_t *dims,
                            uint32_t rank);
int32_t xd_buffer_copy_to(void *buffer, const struct hy_pool *destination);
void xd_buffer_destroy(void *buffer);

#endif
