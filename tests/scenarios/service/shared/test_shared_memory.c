/* What clients make a driver allocate: so much for each of them, each user and the service, whoever
 * else is there. */
#include "plugins/service/wire/pools.h"
#include "raw_client.h"
#include "shared_service.h"
#include "tests/kit/model_builder.h"
#include "tests/kit/sanitizers.h"
#include "tests/kit/test.h"

#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

/* A service may have 256 MiB, so a user 128 MiB and a client 96 MiB: two tensors of 32 MiB, and all
 * else. */
#define SERVICE_MEMORY "268435456"
enum {
    OTHER_USER = 54321,
    ROWS = 1024,
    COLUMNS = 8192,
    TOO_MANY_COLUMNS = 768000,
    CLIENT_TENSORS = 2,
    MOST_MODELS = 16,
    THREADS = 8,
    ROUNDS = 12,
};
enum { FLOAT32 = 0, TENSOR_FLOAT32 = 3, TENSOR_INT32 = 4, REDUCE_MAX = 77, FILL = 100 };

static const char *const cpu[] = {"--cpu", "--socket-mode", "0666", NULL};
static struct shared_service service;

static bool start(const char *const *arguments)
{
    int status;

    setenv("HALYARD_SERVICE_MEMORY", SERVICE_MEMORY, 1);
    const bool is_ready =
        shared_service_init(&service) && shared_service_start(&service, arguments, &status);
    unsetenv("HALYARD_SERVICE_MEMORY");
    return is_ready;
}

static bool begin(struct raw_client *client)
{
    return raw_begin(client, service.socket, "", "{}");
}

/* What the process has in memory at most: with what a client may have, and what it always has. */
#if defined(HY_WITH_ADDRESS_SANITIZER) || defined(HY_WITH_THREAD_SANITIZER)
#define MOST_KIB (1024u * 1024u)
#else
#define MOST_KIB (200u * 1024u)
#endif

/* ---- A small model of a large tensor --------------------------------------------------------- */

/* A tensor of so many columns, all one number, and its maximum. */
static uint64_t prepare_large(struct raw_client *client, int32_t columns)
{
    const int32_t extents[] = {ROWS, columns};
    static const int32_t axes[] = {0, 1};
    const struct hy_builder_type list = {.type = TENSOR_INT32, .rank = 1, .dims = {2}};
    const struct hy_builder_type number = {.type = FLOAT32};
    const struct hy_builder_type large = {
        .type = TENSOR_FLOAT32, .rank = 2, .dims = {ROWS, (uint32_t)columns}};
    const struct hy_builder_type one = {.type = TENSOR_FLOAT32, .rank = 1, .dims = {1}};
    struct hy_builder builder;

    hy_builder_init(&builder);
    const uint32_t fill[] = {hy_builder_constant(&builder, &list, extents, sizeof extents),
                             hy_builder_input(&builder, &number)};
    const uint32_t middle = hy_builder_temporary(&builder, &large);
    const uint32_t reduce[] = {middle, hy_builder_constant(&builder, &list, axes, sizeof axes),
                               hy_builder_bool(&builder, 0)};
    const uint32_t result = hy_builder_output(&builder, &one);
    hy_builder_operation(&builder, FILL, 2, fill, 1, &middle);
    hy_builder_operation(&builder, REDUCE_MAX, 3, reduce, 1, &result);
    const uint64_t prepared = raw_prepare_model(client, hy_builder_model(&builder));
    hy_builder_finish(&builder);
    return prepared;
}

/* 64 bytes, the first of them a number. */
static int make_file(float number)
{
    const int fd = memfd_create("test", MFD_CLOEXEC);

    if (ftruncate(fd, 64) != 0 || pwrite(fd, &number, sizeof number, 0) != sizeof number)
        return -1;
    return fd;
}

