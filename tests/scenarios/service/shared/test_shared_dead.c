/* Clients that die with work under way, that say nothing, or that take what they can get. */
#include "common/clock.h"
#include "plugins/service/queue/queue_burst.h"
#include "plugins/service/wire/bursts.h"
#include "plugins/service/wire/options.h"
#include "plugins/service/wire/pools.h"
#include "plugins/service/wire/wire_model.h"
#include "plugins/service/wire/wire_request.h"
#include "raw_client.h"
#include "shared_service.h"
#include "tests/kit/test.h"
#include "tests/unit/cpu_fallback/kit/flow_model.h"

#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum {
    OTHER_USER = 54321,
    MOST_CLIENTS = 32, /* connections of one user */
    CALLS = 4,         /* without an end, at once */
    EXTENT = 4,
    BYTES = 16, /* of a tensor */
};

static const char *const cpu[] = {"--cpu", "--socket-mode", "0666", NULL};

/* A service for each test. */
static struct shared_service service;

static bool start(void)
{
    int status;
    return shared_service_init(&service) && shared_service_start(&service, cpu, &status);
}

static bool begin(struct raw_client *client)
{
    return raw_begin(client, service.socket, "", "{}");
}

/* ---- Work without an end --------------------------------------------------------------------- */

/* Its number, 0: it is not prepared. */
static uint64_t prepare_endless(struct raw_client *client)
{
    const struct hy_prepare_options options = {.struct_size = sizeof options,
                                               .deadline = HY_NO_DEADLINE};
    struct hy_flow flow;

    hy_flow_init(&flow);
    hy_flow_endless_main(&flow, EXTENT);
    raw_call(client, HY_WIRE_PREPARE, 0);
    hy_model_pack(&client->call.body, hy_flow_model(&flow));
    hy_prepare_options_pack(&client->call.body, &options);
    const int32_t status = raw_make(client);
    hy_flow_finish(&flow);
    return status == HY_STATUS_OK ? client->reply.header.object : 0;
}

static struct hy_pool make_memory(uint64_t id)
{
    struct hy_pool pool = {.kind = HY_POOL_ASHMEM,
                           .protection = HY_PROTECT_READ | HY_PROTECT_WRITE,
                           .fd = memfd_create("test", MFD_CLOEXEC),
                           .id = id,
                           .size = 4 * BYTES};

    if (ftruncate(pool.fd, (off_t)pool.size) != 0)
        pool.size = 0;
    return pool;
}

static int32_t add_memory(struct raw_client *client, const struct hy_pool *pool)
{
    raw_call(client, HY_WIRE_MEMORY_ADD, pool->id);
    hy_memory_pack(&client->call.body, pool);
    return raw_make(client);
}

/* The arguments of an execution: a tensor in, and one out. */
struct arguments {
    struct hy_pool pool;
    struct hy_argument in, out;
    struct hy_request request;
    struct hy_run_options options;
};

static void arguments_init(struct arguments *arguments, const struct hy_pool *pool)
{
    *arguments = (struct arguments){
        .pool = *pool,
        .in = {.location = {.length = BYTES}},
        .out = {.location = {.offset = BYTES, .length = BYTES}},
        .request = {.struct_size = sizeof arguments->request,
                    .input_count = 1,
                    .output_count = 1,
                    .pool_count = 1,
                    .inputs = &arguments->in,
                    .outputs = &arguments->out,
                    .pools = &arguments->pool},
        .options = {.struct_size = sizeof arguments->options, .deadline = HY_NO_DEADLINE},
    };
}

/* Sends the call over a channel, and does not wait for the answer. */
static bool send_execute(struct raw_client *client, int channel, uint64_t prepared,
                         const struct hy_pool *pool)
{
    struct arguments arguments;
    struct hy_socket socket;
    struct hy_error err;

    arguments_init(&arguments, pool);
    raw_call(client, HY_WIRE_EXECUTE, prepared);
    hy_request_pack(&client->call.body, &arguments.request);
    hy_run_options_pack(&client->call.body, &arguments.options);
    hy_socket_init(&socket, channel);
    return hy_frame_send(&socket, &client->call, HY_NO_DEADLINE, &err) == HY_OK;
}

