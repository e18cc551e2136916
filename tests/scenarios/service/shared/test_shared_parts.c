/* Parts of shared services, each by itself: rations, what is kept for whom, where a service is. */
#include "plugins/discovery/manifest.h"
#include "plugins/service/server/calls/caller.h"
#include "plugins/service/server/clients/quota.h"
#include "plugins/service/server/host.h"
#include "plugins/service/server/parts.h"
#include "plugins/service_sockets.h"
#include "tests/kit/test.h"

#include <pthread.h>
#include <stdlib.h>
#include <time.h>

/* ---- Rations --------------------------------------------------------------------------------- */

struct quotas {
    struct hy_server_quota service, user, clients[2];
};

static void quotas_init(struct quotas *quotas)
{
    hy_server_quota_init(&quotas->service, HY_SERVER_QUOTA_SERVICE, NULL, "the service");
    hy_server_quota_init(&quotas->user, HY_SERVER_QUOTA_USER, &quotas->service, "user 7");
    hy_server_quota_init(&quotas->clients[0], HY_SERVER_QUOTA_CLIENT, &quotas->user, "process 1");
    hy_server_quota_init(&quotas->clients[1], HY_SERVER_QUOTA_CLIENT, &quotas->user, "process 2");
}

TEST(shared_quotas, client_gets_its_own_and_no_more)
{
    struct quotas quotas;
    struct hy_error err;

    quotas_init(&quotas);
    EXPECT_INT(hy_server_quota_charge(&quotas.clients[0], HY_SERVER_QUOTA_CHANNELS, 256, &err),
               HY_OK);
    EXPECT_INT(hy_server_quota_charge(&quotas.clients[0], HY_SERVER_QUOTA_CHANNELS, 1, &err),
               HY_EXHAUSTED);
    EXPECT_STR(err.text, "process 1 has 256 of at most 256 channels");
    EXPECT_INT(hy_server_quota_charge(&quotas.clients[1], HY_SERVER_QUOTA_CHANNELS, 1, &err),
               HY_OK);
    hy_server_quota_release(&quotas.clients[0], HY_SERVER_QUOTA_CHANNELS, 1);
    EXPECT_INT(hy_server_quota_charge(&quotas.clients[0], HY_SERVER_QUOTA_CHANNELS, 1, &err),
               HY_OK);
}

TEST(shared_quotas, clients_of_a_user_share_what_the_user_may_have)
{
    struct quotas quotas;
    struct hy_error err;

    quotas_init(&quotas);
    EXPECT_INT(hy_server_quota_charge(&quotas.clients[0], HY_SERVER_QUOTA_BODIES,
                                      UINT64_C(512) << 20, &err),
               HY_OK);
    EXPECT_INT(hy_server_quota_charge(&quotas.clients[1], HY_SERVER_QUOTA_BODIES,
                                      UINT64_C(257) << 20, &err),
               HY_EXHAUSTED);
    EXPECT_CONTAINS(err.text, "user 7 has 536870912 of at most 805306368 bytes of bodies");

    /* What was refused above has not been taken below. */
    EXPECT_INT(atomic_load(&quotas.clients[1].used[HY_SERVER_QUOTA_BODIES]), 0);
    EXPECT_INT(hy_server_quota_charge(&quotas.clients[1], HY_SERVER_QUOTA_BODIES,
                                      UINT64_C(256) << 20, &err),
               HY_OK);
    EXPECT_INT(atomic_load(&quotas.service.used[HY_SERVER_QUOTA_BODIES]), UINT64_C(768) << 20);
}

TEST(shared_quotas, amount_beyond_all_numbers_is_refused)
{
    struct quotas quotas;
    struct hy_error err;

    quotas_init(&quotas);
    EXPECT_INT(hy_server_quota_charge(&quotas.clients[0], HY_SERVER_QUOTA_MAPPED, 1, &err), HY_OK);
    EXPECT_INT(hy_server_quota_charge(&quotas.clients[0], HY_SERVER_QUOTA_MAPPED, UINT64_MAX, &err),
               HY_EXHAUSTED);
}

