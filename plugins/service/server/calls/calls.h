#ifndef HY_SERVICE_SERVER_CALLS_H
#define HY_SERVICE_SERVER_CALLS_H

#include "plugins/service/server/server_channel.h"

/* Handlers of calls (hy_server_handler in channel.h). */

/* Preparing: call_prepare.c. */
int32_t hy_server_supported(struct hy_server_channel *channel, struct hy_unpack *in,
                            struct hy_error *err);
int32_t hy_server_prepare(struct hy_server_channel *channel, struct hy_unpack *in,
                          struct hy_error *err);
int32_t hy_server_prepare_from_cache(struct hy_server_channel *channel, struct hy_unpack *in,
                                     struct hy_error *err);
int32_t hy_server_wait(struct hy_server_channel *channel, struct hy_unpack *in,
                       struct hy_error *err);

/* Executing: call_execute.c. */
int32_t hy_server_execute(struct hy_server_channel *channel, struct hy_unpack *in,
                          struct hy_error *err);
int32_t hy_server_reusable_create(struct hy_server_channel *channel, struct hy_unpack *in,
                                  struct hy_error *err);
int32_t hy_server_reusable_execute(struct hy_server_channel *channel, struct hy_unpack *in,
                                   struct hy_error *err);

/* Executing with fences: call_fenced.c. */
int32_t hy_server_execute_fenced(struct hy_server_channel *channel, struct hy_unpack *in,
                                 struct hy_error *err);
int32_t hy_server_fenced_result(struct hy_server_channel *channel, struct hy_unpack *in,
                                struct hy_error *err);

/* Driver-managed buffers: call_buffer.c. */
int32_t hy_server_buffer_create(struct hy_server_channel *channel, struct hy_unpack *in,
                                struct hy_error *err);
int32_t hy_server_buffer_copy_from(struct hy_server_channel *channel, struct hy_unpack *in,
                                   struct hy_error *err);
int32_t hy_server_buffer_copy_to(struct hy_server_channel *channel, struct hy_unpack *in,
                                 struct hy_error *err);

#endif
