#include "raw_client.h"

#include "common/clock.h"
#include "plugins/service/wire/buffers.h"
#include "plugins/service/wire/options.h"
#include "plugins/service/wire/reply.h"
#include "plugins/service/wire/session.h"
#include "plugins/service/wire/wire_model.h"
#include "plugins/service/wire/wire_request.h"

#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#define BOUND_NS INT64_C(60000000000)

static int64_t soon(void)
{
    return hy_clock_boot() + BOUND_NS;
}

bool raw_connect(struct raw_client *client, const char *path)
{
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    const int fd = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0);

    memset(client, 0, sizeof *client);
    hy_socket_init(&client->control, fd);
    hy_socket_init(&client->channel, -1);
    hy_outgoing_init(&client->call);
    hy_incoming_init(&client->reply);
    strcpy(address.sun_path, path);
    return fd >= 0 && connect(fd, (const struct sockaddr *)&address, sizeof address) == 0;
}

void raw_close(struct raw_client *client)
{
    hy_socket_finish(&client->control);
    hy_socket_finish(&client->channel);
    hy_outgoing_finish(&client->call);
    hy_incoming_finish(&client->reply);
}

/* ---- Calls ----------------------------------------------------------------------------------- */

static void read_text(struct raw_client *client)
{
    struct hy_arena arena = {0};
    struct hy_unpack in;
    struct hy_error err;

    hy_incoming_unpack(&client->reply, &arena, &in, &err);
    snprintf(client->error_text, sizeof client->error_text, "%s", hy_unpack_text(&in));
    hy_arena_finish(&arena);
}

/* Lines for the log come between. */
static int32_t make(struct raw_client *client, struct hy_socket *socket)
{
    const uint32_t kind = client->call.header.kind | HY_WIRE_REPLY;
    struct hy_error err;

    client->error_text[0] = '\0';
    (void)!hy_frame_send(socket, &client->call, soon(), &err);
    do {
        if (hy_frame_receive(socket, &client->reply, soon(), &err) != HY_OK)
            return -1;
    } while (client->reply.header.kind != kind);
    if (client->reply.header.status != HY_STATUS_OK)
        read_text(client);
    return client->reply.header.status;
}

void raw_call(struct raw_client *client, enum hy_wire_kind kind, uint64_t object)
{
    hy_outgoing_begin(&client->call, kind, object);
}

int32_t raw_make(struct raw_client *client)
{
    return make(client, &client->channel);
}

/* ---- The first words ------------------------------------------------------------------------- */

int32_t raw_hello(struct raw_client *client)
{
    const struct hy_hello hello = {
        .abi = HY_DRIVER_ABI, .pid = (int32_t)getpid(), .pidfd = -1, .end_page = -1};

    raw_call(client, HY_WIRE_HELLO, 0);
    hy_hello_pack(&client->call.body, &hello);
    return make(client, &client->control);
}

int32_t raw_open(struct raw_client *client, const char *library, const char *arguments)
{
    const struct hy_opening opening = {.library = library, .arguments = arguments};

    const int32_t status = raw_hello(client);
    if (status != HY_STATUS_OK)
        return status;
    raw_call(client, HY_WIRE_OPEN, 0);
    hy_opening_pack(&client->call.body, &opening);
    return make(client, &client->control);
}

int raw_channel(struct raw_client *client)
{
    struct hy_error err;
    int ends[2];

    if (hy_socket_pair(ends, &err) != HY_OK)
        return -1;
    raw_call(client, HY_WIRE_CHANNEL, 0);
    hy_pack_fd(&client->call.body, ends[1]);
    const bool is_sent = hy_frame_send(&client->control, &client->call, soon(), &err) == HY_OK;
    close(ends[1]);
    if (is_sent)
        return ends[0];
    close(ends[0]);
    return -1;
}

bool raw_begin(struct raw_client *client, const char *socket, const char *library,
               const char *arguments)
{
    if (!raw_connect(client, socket) || raw_open(client, library, arguments) != HY_STATUS_OK)
        return false;
    hy_socket_init(&client->channel, raw_channel(client));
    return client->channel.fd >= 0;
}

/* ---- Work ------------------------------------------------------------------------------------ */

enum { ADD = 0, INT32 = 1, TENSOR_FLOAT32 = 3 }; /* of <android/NeuralNetworks.h> */

static const struct hy_prepare_options usual = {.struct_size = sizeof usual,
                                                .deadline = HY_NO_DEADLINE};