/* Processor time of the host so far, ticks. */
static long ticks(void)
{
    unsigned long user = 0, system = 0;
    char path[64];

    snprintf(path, sizeof path, "/proc/%d/stat", (int)shared_service_host(&service));
    FILE *file = fopen(path, "re");
    if (!file)
        return -1;
    if (fscanf(file, "%*d (%*[^)]) %*c %*d %*d %*d %*d %*d %*u %*u %*u %*u %*u %lu %lu", &user,
               &system) != 2)
        user = 0;
    fclose(file);
    return (long)(user + system);
}

static void pause_ms(long ms)
{
    const struct timespec time = {.tv_sec = ms / 1000, .tv_nsec = ms % 1000 * 1000000};
    nanosleep(&time, NULL);
}

/* Until the host computes. */
static bool is_at_work(void)
{
    const long before = ticks();

    for (int waited = 0; waited < TIMEOUT_MS; waited += 10) {
        if (ticks() > before + 5)
            return true;
        pause_ms(10);
    }
    return false;
}

/* Until it has computed nothing for a while. */
static bool comes_to_rest(void)
{
    for (int waited = 0; waited < TIMEOUT_MS; waited += 300) {
        const long before = ticks();
        pause_ms(300);
        if (ticks() <= before + 2)
            return true;
    }
    return false;
}

/* A client with CALLS calls under way; its channels. */
static bool begin_endless(struct raw_client *client, int channels[CALLS], struct hy_pool *memory)
{
    if (!begin(client))
        return false;
    const uint64_t prepared = prepare_endless(client);
    *memory = make_memory(1);
    bool is_good = prepared != 0 && add_memory(client, memory) == HY_STATUS_OK;
    for (int i = 0; i < CALLS; i++) {
        channels[i] = raw_channel(client);
        is_good =
            is_good && channels[i] >= 0 && send_execute(client, channels[i], prepared, memory);
    }
    return is_good && is_at_work();
}

static void expect_served(struct raw_client *client)
{
    const uint64_t prepared = raw_prepare(client);
    const struct hy_pool memory = make_memory(9);

    EXPECT(prepared != 0);
    EXPECT_INT(add_memory(client, &memory), HY_STATUS_OK);
    EXPECT_INT(raw_execute(client, prepared, &memory, &memory), HY_STATUS_OK);
    close(memory.fd);
}

/* ---- Death ----------------------------------------------------------------------------------- */

TEST(shared_dead, calls_of_a_client_that_is_killed_end_and_others_are_served_meanwhile)
{
    struct raw_client other;
    int ends[2], status = 0;
    char byte = 0;

    REQUIRE(start());
    REQUIRE(pipe(ends) == 0);
    fflush(stdout);
    const pid_t child = fork();
    if (child == 0) {
        struct raw_client client;
        struct hy_pool memory;
        int channels[CALLS];
        if (begin_endless(&client, channels, &memory))
            (void)!write(ends[1], "x", 1);
        for (;;)
            pause();
    }
    close(ends[1]);
    REQUIRE(read(ends[0], &byte, 1) == 1);
    REQUIRE(begin(&other));
    expect_served(&other);
    kill(child, SIGKILL);
    waitpid(child, &status, 0);
    EXPECT(shared_service_logs(&service, " has left", 1));
    EXPECT(comes_to_rest());
    expect_served(&other);
    close(ends[0]);
    raw_close(&other);
    shared_service_finish(&service);
}

TEST(shared_dead, call_ends_when_its_channel_is_closed_and_the_client_stays)
{
    struct raw_client client;
    struct hy_pool memory;
    int channels[CALLS];

    REQUIRE(start());
    REQUIRE(begin_endless(&client, channels, &memory));
    for (int i = 0; i < CALLS; i++)
        close(channels[i]);
    EXPECT(comes_to_rest());
    expect_served(&client);
    close(memory.fd);
    raw_close(&client);
    shared_service_finish(&service);
}

/* ---- Death in a burst ------------------------------------------------------------------------ */

/* The owner of a burst, whose notices go over the channel. */
struct burst_client {
    struct raw_client *client;
    struct hy_queue_burst *burst;
    const struct hy_pool *memory;
    pthread_t thread;
};

