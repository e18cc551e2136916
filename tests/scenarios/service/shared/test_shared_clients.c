/* Clients of one service: what each may have, and that it is nobody else's. */
#include "plugins/service/client/service.h"
#include "plugins/service/wire/buffers.h"
#include "plugins/service/wire/pools.h"
#include "plugins/service/wire/session.h"
#include "raw_client.h"
#include "shared_service.h"
#include "tests/kit/test.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

enum {
    OTHER_USER = 54321,
    MOST_CLIENTS = 32,   /* connections of one user */
    MOST_CHANNELS = 256, /* of one client */
};

static const char *const cpu[] = {"--cpu", "--socket-mode", "0666", NULL};

/* A service for each test. */
static struct shared_service service;

static bool start(const char *const *arguments)
{
    int status;
    return shared_service_init(&service) && shared_service_start(&service, arguments, &status);
}

static bool begin(struct raw_client *client)
{
    return raw_begin(client, service.socket, "", "{}");
}

/* ---- What it hosts --------------------------------------------------------------------------- */

TEST(shared_clients, opening_of_another_library_is_refused)
{
    struct raw_client client;

    REQUIRE(start(cpu));
    REQUIRE(raw_connect(&client, service.socket));
    EXPECT_INT(raw_open(&client, "/usr/lib/libother.so", "{}"), HY_STATUS_GENERAL_FAILURE);
    EXPECT_STR(client.error_text,
               "this service hosts halyard-cpu, not /usr/lib/libother.so; restart an "
               "app that was started before an upgrade");
    raw_close(&client);
    EXPECT(begin(&client)); /* another one is served */
    raw_close(&client);
    shared_service_finish(&service);
}

TEST(shared_clients, opening_with_other_arguments_is_refused)
{
    static const char *const sample[] = {"--manifest", SAMPLE_MANIFEST, NULL};
    struct raw_client client;

    REQUIRE(start(sample));
    REQUIRE(raw_connect(&client, service.socket));
    EXPECT_INT(raw_open(&client, SAMPLE_PATH, "{\"speed\":9}"), HY_STATUS_GENERAL_FAILURE);
    EXPECT_CONTAINS(client.error_text, "with arguments {");
    EXPECT_CONTAINS(client.error_text, "not {\"speed\":9}");
    raw_close(&client);
    REQUIRE(raw_connect(&client, service.socket));
    EXPECT_INT(raw_open(&client, "", "{}"), HY_STATUS_GENERAL_FAILURE);
    raw_close(&client);
    shared_service_finish(&service);
}

/* ---- Whose is what --------------------------------------------------------------------------- */

static struct hy_pool make_memory(uint64_t id)
{
    struct hy_pool pool = {.kind = HY_POOL_ASHMEM,
                           .protection = HY_PROTECT_READ | HY_PROTECT_WRITE,
                           .fd = memfd_create("test", MFD_CLOEXEC),
                           .id = id,
                           .size = 64};
    float values[16] = {0};

    for (int i = 0; i < 8; i++)
        values[i] = (float)(i + (int)(100 * id));
    if (pwrite(pool.fd, values, sizeof values, 0) != sizeof values)
        pool.size = 0;
    return pool;
}

static int32_t add_memory(struct raw_client *client, const struct hy_pool *pool)
{
    raw_call(client, HY_WIRE_MEMORY_ADD, pool->id);
    hy_memory_pack(&client->call.body, pool);
    return raw_make(client);
}

static float first_sum(const struct hy_pool *pool)
{
    float sum = -1.0f;
    return pread(pool->fd, &sum, sizeof sum, 32) == sizeof sum ? sum : -1.0f;
}