/* The number goes in at the start of the file, the result to byte 32. */
static int32_t run_large(struct raw_client *client, enum hy_wire_kind kind, uint64_t prepared,
                         int fd)
{
    const struct hy_pool pool = {.kind = HY_POOL_ASHMEM,
                                 .protection = HY_PROTECT_READ | HY_PROTECT_WRITE,
                                 .fd = fd,
                                 .size = 64};
    const struct hy_argument input = {.location = {.length = 4}};
    const struct hy_argument output = {.location = {.offset = 32, .length = 4}};
    const struct hy_request request = {.struct_size = sizeof request,
                                       .input_count = 1,
                                       .output_count = 1,
                                       .pool_count = 1,
                                       .inputs = &input,
                                       .outputs = &output,
                                       .pools = &pool};

    return raw_request(client, kind, prepared, &request);
}

static float result_of(int fd)
{
    float result = 0.0f;
    return pread(fd, &result, sizeof result, 32) == sizeof result ? result : 0.0f;
}

/* Models, each of which keeps the tensor of its run, until one cannot run; how many did. */
static uint32_t alloc_all(struct raw_client *client, int fd, int32_t *last)
{
    uint32_t count = 0;

    *last = HY_STATUS_OK;
    while (*last == HY_STATUS_OK && count < MOST_MODELS) {
        const uint64_t prepared = prepare_large(client, COLUMNS);
        *last = run_large(client, HY_WIRE_EXECUTE, prepared, fd);
        count += *last == HY_STATUS_OK;
    }
    return count;
}

/* An inference as usual. */
static bool is_served(struct raw_client *client)
{
    const struct hy_pool memory = {.kind = HY_POOL_ASHMEM,
                                   .protection = HY_PROTECT_READ | HY_PROTECT_WRITE,
                                   .fd = make_file(3.0f),
                                   .size = 64};
    const uint64_t prepared = raw_prepare(client);
    float sum = 0.0f;

    const bool is_run = prepared != 0 &&
                        raw_execute(client, prepared, &memory, &memory) == HY_STATUS_OK &&
                        pread(memory.fd, &sum, sizeof sum, 32) == sizeof sum;
    close(memory.fd);
    raw_call(client, HY_WIRE_PREPARED_DESTROY, prepared);
    return is_run && sum == 3.0f && raw_make(client) == HY_STATUS_OK;
}

/* The same for another user, in a process of its own. */
static bool is_served_as_other_user(void)
{
    int status = -1;

    if (geteuid() != 0)
        return true; /* nobody else can be asked */
    fflush(stdout);
    const pid_t child = fork();
    if (child == 0) {
        struct raw_client client;
        if (setresuid(OTHER_USER, OTHER_USER, OTHER_USER) != 0)
            _exit(2);
        _exit(begin(&client) && is_served(&client) ? 0 : 1);
    }
    return waitpid(child, &status, 0) == child && status == 0;
}

/* The most that the process has had in memory so far, in KiB. */
static unsigned long peak_of(pid_t process)
{
    unsigned long peak = 0;
    char path[64], line[128];

    snprintf(path, sizeof path, "/proc/%d/status", (int)process);
    FILE *file = fopen(path, "r");
    while (file && fgets(line, sizeof line, file) && sscanf(line, "VmHWM: %lu", &peak) != 1)
        ;
    if (file)
        fclose(file);
    return peak;
}

/* ---- Tests ----------------------------------------------------------------------------------- */