static bool announce(void *context, int32_t slot, const struct hy_pool *pool, int64_t deadline)
{
    struct raw_client *client = ((struct burst_client *)context)->client;
    struct hy_error err;

    raw_call(client, HY_WIRE_BURST_ANNOUNCE, 0);
    hy_burst_slot_pack(&client->call.body, &(struct hy_burst_slot){slot, *pool});
    return hy_frame_send(&client->channel, &client->call, deadline, &err) == HY_OK;
}

static bool retract(void *context, int32_t slot)
{
    (void)context;
    (void)slot;
    return false;
}

static bool open_burst(struct burst_client *own, uint64_t prepared)
{
    const struct hy_queue_burst_owner owner = {
        .context = own, .announce = announce, .retract = retract};
    const struct hy_queue_burst_rules rules = {.spin_ns = HY_QUEUE_USUAL_SPIN_NS, .depth = 1};
    struct hy_error err;
    int rings = -1;

    if (hy_queue_burst_create(&owner, &rules, &own->burst, &rings, &err) != HY_OK)
        return false;
    raw_call(own->client, HY_WIRE_BURST_OPEN, prepared);
    hy_pack_fd(&own->client->call.body, rings);
    const int32_t status = raw_make(own->client);
    close(rings);
    return status == HY_STATUS_OK;
}

static void *execute_in_burst(void *context)
{
    struct burst_client *own = context;
    struct hy_output_shape shape = {0};
    struct hy_result result = {.struct_size = sizeof result, .output_count = 1, .outputs = &shape};
    struct arguments arguments;

    arguments_init(&arguments, own->memory);
    (void)hy_queue_burst_execute(own->burst, &arguments.request, &arguments.options, &result);
    return NULL;
}

TEST(shared_dead, execution_in_a_burst_ends_with_the_client)
{
    struct raw_client client, other;
    const struct hy_pool memory = make_memory(1);
    struct burst_client own = {.client = &client, .memory = &memory};

    REQUIRE(start());
    REQUIRE(begin(&client) && begin(&other));
    const uint64_t prepared = prepare_endless(&client);
    REQUIRE(prepared != 0 && add_memory(&client, &memory) == HY_STATUS_OK);
    REQUIRE(open_burst(&own, prepared));
    REQUIRE(pthread_create(&own.thread, NULL, execute_in_burst, &own) == 0);
    EXPECT(is_at_work());
    hy_queue_burst_set_dead(own.burst); /* the thread comes back; the service computes on */
    pthread_join(own.thread, NULL);
    expect_served(&other);
    raw_close(&client);
    EXPECT(shared_service_logs(&service, " has left", 1));
    EXPECT(comes_to_rest());
    expect_served(&other);
    hy_queue_burst_destroy(own.burst);
    close(memory.fd);
    raw_close(&other);
    shared_service_finish(&service);
}

/* ---- Silence --------------------------------------------------------------------------------- */

static bool is_hung_up(int fd)
{
    struct pollfd end = {.fd = fd};
    return poll(&end, 1, TIMEOUT_MS) == 1 && (end.revents & POLLHUP);
}

TEST(shared_dead, silent_connections_take_no_room_and_are_closed)
{
    static struct raw_client silent[2 * MOST_CLIENTS];
    struct raw_client client;
    struct holdings before, after;

    REQUIRE(start());
    const pid_t host = shared_service_host(&service);
    REQUIRE(holdings_of(host, &before));
    for (int i = 0; i < 2 * MOST_CLIENTS; i++)
        REQUIRE(raw_connect(&silent[i], service.socket));
    EXPECT(begin(&client));
    expect_served(&client);
    EXPECT(holdings_of(host, &after));
    EXPECT(after.threads < before.threads + MOST_CLIENTS);
    for (int i = 0; i < 2 * MOST_CLIENTS; i++)
        EXPECT(is_hung_up(silent[i].control.fd));
    expect_served(&client);
    for (int i = 0; i < 2 * MOST_CLIENTS; i++)
        raw_close(&silent[i]);
    raw_close(&client);
    shared_service_finish(&service);
}