TEST(shared_quotas, memory_is_shared_out_by_the_service_s)
{
    struct quotas quotas;
    struct hy_error err;

    quotas_init(&quotas);
    hy_server_quota_limit_memory(8000, false);
    EXPECT_INT(hy_server_quota_charge(&quotas.clients[0], HY_SERVER_QUOTA_ALLOCATED, 3000, &err),
               HY_OK);
    EXPECT_INT(hy_server_quota_charge(&quotas.clients[0], HY_SERVER_QUOTA_ALLOCATED, 2, &err),
               HY_EXHAUSTED);
    EXPECT_STR(
        err.text,
        "process 1 has 3000 of at most 3000 allocated bytes, a request for 2 more is refused");
    EXPECT_INT(hy_server_quota_charge(&quotas.clients[1], HY_SERVER_QUOTA_ALLOCATED, 1001, &err),
               HY_EXHAUSTED);
    EXPECT_CONTAINS(err.text, "user 7 has 3000 of at most 4000 allocated bytes");
    EXPECT(hy_server_quota_is_possible(&quotas.clients[1], HY_SERVER_QUOTA_ALLOCATED, 3000));
    EXPECT(!hy_server_quota_is_possible(&quotas.clients[1], HY_SERVER_QUOTA_ALLOCATED, 3001));
    hy_server_quota_limit_memory(8000, true);
    EXPECT_INT(hy_server_quota_charge(&quotas.clients[0], HY_SERVER_QUOTA_ALLOCATED, 5000, &err),
               HY_OK);
    hy_server_quota_limit_memory(0, false);
    EXPECT_INT(hy_server_quota_charge(&quotas.clients[0], HY_SERVER_QUOTA_ALLOCATED,
                                      UINT64_C(1) << 50, &err),
               HY_OK);
}

/* ---- Memory that is charged ------------------------------------------------------------------ */

TEST(shared_quota, reservation_outlives_the_client_that_it_was_charged_to)
{
    static struct hy_server_quota quotas;
    static const struct hy_server_driver driver = {.quotas = &quotas};
    struct hy_host face = {.struct_size = sizeof face};
    struct hy_server *client = calloc(1, sizeof *client);
    void *first = NULL, *second = NULL, *third = NULL;

    REQUIRE(client != NULL);
    hy_server_quota_init(&quotas, HY_SERVER_QUOTA_SERVICE, NULL, "the service");
    hy_server_quota_limit_memory(8000, false);
    hy_server_quota_fill(&face, &driver);
    hy_server_init(client, (struct hy_server_driver *)&driver, -1);
    hy_server_quota_init(&client->quotas, HY_SERVER_QUOTA_CLIENT, &quotas, "process 1");

    (void)hy_server_act_for(client);
    EXPECT_INT(face.memory_reserve(face.context, 1000, &first), HY_STATUS_OK);
    EXPECT_INT(face.memory_reserve(face.context, 2001, &second),
               HY_STATUS_RESOURCE_EXHAUSTED_TRANSIENT);
    EXPECT_INT(face.memory_reserve(face.context, 3001, &second),
               HY_STATUS_RESOURCE_EXHAUSTED_PERSISTENT);
    EXPECT_INT(face.memory_reserve(face.context, 2000, &second), HY_STATUS_OK);
    (void)hy_server_act_for(NULL); /* a thread of the driver's own */
    EXPECT_INT(face.memory_reserve(face.context, 4000, &third), HY_STATUS_OK);
    EXPECT_INT(atomic_load(&quotas.used[HY_SERVER_QUOTA_ALLOCATED]), 7000);
    EXPECT_INT(atomic_load(&client->quotas.used[HY_SERVER_QUOTA_ALLOCATED]), 3000);
    face.memory_release(face.context, second);

    hy_server_finish(client);
    hy_server_put(client); /* the client is gone; what it is known by stays */
    EXPECT_INT(atomic_load(&quotas.used[HY_SERVER_QUOTA_ALLOCATED]), 5000);
    face.memory_release(face.context, first);
    EXPECT_INT(atomic_load(&quotas.used[HY_SERVER_QUOTA_ALLOCATED]), 4000);
    face.memory_release(face.context, third);
    EXPECT_INT(atomic_load(&quotas.used[HY_SERVER_QUOTA_ALLOCATED]), 0);
    face.memory_release(face.context, NULL);
    hy_server_quota_limit_memory(0, false);
}

/* Each share on a thread of its own. */
struct share {
    void (*task)(void *argument, uint32_t index);
    void *argument;
    uint32_t index;
};

static void *run_parallel_task(void *context)
{
    const struct share *share = context;

    share->task(share->argument, share->index);
    return NULL;
}

static void run_on_threads(void *context, uint32_t count,
                           void (*task)(void *argument, uint32_t index), void *argument)
{
    (void)context;
    for (uint32_t i = 0; i < count; i++) {
        struct share share = {task, argument, i};
        pthread_t thread;
        if (pthread_create(&thread, NULL, run_parallel_task, &share) == 0)
            pthread_join(thread, NULL);
    }
}

