/* Clients that are turned away by a service, or find none: what they are told, and when they are
 * served again. */
#include "plugins/service/client/service.h"
#include "raw_client.h"
#include "shared_service.h"
#include "tests/kit/test.h"

#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <unistd.h>

enum {
    MOST_CLIENTS = 32, /* connections of one user */
    TIMES = 200,
    TEXT_SIZE = 1024,
    RETURNS = 8, /* the eighth after 12.7 s, if each waited twice as long as the one before */
};

static const char *const cpu[] = {"--cpu", NULL};
static const char full[] = "32 of at most 32 connections";

/* A service for each test. */
static struct shared_service service;

static bool start(void)
{
    int status;
    return shared_service_start(&service, cpu, &status);
}

static struct raw_client clients[MOST_CLIENTS];

static bool fill(unsigned count)
{
    bool good = true;
    for (unsigned i = 0; i < count; i++)
        good &= raw_begin(&clients[i], service.socket, "", "{}");
    return good;
}

static void empty(unsigned count)
{
    for (unsigned i = 0; i < count; i++)
        raw_close(&clients[i]);
}

/* ---- An app ---------------------------------------------------------------------------------- */

static char last_line[TEXT_SIZE]; /* of the app's log; read when the app knows what it is about */

static void receive_line(void *context, int32_t level, const char *text)
{
    (void)context, (void)level;
    snprintf(last_line, sizeof last_line, "%s", text);
}

static enum hy_code open_app(struct hy_service **ret, struct hy_error *err)
{
    static const struct hy_host host = {
        .struct_size = sizeof host, .abi = HY_DRIVER_ABI, .log = receive_line};
    static const struct hy_service_settings settings = {.program = "/nowhere",
                                                        .hang_timeout_seconds = 120};
    const struct hy_service_launch launch = {
        .library = "", .arguments = "{}", .socket = service.socket};

    *err = (struct hy_error){0};
    return hy_service_open(&launch, &settings, &host, ret, err);
}

static void close_app(struct hy_service *app)
{
    hy_service_driver()->destroy(app);
}

static void record_reason(void *context, uint32_t operation, const char *text)
{
    (void)operation;
    snprintf(context, TEXT_SIZE, "%s", text);
}

/* Asks the device of the app about a model of one RELU: the status, and the reason of a failure. */
static int32_t ask(struct hy_service *app, char *reason)
{
    enum { TENSOR_FLOAT32 = 3, RELU = 19 };
    static const uint32_t extent = 4, input = 0, output = 1;
    static const struct hy_operand operands[] = {
        {.type = TENSOR_FLOAT32, .lifetime = HY_LIFETIME_INPUT, .rank = 1, .dims = &extent},
        {.type = TENSOR_FLOAT32, .lifetime = HY_LIFETIME_OUTPUT, .rank = 1, .dims = &extent}};
    static const struct hy_operation operation = {
        .type = RELU, .input_count = 1, .output_count = 1, .inputs = &input, .outputs = &output};
    static const struct hy_subgraph graph = {.struct_size = sizeof graph,
                                             .operand_count = 2,
                                             .operation_count = 1,
                                             .input_count = 1,
                                             .output_count = 1,
                                             .operands = operands,
                                             .operations = &operation,
                                             .inputs = &input,
                                             .outputs = &output};
    static const struct hy_model model = {
        .struct_size = sizeof model, .main = &graph, .feature_level = 1};
    const struct hy_refusals refusals = {
        .struct_size = sizeof refusals, .context = reason, .refuse = record_reason};
    const struct hy_device *table = NULL;
    void *device = NULL;
    uint8_t supported = 0;

    reason[0] = '\0';
    if (hy_service_driver()->device(app, 0, &table, &device) != HY_STATUS_OK)
        return HY_STATUS_GENERAL_FAILURE;
    const int32_t status = table->supported_operations(device, &model, &supported, &refusals);
    return status == HY_STATUS_OK && !supported ? HY_STATUS_GENERAL_FAILURE : status;
}

/* The app has noticed that the service is gone. */
static bool is_left(struct hy_service *app)
{
    struct hy_service_info info = {.pid = -1};

    for (int waited = 0; waited < TIMEOUT_MS && info.pid != 0; waited++) {
        hy_service_get_info(app, &info);
        poll(NULL, 0, info.pid == 0 ? 0 : 1);
    }
    return info.pid == 0;
}

/* ---- The end of the service ------------------------------------------------------------------ */

TEST(shared_return, end_of_the_service_is_told_with_its_socket_and_process_and_how_it_came)
{
    struct hy_service *app = NULL;
    struct hy_error err;
    char whose[TEXT_SIZE];
    REQUIRE(shared_service_init(&service) && start());
    REQUIRE(open_app(&app, &err) == HY_OK);

    const pid_t host = shared_service_host(&service);
    REQUIRE(host > 0);
    snprintf(whose, sizeof whose, "the service at %s (process %d) ", service.socket, (int)host);
    kill(host, SIGKILL);
    EXPECT(is_left(app));
    EXPECT_CONTAINS(last_line, whose);
    EXPECT_CONTAINS(last_line, "was ended by SIGKILL (9)");
    close_app(app);
    shared_service_finish(&service);
}