/* HELLO alone is not enough. */
TEST(shared_dead, connections_that_stop_after_their_first_word_are_closed)
{
    static struct raw_client slow[MOST_CLIENTS];
    struct raw_client client;

    REQUIRE(start());
    for (int i = 0; i < MOST_CLIENTS; i++) {
        REQUIRE(raw_connect(&slow[i], service.socket));
        EXPECT_INT(raw_hello(&slow[i]), HY_STATUS_OK);
    }
    EXPECT(begin(&client));
    for (int i = 0; i < MOST_CLIENTS; i++)
        EXPECT(is_hung_up(slow[i].control.fd));
    expect_served(&client);
    for (int i = 0; i < MOST_CLIENTS; i++)
        raw_close(&slow[i]);
    raw_close(&client);
    shared_service_finish(&service);
}

/* ---- Greed ----------------------------------------------------------------------------------- */

/* The rest of a process of another user: it comes, is served once when it is told, and says so. */
static int be_served_as(uid_t user, int notified, int notify_fd)
{
    struct raw_client client;
    char byte = 0;

    if (setresuid(user, user, user) != 0 || !begin(&client) || write(notify_fd, "x", 1) != 1 ||
        read(notified, &byte, 1) != 1)
        return 1;
    const uint64_t prepared = raw_prepare(&client);
    const struct hy_pool memory = make_memory(9);
    const bool is_good = prepared != 0 && add_memory(&client, &memory) == HY_STATUS_OK &&
                         raw_execute(&client, prepared, &memory, &memory) == HY_STATUS_OK;
    return is_good ? 0 : 2;
}

struct other_user {
    pid_t process;
    int notified[2], notify_fd[2];
};

static bool other_user_comes(struct other_user *other)
{
    char byte = 0;

    if (pipe(other->notified) != 0 || pipe(other->notify_fd) != 0)
        return false;
    fflush(stdout);
    other->process = fork();
    if (other->process == 0)
        _exit(be_served_as(OTHER_USER, other->notified[0], other->notify_fd[1]));
    close(other->notify_fd[1]);
    return other->process > 0 && read(other->notify_fd[0], &byte, 1) == 1;
}

static int other_user_is_served(struct other_user *other)
{
    int status = -1;

    (void)!write(other->notified[1], "x", 1);
    const bool has_ended = waitpid(other->process, &status, 0) == other->process;
    close(other->notified[0]);
    close(other->notified[1]);
    close(other->notify_fd[0]);
    return has_ended && WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

/* Calls of one user that are let into the driver together, and a few. */
static int more_than_enough(void)
{
    return (int)(2 * sysconf(_SC_NPROCESSORS_ONLN) + 4);
}

static int64_t soon(void)
{
    return hy_clock_boot() + 200000000;
}

TEST(shared_dead, user_with_endless_work_waits_and_another_one_does_not)
{
    struct raw_client greedy;
    struct other_user other;
    const struct hy_pool memory = make_memory(1);
    struct arguments arguments;

    if (geteuid() != 0)
        return; /* nobody else can be asked */
    REQUIRE(start());
    REQUIRE(other_user_comes(&other));
    REQUIRE(begin(&greedy));
    const uint64_t prepared = prepare_endless(&greedy);
    REQUIRE(prepared != 0 && add_memory(&greedy, &memory) == HY_STATUS_OK);
    for (int i = 0; i < more_than_enough(); i++) {
        const int channel = raw_channel(&greedy); /* stays open until the process ends */
        REQUIRE(channel >= 0 && send_execute(&greedy, channel, prepared, &memory));
    }
    EXPECT(is_at_work());
    arguments_init(&arguments, &memory);
    arguments.options.deadline = soon();
    raw_call(&greedy, HY_WIRE_EXECUTE, prepared);
    hy_request_pack(&greedy.call.body, &arguments.request);
    hy_run_options_pack(&greedy.call.body, &arguments.options);
    EXPECT_INT(raw_make(&greedy), HY_STATUS_MISSED_DEADLINE_TRANSIENT);
    EXPECT_CONTAINS(greedy.error_text, "no processor became free before the deadline");
    EXPECT_INT(other_user_is_served(&other), 0);
    raw_close(&greedy);
    close(memory.fd);
    EXPECT(shared_service_logs(&service, " has left", 2));
    EXPECT(comes_to_rest());
    shared_service_finish(&service);
}