static const struct hy_host *create_inner(void)
{
    static const struct hy_host host = {
        .struct_size = sizeof host, .abi = HY_DRIVER_ABI, .parallel = run_on_threads};

    return &host;
}

static void note_caller(void *argument, uint32_t index)
{
    ((struct hy_server **)argument)[index] = hy_server_caller();
}

TEST(shared_quota, worker_threads_act_for_whom_their_caller_acts)
{
    static const struct hy_plugin_hosts hosts = {.create = create_inner};
    static const struct hy_serve serve = {.hosts = &hosts};
    static struct hy_server_driver driver = {.serve = &serve};
    static struct hy_server client;
    struct hy_server *seen[2] = {NULL, NULL};

    const struct hy_host *face = hy_server_hosts(&driver)->create();
    REQUIRE(face != NULL);
    (void)hy_server_act_for(&client);
    face->parallel(face->context, 2, note_caller, seen);
    EXPECT(seen[0] == &client && seen[1] == &client);
    (void)hy_server_act_for(NULL);
    face->parallel(face->context, 2, note_caller, seen);
    EXPECT(!seen[0] && !seen[1]);
}

TEST(shared_quota, failure_for_want_of_memory_names_the_numbers)
{
    static struct hy_server_quota quotas;
    static const struct hy_server_driver driver = {.quotas = &quotas};
    struct hy_host face = {.struct_size = sizeof face};
    struct hy_error err = {.text = "no memory for a plan"};
    void *reservation;

    hy_server_quota_init(&quotas, HY_SERVER_QUOTA_SERVICE, NULL, "the service");
    hy_server_quota_limit_memory(8000, false);
    hy_server_quota_fill(&face, &driver);
    hy_server_quota_begin();
    hy_server_quota_explain(HY_STATUS_RESOURCE_EXHAUSTED_TRANSIENT, &err);
    EXPECT_STR(err.text, "no memory for a plan");
    EXPECT(face.memory_reserve(face.context, 8001, &reservation) != HY_STATUS_OK);
    hy_server_quota_explain(HY_STATUS_GENERAL_FAILURE, &err);
    EXPECT_STR(err.text, "no memory for a plan");
    hy_server_quota_explain(HY_STATUS_RESOURCE_EXHAUSTED_TRANSIENT, &err);
    EXPECT_STR(err.text, "no memory for a plan: the service has 0 of at most 8000 allocated bytes, "
                         "a request for 8001 more is refused");
    hy_server_quota_limit_memory(0, false);
}

/* ---- What is kept for whom ------------------------------------------------------------------- */

/* A host that remembers one digest for one user. */
struct fake_host {
    struct hy_host face;
    uint32_t user;
    uint8_t digest; /* the first byte; 0: none */
};

static int32_t digest_store(void *context, const uint8_t *token, const uint8_t *digest)
{
    (void)token;
    ((struct fake_host *)context)->digest = *digest;
    return HY_STATUS_OK;
}

static int32_t digest_find(void *context, const uint8_t *token, uint8_t *digest)
{
    const struct fake_host *fake_host = context;

    (void)token;
    *digest = fake_host->digest;
    return fake_host->digest ? HY_STATUS_OK : HY_STATUS_GENERAL_FAILURE;
}

static const struct hy_host *create_for(uint32_t user)
{
    struct fake_host *fake_host = calloc(1, sizeof *fake_host);
    if (!fake_host)
        return NULL;

    fake_host->face = (struct hy_host){.struct_size = sizeof fake_host->face,
                                       .abi = HY_DRIVER_ABI,
                                       .context = fake_host,
                                       .digest_store = digest_store,
                                       .digest_find = digest_find};
    fake_host->user = user;
    return &fake_host->face;
}

static void complete(const struct hy_host *host)
{
    (void)host;
}

static void destroy(const struct hy_host *host)
{
    if (host)
        free(host->context);
}

