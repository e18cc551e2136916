#include "tests/kit/test.h"

#include <sys/mman.h>
#include <unistd.h>

#include "queue_fixture.h"
#include "serving_driver.h"

/* A host whose driver serves the burst itself. */
struct service {
    struct queue_fixture fixture;
    struct hy_host host;
    struct serving_prepared prepared;
    struct hy_queue_listener *listener;
    void *burst; /* of the driver */
    int memory;
    float *tensors;  /* the memory of every slot, */
    void *of_driver; /* mapped twice, as it is by two processes */
    bool refuses;    /* the driver does not begin */
    int32_t status;
};

enum { MEMORY_BYTES = 4096 };

static int32_t map(void *context, const struct hy_pool *pool, uint32_t protection, void **address)
{
    (void)pool, (void)protection;
    *address = ((struct service *)context)->of_driver;
    return HY_STATUS_OK;
}

/* Memories that were freed go to the driver. */
static int32_t catch_up(void *context, uint32_t notices)
{
    struct service *service = context;
    const int freed_slot = 0;
    const uint64_t before = service->fixture.slots[freed_slot];
    const int32_t status = queue_fixture_catch_up(&service->fixture, notices);

    if (before != 0 && before != service->fixture.slots[freed_slot])
        serving_driver_burst_release(service->burst, before);
    return status;
}

static int32_t find_memory(void *context, int32_t slot, struct hy_pool *pool)
{
    struct service *service = context;
    const int32_t status = queue_fixture_find_memory(&service->fixture, slot, pool);

    if (status == HY_STATUS_OK)
        pool->fd = service->memory;
    return status;
}

static int32_t execute(void *context, const struct hy_request *request,
                       const struct hy_run_options *options, struct hy_result *result)
{
    atomic_fetch_add(&((struct service *)context)->fixture.executions, 1);
    return queue_execute_idle(NULL, request, options, result);
}

static int32_t serve(void *context, const struct hy_burst_queues *queues)
{
    struct service *service = context;

    if (service->refuses)
        return HY_STATUS_GENERAL_FAILURE;
    service->status = serving_driver_burst_serve(&service->prepared, queues, &service->burst);
    serving_driver_burst_close(service->burst);
    return service->status;
}

static void *map_tensors(const struct service *service)
{
    void *address =
        mmap(NULL, MEMORY_BYTES, PROT_READ | PROT_WRITE, MAP_SHARED, service->memory, 0);

    return address == MAP_FAILED ? NULL : address;
}

static bool open_service(struct service *service)
{
    const struct hy_queue_burst_rules rules = {
        .spin_ns = HY_QUEUE_USUAL_SPIN_NS, .hang_timeout_ns = QUEUE_FIXTURE_TIMEOUT_NS, .depth = 1};
    const struct hy_queue_work work = {service, catch_up, find_memory, execute, serve};
    const struct hy_queue_listener_rules listening = {.spin_ns = HY_QUEUE_USUAL_SPIN_NS,
                                                      .peer_fd = -1};
    struct hy_error err = {0};

    service->host = (struct hy_host){
        .struct_size = sizeof service->host, .abi = HY_DRIVER_ABI, .context = service, .map = map};
    service->prepared = (struct serving_prepared){.host = &service->host};
    service->status = -1;
    service->memory = memfd_create("tensors", MFD_CLOEXEC);
    if (service->memory < 0 || ftruncate(service->memory, MEMORY_BYTES) != 0)
        return false;
    service->tensors = map_tensors(service);
    service->of_driver = map_tensors(service);
    return service->tensors && service->of_driver &&
           queue_fixture_open(&service->fixture, &rules) &&
           hy_queue_listener_start(service->fixture.memory, &work, &listening, &service->listener,
                                   &err) == HY_OK;
}

static void close_service(struct service *service)
{
    hy_queue_burst_destroy(service->fixture.burst);
    service->fixture.burst = NULL;
    hy_queue_listener_stop(service->listener);
    queue_fixture_close(&service->fixture);
    munmap(service->tensors, MEMORY_BYTES);
    munmap(service->of_driver, MEMORY_BYTES);
    close(service->memory);
}