TEST(shared_memory, small_model_of_a_huge_tensor_is_refused_and_others_are_served)
{
    struct raw_client hostile, other;
    char who[64];
    const int fd = make_file(2.0f);

    REQUIRE(start(cpu));
    REQUIRE(begin(&hostile) && begin(&other));
    const uint64_t prepared = prepare_large(&hostile, TOO_MANY_COLUMNS);
    REQUIRE(prepared != 0);
    EXPECT_INT(run_large(&hostile, HY_WIRE_EXECUTE, prepared, fd),
               HY_STATUS_RESOURCE_EXHAUSTED_TRANSIENT);
    snprintf(who, sizeof who, "process %d of user %u has ", (int)getpid(), (unsigned)geteuid());
    EXPECT_CONTAINS(hostile.error_text, "3145728000 bytes");
    EXPECT_CONTAINS(hostile.error_text, who);
    EXPECT_CONTAINS(hostile.error_text, "of at most 100663296 allocated bytes");
    EXPECT(shared_service_logs(&service, "allocated bytes", 1));
    EXPECT(is_served(&hostile));
    EXPECT(is_served(&other));
    EXPECT(is_served_as_other_user());
    EXPECT(peak_of(shared_service_host(&service)) < MOST_KIB);
    close(fd);
    raw_close(&hostile);
    raw_close(&other);
    shared_service_finish(&service);
}

TEST(shared_memory, client_and_user_have_so_much_and_give_it_back_when_they_leave)
{
    struct raw_client hostile, other;
    const int fd = make_file(2.0f);
    int32_t last;

    REQUIRE(start(cpu));
    REQUIRE(begin(&hostile) && begin(&other));
    EXPECT_INT(alloc_all(&hostile, fd, &last), CLIENT_TENSORS);
    EXPECT_INT(last, HY_STATUS_RESOURCE_EXHAUSTED_TRANSIENT);
    EXPECT_CONTAINS(hostile.error_text, "of at most 100663296 allocated bytes");

    /* The user has 128 MiB: another client of the same gets the rest, and is served. */
    EXPECT_INT(alloc_all(&other, fd, &last), 1);
    EXPECT_CONTAINS(other.error_text, "of at most 134217728 allocated bytes");
    EXPECT(is_served(&other));
    EXPECT(is_served_as_other_user());

    /* Where the one has left all of it is there again. */
    raw_close(&hostile);
    EXPECT(shared_service_logs(&service, " has left\n", geteuid() == 0 ? 2 : 1));
    EXPECT_INT(alloc_all(&other, fd, &last), CLIENT_TENSORS - 1);
    raw_close(&other);
    EXPECT(shared_service_logs(&service, " has left\n", geteuid() == 0 ? 3 : 2));
    EXPECT_INT(shared_service_count(&service, "still allocated"), 0);
    close(fd);
    shared_service_finish(&service);
}

/* One of many threads of a hostile client, each with a channel of its own. */
struct attacker {
    struct raw_client client; /* its channel alone */
    uint64_t prepared;
    unsigned served, refused, wrong;
};

static atomic_bool is_over;

static void *attack(void *context)
{
    struct attacker *attacker = context;
    const int fd = make_file(2.0f);

    while (!atomic_load(&is_over)) {
        const int32_t status =
            run_large(&attacker->client, HY_WIRE_EXECUTE, attacker->prepared, fd);
        if (status == HY_STATUS_OK && result_of(fd) == 2.0f)
            attacker->served++;
        else if (status == HY_STATUS_RESOURCE_EXHAUSTED_TRANSIENT)
            attacker->refused++;
        else
            attacker->wrong++;
    }
    close(fd);
    return NULL;
}