TEST(shared_users, what_one_user_s_client_has_stored_another_user_s_does_not_find)
{
    static const struct hy_plugin_hosts hosts = {
        .create_for = create_for, .complete = complete, .destroy = destroy};
    static const struct hy_serve serve = {.hosts = &hosts};
    struct hy_server_driver driver = {.serve = &serve};
    struct hy_server clients[3] = {0};
    struct hy_server_quota service;
    const uint8_t token[HY_TOKEN_SIZE] = {0}, stored[] = {5, 6};
    uint8_t found = 0;

    hy_server_quota_init(&service, HY_SERVER_QUOTA_SERVICE, NULL, "the service");
    const struct hy_host *own = create_for(1);
    REQUIRE(own != NULL);
    struct hy_host face = *own;
    hy_server_users_fill(&face, own);
    for (int i = 0; i < 3; i++) /* two of one user, one of another */
        clients[i].user = hy_server_user_find(&driver, 1000 + (uid_t)(i / 2), &service);
    REQUIRE(clients[0].user && clients[2].user);
    EXPECT(clients[0].user == clients[1].user && clients[0].user != clients[2].user);

    (void)hy_server_act_for(&clients[0]);
    EXPECT_INT(face.digest_store(face.context, token, &stored[0]), HY_STATUS_OK);
    (void)hy_server_act_for(&clients[2]);
    EXPECT_INT(face.digest_find(face.context, token, &found), HY_STATUS_GENERAL_FAILURE);
    EXPECT_INT(face.digest_store(face.context, token, &stored[1]), HY_STATUS_OK);
    (void)hy_server_act_for(&clients[1]);
    EXPECT_INT(face.digest_find(face.context, token, &found), HY_STATUS_OK);
    EXPECT_INT(found, 5);
    (void)hy_server_act_for(NULL); /* outside of all calls: the service's own */
    EXPECT_INT(face.digest_find(face.context, token, &found), HY_STATUS_GENERAL_FAILURE);
    for (int i = 0; i < 3; i++)
        hy_server_user_release(&driver, clients[i].user);
    destroy(own);
}

/* ---- Turns ----------------------------------------------------------------------------------- */

/* More than any machine lets one user have. */
#define TURNS_MAX 8192

static const struct hy_plugin_hosts no_hosts = {.destroy = destroy};
static const struct hy_serve no_serve = {.hosts = &no_hosts};

struct two_tenants {
    struct hy_server_driver driver;
    struct hy_server clients[2];
    struct hy_server_quota service;
};

static bool two_tenants_init(struct two_tenants *two)
{
    *two = (struct two_tenants){.driver = {.serve = &no_serve}};
    hy_server_quota_init(&two->service, HY_SERVER_QUOTA_SERVICE, NULL, "the service");
    for (int i = 0; i < 2; i++)
        two->clients[i].user = hy_server_user_find(&two->driver, 2000 + (uid_t)i, &two->service);
    return two->clients[0].user && two->clients[1].user;
}

static void two_tenants_finish(struct two_tenants *two)
{
    for (int i = 0; i < 2; i++)
        hy_server_user_release(&two->driver, two->clients[i].user);
}

static int32_t claim_turn(struct hy_server *client, struct hy_server_call_slot *call_slot)
{
    struct timespec now;

    clock_gettime(CLOCK_BOOTTIME, &now); /* which has passed when it is looked at */
    return hy_server_call_slot_acquire(client, NULL, (int64_t)now.tv_sec * 1000000000 + now.tv_nsec,
                                       call_slot, NULL);
}

/* As many as the client can have. */
static uint32_t claim_all(struct hy_server *client, struct hy_server_call_slot *call_slots)
{
    uint32_t count = 0;

    while (count < TURNS_MAX && claim_turn(client, &call_slots[count]) == HY_STATUS_OK)
        count++;
    return count;
}

static struct hy_server_call_slot claimed[TURNS_MAX];

TEST(shared_turns, only_user_has_no_limit)
{
    struct two_tenants two;

    REQUIRE(two_tenants_init(&two));
    hy_server_user_release(&two.driver, two.clients[1].user);
    two.clients[1].user = NULL;
    EXPECT_INT(claim_all(&two.clients[0], claimed), TURNS_MAX);
    EXPECT(!claimed[0].usage);
    hy_server_user_release(&two.driver, two.clients[0].user);
}

TEST(shared_turns, user_who_has_all_leaves_a_part_to_each_other_one)
{
    struct hy_server_call_slot call_slot, again;
    struct two_tenants two;

    REQUIRE(two_tenants_init(&two));
    const uint32_t most = claim_all(&two.clients[0], claimed);
    EXPECT(most >= 2 && most < TURNS_MAX);
    EXPECT_INT(claim_turn(&two.clients[0], &again), HY_STATUS_MISSED_DEADLINE_TRANSIENT);
    EXPECT_INT(claim_turn(&two.clients[1], &call_slot), HY_STATUS_OK);
    hy_server_call_slot_release(&call_slot);
    for (uint32_t i = 0; i < most; i++)
        hy_server_call_slot_release(&claimed[i]);
    EXPECT_INT(claim_turn(&two.clients[0], &again), HY_STATUS_OK);
    hy_server_call_slot_release(&again);
    two_tenants_finish(&two);
}

