/*
 * The buffer group of hy_device: tensors that stay on the device, in the layout that it computes
 * in. An execution that reads what another one has written converts nothing and copies nothing.
 */
#ifndef SAMPLE_BUFFER_H
#define SAMPLE_BUFFER_H

#include "buffers.h"

/* hy_device.buffer_create, with the buffers of the device. */
int32_t sample_buffer_create(const struct hy_host *host, struct sample_buffers *buffers,
                             const struct hy_buffer_desc *desc, uint32_t *token, void **buffer);

/* hy_device.buffer_copy_from, buffer_copy_to and buffer_destroy. */
int32_t sample_buffer_copy_from(void *buffer, const struct hy_pool *source, const uint32_t *dims,
                                uint32_t rank);
int32_t sample_buffer_copy_to(void *buffer, const struct hy_pool *destination);
void sample_buffer_destroy(void *buffer);

#endif