TEST(shared_memory, many_calls_at_once_of_one_client_stop_nobody_else)
{
    static struct attacker attackers[THREADS];
    struct raw_client hostile, other;
    pthread_t threads[THREADS];

    REQUIRE(start(cpu));
    REQUIRE(begin(&hostile) && begin(&other));
    const uint64_t prepared = prepare_large(&hostile, COLUMNS);
    REQUIRE(prepared != 0);
    atomic_store(&is_over, false);
    for (int i = 0; i < THREADS; i++) {
        attackers[i] = (struct attacker){.prepared = prepared};
        hy_socket_init(&attackers[i].client.channel, raw_channel(&hostile));
        hy_outgoing_init(&attackers[i].client.call);
        hy_incoming_init(&attackers[i].client.reply);
        REQUIRE(pthread_create(&threads[i], NULL, attack, &attackers[i]) == 0);
    }
    for (int i = 0; i < ROUNDS; i++)
        EXPECT(is_served(&other));
    EXPECT(is_served_as_other_user());
    atomic_store(&is_over, true);
    for (int i = 0; i < THREADS; i++) {
        pthread_join(threads[i], NULL);
        EXPECT_INT(attackers[i].wrong, 0);
        hy_socket_finish(&attackers[i].client.channel);
        hy_outgoing_finish(&attackers[i].client.call);
        hy_incoming_finish(&attackers[i].client.reply);
    }
    EXPECT(peak_of(shared_service_host(&service)) < MOST_KIB);
    raw_close(&hostile);
    raw_close(&other);
    EXPECT(shared_service_logs(&service, " has left\n", geteuid() == 0 ? 3 : 2));
    EXPECT_INT(shared_service_count(&service, "still allocated"), 0);
    shared_service_finish(&service);
}

static int score_of(pid_t process)
{
    char path[64];
    int score = -1000;

    snprintf(path, sizeof path, "/proc/%d/oom_score_adj", (int)process);
    FILE *file = fopen(path, "r");
    if (file && fscanf(file, "%d", &score) != 1)
        score = -1000;
    if (file)
        fclose(file);
    return score;
}

TEST(shared_memory, process_of_the_driver_is_killed_before_its_doorman_and_its_app)
{
    REQUIRE(start(cpu));
    const int host = score_of(shared_service_host(&service));
    EXPECT(host > score_of(service.pid) || host == 1000);
    EXPECT(host > score_of(getpid()) || host == 1000);
    shared_service_finish(&service);
}

/* ---- Memory of the server's own -------------------------------------------------------------- */

/* Each keeps a copy of its request: pools and extents that nobody reads. */
TEST(shared_memory, requests_that_the_server_keeps_count_as_the_client_s)
{
    enum { POOLS = 100000 };
    struct raw_client hostile, other;
    struct hy_pool *pools = calloc(POOLS, sizeof *pools);
    const struct hy_argument input = {.location = {.length = 4}};
    const struct hy_argument output = {.location = {.offset = 32, .length = 4}};
    const struct hy_request request = {.struct_size = sizeof request,
                                       .input_count = 1,
                                       .output_count = 1,
                                       .pool_count = POOLS,
                                       .inputs = &input,
                                       .outputs = &output,
                                       .pools = pools};
    int32_t status = HY_STATUS_OK;

    REQUIRE(pools != NULL);
    REQUIRE(start(cpu));
    REQUIRE(begin(&hostile) && begin(&other));
    const struct hy_pool memory = {.kind = HY_POOL_ASHMEM,
                                   .protection = HY_PROTECT_READ | HY_PROTECT_WRITE,
                                   .fd = make_file(2.0f),
                                   .id = 1,
                                   .size = 64};
    raw_call(&hostile, HY_WIRE_MEMORY_ADD, memory.id);
    hy_memory_pack(&hostile.call.body, &memory);
    REQUIRE(raw_make(&hostile) == HY_STATUS_OK);
    for (int i = 0; i < POOLS; i++)
        pools[i] = memory;
    const uint64_t prepared = prepare_large(&hostile, 4);
    REQUIRE(prepared != 0);
    for (int i = 0; i < 64 && status == HY_STATUS_OK; i++)
        status = raw_request(&hostile, HY_WIRE_REUSABLE_CREATE, prepared, &request);
    EXPECT_INT(status, HY_STATUS_RESOURCE_EXHAUSTED_TRANSIENT);
    EXPECT(is_served(&other));
    close(memory.fd);
    free(pools);
    raw_close(&hostile);
    raw_close(&other);
    EXPECT(shared_service_logs(&service, " has left\n", 2));
    EXPECT_INT(shared_service_count(&service, "still allocated"), 0);
    shared_service_finish(&service);
}
