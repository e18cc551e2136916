#ifndef HY_TESTS_RAW_CLIENT_H
#define HY_TESTS_RAW_CLIENT_H

#include "halyard/driver.h"
#include "plugins/service/wire/messages.h"
#include "plugins/service/wire/transport/frame.h"

#include <stdbool.h>

/* A client of a service that says what it likes: frames over a connection of its own. */
struct raw_client {
    struct hy_socket control, channel;
    struct hy_outgoing call;
    struct hy_incoming answer;
    char words[256]; /* of the last answer that failed */
};

/* Connects, and no more. */
bool raw_connect(struct raw_client *client, const char *socket);
void raw_close(struct raw_client *client);

/* HELLO alone: the status, or -1 where there is no answer. */
int32_t raw_hello(struct raw_client *client);

/* HELLO and OPEN: the status, or -1 where there is no answer. */
int32_t raw_open(struct raw_client *client, const char *library, const char *arguments);

/* All of that, and a channel. */
bool raw_begin(struct raw_client *client, const char *socket, const char *library,
               const char *arguments);

/* Hands one end of a channel in; the other one. -1: that failed. */
int raw_channel(struct raw_client *client);

/* Starts a call over the channel; its body goes to client->call.body. */
void raw_call(struct raw_client *client, enum hy_wire_kind kind, uint64_t object);

/* Makes it: the status, or -1 where the service has hung up. */
int32_t raw_make(struct raw_client *client);

/* The model, prepared: its number, 0 = it is not. */
uint64_t raw_prepare_model(struct raw_client *client, const struct hy_model *model);

/* A model of one ADD of two tensors of four float32, prepared: its number, 0 = it is not. */
uint64_t raw_prepare(struct raw_client *client);

/* The same with options, such as cache files; and from those. */
uint64_t raw_prepare_with(struct raw_client *client, const struct hy_prepare_options *options);
uint64_t raw_prepare_from_cache(struct raw_client *client,
                                const struct hy_prepare_options *options);

/* A buffer for the first input of that; its number, 0 = there is none. */
uint64_t raw_buffer(struct raw_client *client, uint64_t prepared, uint32_t *token);

/* Makes a call of the kind about the object: a request, and options that ask for nothing. */
int32_t raw_request(struct raw_client *client, enum hy_wire_kind kind, uint64_t object,
                    const struct hy_request *request);

/* Runs it: the first input from `first`, the second and the output in `memory`, 4 floats each, from
 * 16 on. */
int32_t raw_execute(struct raw_client *client, uint64_t prepared, const struct hy_pool *first,
                    const struct hy_pool *memory);

#endif
