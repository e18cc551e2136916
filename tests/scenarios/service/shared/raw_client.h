#ifndef HY_TESTS_RAW_CLIENT_H
#define HY_TESTS_RAW_CLIENT_H

#include "halyard/driver.h"
#include "plugins/service/wire/messages.h"
#include "plugins/service/wire/transport/frame.h"

#include <stdbool.h>

/* A service client with full control over its frames, on its own connection. */
struct raw_client {
    struct hy_socket control, channel;
    struct hy_outgoing call;
    struct hy_incoming reply;
    char error_text[256]; /* of the last failed reply */
};

/* Connects without sending. */
bool raw_connect(struct raw_client *client, const char *socket);
void raw_close(struct raw_client *client);

/* Sends HELLO. Returns the status, or -1 without a reply. */
int32_t raw_hello(struct raw_client *client);

/* Sends HELLO and OPEN. Returns the status, or -1 without a reply. */
int32_t raw_open(struct raw_client *client, const char *library, const char *arguments);

/* Connects, sends HELLO and OPEN, and opens a channel. */
bool raw_begin(struct raw_client *client, const char *socket, const char *library,
               const char *arguments);

/* Sends one end of a new channel and returns the other end, or -1 on failure. */
int raw_channel(struct raw_client *client);

/* Starts a call on the channel. The caller fills client->call.body. */
void raw_call(struct raw_client *client, enum hy_wire_kind kind, uint64_t object);

/* Makes the call. Returns the status, or -1 if the service disconnected. */
int32_t raw_make(struct raw_client *client);

/* Prepares the model. Returns its id, or 0 on failure. */
uint64_t raw_prepare_model(struct raw_client *client, const struct hy_model *model);

/* Prepares an ADD of two tensors of four float32. Returns the id, or 0 on failure. */
uint64_t raw_prepare(struct raw_client *client);

/* Prepare with options such as cache files, or from the cache files of the options. */
uint64_t raw_prepare_with(struct raw_client *client, const struct hy_prepare_options *options);
uint64_t raw_prepare_from_cache(struct raw_client *client,
                                const struct hy_prepare_options *options);

/* Creates a buffer for the first input of `prepared`. Returns its id, or 0 on failure. */
uint64_t raw_buffer(struct raw_client *client, uint64_t prepared, uint32_t *token);

/* Makes a call for the object with a request and default options. */
int32_t raw_request(struct raw_client *client, enum hy_wire_kind kind, uint64_t object,
                    const struct hy_request *request);

/* Runs the model. `first` is the first input. The second input and the output lie in `memory`, 4
 * floats each, from byte 16 on. */
int32_t raw_execute(struct raw_client *client, uint64_t prepared, const struct hy_pool *first,
                    const struct hy_pool *memory);

#endif