TEST(shared_clients, memory_of_one_client_is_not_another_s_by_the_same_id)
{
    struct raw_client first, second;
    const struct hy_pool mine = make_memory(7);
    struct hy_pool theirs = make_memory(8);

    REQUIRE(start(cpu));
    REQUIRE(begin(&first) && begin(&second));
    const uint64_t prepared[] = {raw_prepare(&first), raw_prepare(&second)};
    REQUIRE(prepared[0] != 0 && prepared[1] != 0);
    EXPECT_INT(add_memory(&first, &mine), HY_STATUS_OK);
    theirs.id = 7;
    EXPECT_INT(raw_execute(&second, prepared[1], &theirs, &theirs), HY_WIRE_STATUS_UNKNOWN_MEMORY);
    EXPECT_INT(add_memory(&second, &theirs), HY_STATUS_OK);
    EXPECT_INT(raw_execute(&first, prepared[0], &mine, &mine), HY_STATUS_OK);
    EXPECT_INT(raw_execute(&second, prepared[1], &theirs, &theirs), HY_STATUS_OK);
    EXPECT_INT(first_sum(&mine), 700 + 704);
    EXPECT_INT(first_sum(&theirs), 800 + 804);
    close(mine.fd);
    close(theirs.fd);
    raw_close(&first);
    raw_close(&second);
    shared_service_finish(&service);
}

/* All that a client could guess: the numbers that the other one has, and those around them. */
static void guess(struct raw_client *client, uint64_t known)
{
    static const enum hy_wire_kind kinds[] = {HY_WIRE_PREPARED_DESTROY, HY_WIRE_REUSABLE_DESTROY,
                                              HY_WIRE_FENCED_DESTROY, HY_WIRE_FENCED_RESULT,
                                              HY_WIRE_BUFFER_DESTROY};

    for (uint64_t object = known > 64 ? known - 64 : 0; object < known + 64; object++) {
        for (size_t kind = 0; kind < sizeof kinds / sizeof *kinds; kind++) {
            raw_call(client, kinds[kind], object);
            EXPECT_INT(raw_make(client), HY_STATUS_INVALID_ARGUMENT);
        }
    }
}

TEST(shared_clients, objects_of_one_client_are_not_found_by_another)
{
    struct raw_client first, second;
    const struct hy_pool memory = make_memory(1);
    uint32_t token = 0;

    REQUIRE(start(cpu));
    REQUIRE(begin(&first) && begin(&second));
    const uint64_t prepared = raw_prepare(&first), buffer = raw_buffer(&first, prepared, &token);
    REQUIRE(prepared != 0 && buffer != 0);
    EXPECT_INT(add_memory(&second, &memory), HY_STATUS_OK);
    guess(&second, prepared);
    guess(&second, buffer);
    EXPECT_INT(raw_execute(&second, prepared, &memory, &memory), HY_STATUS_INVALID_ARGUMENT);
    EXPECT_INT(raw_buffer(&second, prepared, &token), 0);

    /* The first one has lost nothing. */
    EXPECT_INT(add_memory(&first, &memory), HY_STATUS_OK);
    EXPECT_INT(raw_execute(&first, prepared, &memory, &memory), HY_STATUS_OK);
    close(memory.fd);
    raw_close(&first);
    raw_close(&second);
    shared_service_finish(&service);
}

TEST(shared_clients, buffers_of_one_client_are_refused_for_another)
{
    struct raw_client first, second;
    const struct hy_pool memory = make_memory(1);
    uint32_t token = 0;

    REQUIRE(start(cpu));
    REQUIRE(begin(&first) && begin(&second));
    const uint64_t mine = raw_prepare(&first), theirs = raw_prepare(&second);
    REQUIRE(mine != 0 && theirs != 0);
    const uint64_t buffer = raw_buffer(&first, mine, &token);
    REQUIRE(buffer != 0 && token != 0);
    raw_call(&first, HY_WIRE_BUFFER_COPY_FROM, buffer);
    const struct hy_pool pool = {
        .kind = HY_POOL_ASHMEM, .protection = HY_PROTECT_READ, .fd = memory.fd, .size = 16};
    hy_buffer_copy_pack(&first.call.body, &(struct hy_buffer_copy){pool, &(uint32_t){4}, 1});
    EXPECT_INT(raw_make(&first), HY_STATUS_OK);
    EXPECT_INT(add_memory(&first, &memory), HY_STATUS_OK);
    EXPECT_INT(add_memory(&second, &memory), HY_STATUS_OK);

    for (uint32_t guessed = token > 32 ? token - 32 : 1; guessed < token + 32; guessed++) {
        const struct hy_pool named = {.kind = HY_POOL_BUFFER, .buffer_token = guessed, .fd = -1};
        EXPECT_INT(raw_execute(&second, theirs, &named, &memory), HY_STATUS_INVALID_ARGUMENT);
        EXPECT_CONTAINS(second.error_text, "the buffer does not belong to the client");
    }
    const struct hy_pool own = {.kind = HY_POOL_BUFFER, .buffer_token = token, .fd = -1};
    EXPECT_INT(raw_execute(&first, mine, &own, &memory), HY_STATUS_OK);
    EXPECT_INT(first_sum(&memory), 100 + 104);
    close(memory.fd);
    raw_close(&first);
    raw_close(&second);
    shared_service_finish(&service);
}