/* Two that wait, each on a thread, while a third one has what there is. */
struct waiting {
    struct hy_server *client;
    struct hy_server_call_slot call_slot;
    uint32_t cancelled;
    int32_t status;
    pthread_t thread;
};

static void *wait_for_slot(void *context)
{
    struct waiting *waiting = context;

    waiting->status = hy_server_call_slot_acquire(waiting->client, &waiting->cancelled,
                                                  HY_NO_DEADLINE, &waiting->call_slot, NULL);
    return NULL;
}

TEST(shared_turns, who_waits_gets_the_next_or_hears_that_nobody_wants_it)
{
    struct two_tenants two;
    REQUIRE(two_tenants_init(&two));
    const uint32_t most = claim_all(&two.clients[0], claimed);
    struct waiting next = {.client = &two.clients[0]}, cancelled = next;

    REQUIRE(pthread_create(&cancelled.thread, NULL, wait_for_slot, &cancelled) == 0);
    __atomic_store_n(&cancelled.cancelled, 1, __ATOMIC_RELAXED);
    hy_server_call_slots_recheck();
    pthread_join(cancelled.thread, NULL);
    EXPECT_INT(cancelled.status, HY_STATUS_MISSED_DEADLINE_TRANSIENT);

    REQUIRE(pthread_create(&next.thread, NULL, wait_for_slot, &next) == 0);
    hy_server_call_slot_release(&claimed[0]);
    pthread_join(next.thread, NULL);
    EXPECT_INT(next.status, HY_STATUS_OK);
    hy_server_call_slot_release(&next.call_slot);
    for (uint32_t i = 1; i < most; i++)
        hy_server_call_slot_release(&claimed[i]);
    two_tenants_finish(&two);
}

/* ---- Where it is ----------------------------------------------------------------------------- */

TEST(shared_sockets, list_gives_the_path_of_the_whole_name)
{
    static const char list[] = "acme-2=/run/b:acme=/run/a=1:halyard-cpu=/run/cpu:acme=/run/c:x=rel";
    static const struct {
        const char *name, *path;
    } known[] = {{"acme", "/run/a=1"}, {"acme-2", "/run/b"}, {"halyard-cpu", "/run/cpu"}};
    struct hy_error err;
    char *path = NULL;

    for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
        EXPECT_INT(hy_service_sockets_find(list, known[i].name, &path, &err), HY_OK);
        EXPECT_STR(path, known[i].path);
        free(path);
    }
    EXPECT_INT(hy_service_sockets_find(list, "acm", &path, &err), HY_OK);
    EXPECT(path == NULL);
    EXPECT_INT(hy_service_sockets_find(NULL, "acme", &path, &err), HY_OK);
    EXPECT(path == NULL);
    EXPECT_INT(hy_service_sockets_find(list, "x", &path, &err), HY_BAD_DATA);
    EXPECT_CONTAINS(err.text, "\"x=rel\" is not an absolute path");
}

static enum hy_code parse(const char *members, struct hy_manifest *manifest, struct hy_error *err)
{
    static const struct hy_host host = {.struct_size = sizeof host, .abi = HY_DRIVER_ABI};
    char text[512];

    snprintf(text, sizeof text,
             "{\"file_format_version\":\"1.0.0\",\"driver\":{\"library_path\":\"a.so\","
             "\"abi\":\"1.0\"%s}}",
             members);
    return hy_manifest_parse(text, strlen(text), "test.json", &host, manifest, err);
}

TEST(shared_sockets, manifest_names_socket_and_user)
{
    struct hy_manifest manifest = {0};
    struct hy_error err;

    EXPECT_INT(parse(",\"socket\":\"/run/halyard/acme\",\"socket_user\":\"acme\"", &manifest, &err),
               HY_OK);
    EXPECT_STR(manifest.socket, "/run/halyard/acme");
    EXPECT_STR(manifest.socket_user, "acme");
    hy_manifest_finish(&manifest);
    EXPECT_INT(parse("", &manifest, &err), HY_OK);
    EXPECT_STR(manifest.socket, "");
    EXPECT_STR(manifest.socket_user, "");
    hy_manifest_finish(&manifest);
    EXPECT_INT(parse(",\"socket\":\"run/acme\"", &manifest, &err), HY_BAD_DATA);
    EXPECT_CONTAINS(err.text, "socket is \"run/acme\", needs an absolute path");
    EXPECT_INT(parse(",\"socket\":1", &manifest, &err), HY_BAD_DATA);
}