static void init_addition(struct queue_request *request)
{
    queue_request_init(request);
    for (int i = 0; i < 2; i++)
        request->inputs[i].location.length = 16;
    request->outputs[0].location.length = 16;
}

/* The tensors lie 64 bytes apart. */
TEST(queue_serving, a_driver_serves_its_burst_on_the_raw_queues)
{
    static struct service service;
    struct queue_request request;

    service = (struct service){0};
    REQUIRE(open_service(&service));
    init_addition(&request);
    for (int i = 0; i < 4; i++) {
        service.tensors[i] = (float)i;
        service.tensors[16 + i] = 10.0f;
    }
    for (int i = 0; i < 500; i++) {
        EXPECT_INT(queue_request_execute(&service.fixture, &request), HY_STATUS_OK);
        EXPECT_INT(request.shapes[0].rank, 1);
        EXPECT_INT(request.shapes[0].dims[0], 4);
    }
    EXPECT(service.tensors[32] == 10.0f && service.tensors[35] == 13.0f);
    EXPECT_INT(atomic_load(&service.fixture.executions), 0);
    close_service(&service);
    EXPECT_INT(service.status, HY_STATUS_OK);
    EXPECT_INT(service.prepared.served, 500);
}

TEST(queue_serving, it_learns_of_memory_that_was_released)
{
    static struct service service;
    struct queue_request request;

    service = (struct service){0};
    REQUIRE(open_service(&service));
    init_addition(&request);
    for (uint64_t id = 1; id <= 5; id++) {
        request.pools[0].id = id;
        EXPECT_INT(queue_request_execute(&service.fixture, &request), HY_STATUS_OK);
        hy_queue_burst_release(service.fixture.burst, id);
    }
    close_service(&service);
    EXPECT_INT(service.prepared.released, 4); /* and the last with a packet that never came */
}

TEST(queue_serving, it_answers_what_it_does_not_take)
{
    static struct service service;
    struct queue_request request;

    service = (struct service){0};
    REQUIRE(open_service(&service));
    init_addition(&request);
    request.inputs[0].location.length = 12;
    EXPECT_INT(queue_request_execute(&service.fixture, &request), HY_STATUS_GENERAL_FAILURE);
    request.inputs[0].location.length = 16;
    request.inputs[0].location.offset = MEMORY_BYTES - 12;
    EXPECT_INT(queue_request_execute(&service.fixture, &request), HY_STATUS_INVALID_ARGUMENT);
    request.inputs[0].location.offset = MEMORY_BYTES - 16;
    EXPECT_INT(queue_request_execute(&service.fixture, &request), HY_STATUS_OK);
    close_service(&service);
}

TEST(queue_serving, ends_when_the_host_wants_an_end)
{
    static struct service service;
    struct queue_request request;

    for (int i = 0; i < 20; i++) {
        service = (struct service){0};
        REQUIRE(open_service(&service));
        init_addition(&request);
        EXPECT_INT(queue_request_execute(&service.fixture, &request), HY_STATUS_OK);
        hy_queue_listener_stop(service.listener); /* with the client still there */
        service.listener = NULL;
        EXPECT_INT(service.status, HY_STATUS_OK);
        EXPECT_INT(queue_request_execute(&service.fixture, &request), HY_QUEUE_ORDINARY);
        close_service(&service);
    }
}

TEST(queue_serving, a_driver_that_does_not_begin_leaves_it_to_the_host)
{
    static struct service service;
    struct queue_request request;

    service = (struct service){.refuses = true};
    REQUIRE(open_service(&service));
    init_addition(&request);
    EXPECT_INT(queue_request_execute(&service.fixture, &request), HY_STATUS_OK);
    EXPECT_INT(request.shapes[0].rank, 2);
    EXPECT_INT(atomic_load(&service.fixture.executions), 1);
    close_service(&service);
}