/* ---- How much of it -------------------------------------------------------------------------- */

TEST(shared_clients, connections_of_a_user_are_limited)
{
    static struct raw_client clients[MOST_CLIENTS + 1];
    struct raw_client *last = &clients[MOST_CLIENTS];

    REQUIRE(start(cpu));
    for (int i = 0; i < MOST_CLIENTS; i++)
        EXPECT(begin(&clients[i]));
    REQUIRE(raw_connect(last, service.socket));
    EXPECT_INT(raw_open(last, "", "{}"), HY_STATUS_RESOURCE_EXHAUSTED_TRANSIENT);
    EXPECT_CONTAINS(last->error_text, "32 of at most 32 connections");
    raw_close(last);
    EXPECT(shared_service_logs(&service,
                               "32 of at most 32 connections; further requests are refused", 1));
    EXPECT(raw_prepare(&clients[0]) != 0); /* the others are served */

    /* Where one leaves there is room for another. */
    raw_close(&clients[0]);
    EXPECT(shared_service_logs(&service, " has left", 1));
    EXPECT(begin(&clients[0]));
    for (int i = 0; i < MOST_CLIENTS; i++)
        raw_close(&clients[i]);
    shared_service_finish(&service);
}

static bool is_hung_up(int fd)
{
    struct pollfd end = {.fd = fd};
    return poll(&end, 1, TIMEOUT_MS) == 1 && (end.revents & POLLHUP);
}

TEST(shared_clients, channels_of_a_client_are_limited)
{
    struct raw_client greedy, other;
    int channels[MOST_CHANNELS];

    REQUIRE(start(cpu));
    REQUIRE(begin(&greedy) && begin(&other));
    for (int i = 0; i < MOST_CHANNELS; i++) /* one more than it may have */
        channels[i] = raw_channel(&greedy);
    EXPECT(is_hung_up(channels[MOST_CHANNELS - 1]));
    EXPECT(shared_service_logs(&service,
                               "256 of at most 256 channels; further requests are refused", 1));
    EXPECT(raw_prepare(&greedy) != 0);
    EXPECT(raw_prepare(&other) != 0);
    for (int i = 0; i < MOST_CHANNELS; i++)
        close(channels[i]);
    raw_close(&greedy);
    raw_close(&other);
    shared_service_finish(&service);
}

TEST(shared_clients, mapped_bytes_of_a_client_are_limited)
{
    struct raw_client greedy, other;
    struct hy_pool memory = make_memory(1), large = make_memory(2);

    REQUIRE(start(cpu));
    REQUIRE(begin(&greedy) && begin(&other));
    large.size = UINT64_C(257) << 30; /* there are no pages behind it */
    REQUIRE(ftruncate(large.fd, (off_t)large.size) == 0);
    EXPECT_INT(add_memory(&greedy, &large), HY_STATUS_RESOURCE_EXHAUSTED_TRANSIENT);
    EXPECT_CONTAINS(greedy.error_text, "mapped bytes");
    EXPECT_INT(add_memory(&greedy, &memory), HY_STATUS_OK);
    EXPECT_INT(add_memory(&other, &memory), HY_STATUS_OK);
    close(memory.fd);
    close(large.fd);
    raw_close(&greedy);
    raw_close(&other);
    shared_service_finish(&service);
}

/* Its own end, which the service would hold for ever, and wait for its end. */
static bool hand_in_own_end(struct raw_client *client)
{
    struct hy_error err;

    raw_call(client, HY_WIRE_CHANNEL, 0);
    hy_pack_fd(&client->call.body, client->control.fd);
    return hy_frame_send(&client->control, &client->call, 0, &err) == HY_OK;
}