static uint64_t prepare(struct raw_client *client, const struct hy_model *model,
                        const struct hy_prepare_options *options)
{
    raw_call(client, HY_WIRE_PREPARE, 0);
    hy_model_pack(&client->call.body, model);
    hy_prepare_options_pack(&client->call.body, options);
    return raw_make(client) == HY_STATUS_OK ? client->reply.header.object : 0;
}

uint64_t raw_prepare_model(struct raw_client *client, const struct hy_model *model)
{
    return prepare(client, model, &usual);
}

uint64_t raw_prepare(struct raw_client *client)
{
    return raw_prepare_with(client, &usual);
}

uint64_t raw_prepare_with(struct raw_client *client, const struct hy_prepare_options *options)
{
    static const uint8_t none[4] = {0};
    static const uint32_t extent = 4, inputs[] = {0, 1, 2}, outputs[] = {3};
    const struct hy_operand tensor = {.type = TENSOR_FLOAT32, .rank = 1, .dims = &extent};
    struct hy_operand operands[] = {
        tensor,
        tensor,
        {.type = INT32, .lifetime = HY_LIFETIME_CONSTANT_COPY, .location = {.length = 4}},
        tensor};
    const struct hy_operation operation = {
        .type = ADD, .input_count = 3, .output_count = 1, .inputs = inputs, .outputs = outputs};
    const struct hy_subgraph graph = {.struct_size = sizeof graph,
                                      .operand_count = 4,
                                      .operation_count = 1,
                                      .input_count = 2,
                                      .output_count = 1,
                                      .operands = operands,
                                      .operations = &operation,
                                      .inputs = inputs,
                                      .outputs = outputs};
    const struct hy_model model = {.struct_size = sizeof model,
                                   .main = &graph,
                                   .values = none,
                                   .values_size = sizeof none,
                                   .feature_level = 1};

    operands[0].lifetime = operands[1].lifetime = HY_LIFETIME_INPUT;
    operands[3].lifetime = HY_LIFETIME_OUTPUT;
    return prepare(client, &model, options);
}

uint64_t raw_prepare_from_cache(struct raw_client *client, const struct hy_prepare_options *options)
{
    raw_call(client, HY_WIRE_PREPARE_FROM_CACHE, 0);
    hy_prepare_options_pack(&client->call.body, options);
    return raw_make(client) == HY_STATUS_OK ? client->reply.header.object : 0;
}

uint64_t raw_buffer(struct raw_client *client, uint64_t prepared, uint32_t *token)
{
    static const uint32_t extent = 4;
    const struct hy_buffer_role role = {.frequency = 1.0f};
    const struct hy_buffer_desc desc = {.struct_size = sizeof desc,
                                        .rank = 1,
                                        .dims = &extent,
                                        .roles = &role,
                                        .prepared_count = 1,
                                        .role_count = 1};
    struct hy_created_buffer created = {0};
    struct hy_arena arena = {0};
    struct hy_unpack in;
    struct hy_error err;

    raw_call(client, HY_WIRE_BUFFER_CREATE, 0);
    hy_buffer_desc_pack(&client->call.body, &desc, &prepared);
    if (raw_make(client) != HY_STATUS_OK)
        return 0;
    hy_incoming_unpack(&client->reply, &arena, &in, &err);
    hy_created_buffer_unpack(&in, &created);
    const bool good = hy_unpack_end(&in) == HY_OK;
    *token = created.token;
    hy_arena_finish(&arena);
    return good ? client->reply.header.object : 0;
}

int32_t raw_request(struct raw_client *client, enum hy_wire_kind kind, uint64_t object,
                    const struct hy_request *request)
{
    const struct hy_run_options options = {.struct_size = sizeof options,
                                           .deadline = HY_NO_DEADLINE};

    raw_call(client, kind, object);
    hy_request_pack(&client->call.body, request);
    hy_run_options_pack(&client->call.body, &options);
    return raw_make(client);
}

int32_t raw_execute(struct raw_client *client, uint64_t prepared, const struct hy_pool *first,
                    const struct hy_pool *memory)
{
    const struct hy_pool pools[] = {*first, *memory};
    const uint64_t length = first->kind == HY_POOL_BUFFER ? 0 : 16;
    const struct hy_argument inputs[] = {{.location = {.pool = 0, .length = length}},
                                         {.location = {.pool = 1, .offset = 16, .length = 16}}};
    const struct hy_argument output = {.location = {.pool = 1, .offset = 32, .length = 16}};
    const struct hy_request request = {.struct_size = sizeof request,
                                       .input_count = 2,
                                       .output_count = 1,
                                       .pool_count = 2,
                                       .inputs = inputs,
                                       .outputs = &output,
                                       .pools = pools};

    return raw_request(client, HY_WIRE_EXECUTE, prepared, &request);
}