TEST(shared_return, service_that_ends_as_it_should_says_so_itself)
{
    struct hy_service *app = NULL;
    struct hy_error err;
    REQUIRE(shared_service_init(&service) && start());
    REQUIRE(open_app(&app, &err) == HY_OK);

    EXPECT_INT(shared_service_end(&service, SIGTERM), 0);
    EXPECT(is_left(app));
    EXPECT_CONTAINS(last_line, " ends: the service ends");
    close_app(app);
    shared_service_finish(&service);
}

/* ---- Turned away ----------------------------------------------------------------------------- */

TEST(shared_return, each_app_that_is_turned_away_is_told_why)
{
    struct hy_service *app = NULL;
    struct hy_error err;

    REQUIRE(shared_service_init(&service) && start() && fill(MOST_CLIENTS));
    for (unsigned i = 0; i < TIMES; i++) {
        EXPECT(open_app(&app, &err) != HY_OK);
        EXPECT_CONTAINS(err.text, full);
    }
    empty(MOST_CLIENTS);
    shared_service_finish(&service);
}

/* What the client has said by then is in the socket, unread, when the service closes it. */
TEST(shared_return, reason_is_the_first_thing_that_comes_though_the_client_has_spoken_before)
{
    struct hy_frame_header header = {0};
    struct raw_client refused_client;
    char reason[512] = "";
    struct iovec parts[] = {{.iov_base = &header, .iov_len = sizeof header},
                            {.iov_base = reason, .iov_len = sizeof reason - 1}};
    struct msghdr message = {.msg_iov = parts, .msg_iovlen = 2};

    REQUIRE(shared_service_init(&service) && start() && fill(MOST_CLIENTS));
    const pid_t host = shared_service_host(&service);
    REQUIRE(host > 0);
    kill(host, SIGSTOP);
    EXPECT(raw_connect(&refused_client, service.socket));
    raw_call(&refused_client, HY_WIRE_HELLO, 0);
    struct hy_error err;
    for (int i = 0; i < 4; i++) /* whatever it is */
        EXPECT_INT(
            hy_frame_send(&refused_client.control, &refused_client.call, HY_NO_DEADLINE, &err),
            HY_OK);
    kill(host, SIGCONT);
    const ssize_t got = recvmsg(refused_client.control.fd, &message, 0);
    EXPECT(got > (ssize_t)sizeof header + 4);
    EXPECT_INT(header.kind, HY_WIRE_HELLO | HY_WIRE_REPLY);
    EXPECT_INT(header.status, HY_STATUS_RESOURCE_EXHAUSTED_TRANSIENT);
    EXPECT_CONTAINS(reason + 4, full); /* behind its length */
    raw_close(&refused_client);
    empty(MOST_CLIENTS);
    shared_service_finish(&service);
}

TEST(shared_return, reason_is_there_for_a_client_that_speaks_when_it_has_been_hung_up_on)
{
    struct raw_client refused_client;

    REQUIRE(shared_service_init(&service) && start() && fill(MOST_CLIENTS));
    EXPECT(raw_connect(&refused_client, service.socket));
    struct pollfd end = {.fd = refused_client.control.fd};
    EXPECT(poll(&end, 1, TIMEOUT_MS) == 1 && (end.revents & POLLHUP));
    EXPECT_INT(raw_open(&refused_client, "", "{}"), HY_STATUS_RESOURCE_EXHAUSTED_TRANSIENT);
    EXPECT_CONTAINS(refused_client.error_text, full);
    raw_close(&refused_client);
    empty(MOST_CLIENTS);
    shared_service_finish(&service);
}

/* The place of an app that has lost its connection is taken: it is told so, at once and until it
 * may ask again. */
TEST(shared_return, app_that_finds_its_place_taken_is_told_so_in_every_call)
{
    static char reason[TEXT_SIZE];
    struct hy_service *app = NULL;
    struct hy_error err;

    REQUIRE(shared_service_init(&service) && start());
    REQUIRE(open_app(&app, &err) == HY_OK);
    (void)shared_service_end(&service, SIGKILL);
    EXPECT(is_left(app));
    REQUIRE(start() && fill(MOST_CLIENTS));
    for (unsigned i = 0; i < TIMES; i++) {
        EXPECT_INT(ask(app, reason), HY_STATUS_DEVICE_UNAVAILABLE);
        EXPECT_CONTAINS(reason, full);
    }
    empty(MOST_CLIENTS);
    close_app(app);
    shared_service_finish(&service);
}

/* ---- Back again ------------------------------------------------------------------------------ */

TEST(shared_return, next_call_after_the_service_is_back_is_served_however_often_it_was_away)
{
    static char reason[TEXT_SIZE];
    struct hy_service *app = NULL;
    struct hy_error err;

    REQUIRE(shared_service_init(&service) && start());
    REQUIRE(open_app(&app, &err) == HY_OK);
    for (unsigned i = 0; i < RETURNS; i++) {
        EXPECT_INT(ask(app, reason), HY_STATUS_OK);
        EXPECT_STR(reason, "");
        (void)shared_service_end(&service, SIGKILL);
        EXPECT(is_left(app));
        for (unsigned attempt = 0; attempt < RETURNS; attempt++) {
            EXPECT_INT(ask(app, reason), HY_STATUS_DEVICE_UNAVAILABLE);
            EXPECT_CONTAINS(reason, service.socket);
        }
        REQUIRE(start());
    }
    EXPECT_INT(ask(app, reason), HY_STATUS_OK);
    close_app(app);
    shared_service_finish(&service);
}