TEST(shared_clients, one_that_hands_in_its_own_connection_has_left_when_it_hangs_up)
{
    struct raw_client client;

    REQUIRE(start(cpu));
    for (unsigned i = 1; i <= 2; i++) {
        REQUIRE(begin(&client));
        EXPECT(hand_in_own_end(&client));
        raw_close(&client);
        EXPECT(shared_service_logs(&service, " has left", i));
    }
    shared_service_finish(&service);
}

/* ---- Who it is ------------------------------------------------------------------------------- */

TEST(shared_clients, log_names_process_and_user_of_each)
{
    struct raw_client client;
    char line[64];

    REQUIRE(start(cpu));
    REQUIRE(begin(&client));
    snprintf(line, sizeof line, "process %d of user %u has come", (int)getpid(),
             (unsigned)geteuid());
    EXPECT(shared_service_logs(&service, line, 1));
    raw_close(&client);
    snprintf(line, sizeof line, "process %d of user %u has left", (int)getpid(),
             (unsigned)geteuid());
    EXPECT(shared_service_logs(&service, line, 1));
    shared_service_finish(&service);
}

static void receive_line(void *context, int32_t level, const char *text)
{
    (void)context;
    (void)level;
    (void)text;
}

/* Opens the service as a client of this process's user, or of another one's. */
static int open_as(uid_t user, const char *trusted, char *reason, size_t space)
{
    static const struct hy_host host = {
        .struct_size = sizeof host, .abi = HY_DRIVER_ABI, .log = receive_line};
    static const struct hy_service_settings settings = {.program = "/nowhere",
                                                        .hang_timeout_seconds = 60};
    const struct hy_service_launch launch = {
        .library = "", .arguments = "{}", .socket = service.socket, .socket_user = trusted};
    struct hy_service *opened = NULL;
    struct hy_error err = {0};
    int ends[2], status = -1;

    if (pipe(ends) != 0)
        return -1;
    fflush(stdout);
    const pid_t child = fork();
    if (child == 0) {
        if (user != geteuid() && setresuid(user, user, user) != 0)
            _exit(99);
        const enum hy_code code = hy_service_open(&launch, &settings, &host, &opened, &err);
        (void)!write(ends[1], err.text, strlen(err.text) + 1);
        _exit((int)code);
    }
    waitpid(child, &status, 0);
    (void)!write(ends[1], "", 1);
    reason[0] = '\0';
    (void)!read(ends[0], reason, space);
    close(ends[0]);
    close(ends[1]);
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

static bool init_for(uid_t user)
{
    return shared_service_init(&service) && chown(service.dir, user, (gid_t)-1) == 0;
}

TEST(shared_clients, app_trusts_root_and_itself_and_whom_the_manifest_names)
{
    char reason[512], number[16];

    if (geteuid() != 0)
        return; /* nobody else can be asked */
    REQUIRE(start(cpu));
    EXPECT_INT(open_as(0, "", reason, sizeof reason), HY_OK);
    EXPECT_INT(open_as(OTHER_USER, "", reason, sizeof reason), HY_OK); /* run by root */
    shared_service_finish(&service);

    REQUIRE(init_for(OTHER_USER));
    fflush(stdout);
    const pid_t impostor = fork();
    if (impostor == 0) {
        int status;
        if (setresuid(OTHER_USER, OTHER_USER, OTHER_USER) != 0 ||
            !shared_service_start(&service, cpu, &status))
            _exit(1);
        raise(SIGSTOP);
        (void)shared_service_end(&service, SIGTERM);
        _exit(0);
    }
    int status = 0;
    REQUIRE(waitpid(impostor, &status, WUNTRACED) == impostor && WIFSTOPPED(status));
    EXPECT_INT(open_as(0, "", reason, sizeof reason), HY_FAILED);
    EXPECT_CONTAINS(reason, "runs as user 54321, needs root, this user");
    snprintf(number, sizeof number, "%d", OTHER_USER);
    EXPECT_INT(open_as(0, number, reason, sizeof reason), HY_OK);
    EXPECT_INT(open_as(0, "root", reason, sizeof reason), HY_FAILED);
    EXPECT_INT(open_as(OTHER_USER, "", reason, sizeof reason), HY_OK);
    kill(impostor, SIGCONT);
    waitpid(impostor, &status, 0);
    EXPECT_INT(status, 0);
    shared_service_finish(&service);
}
