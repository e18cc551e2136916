#include "bystander.h"

#include "plugins/service/wire/pools.h"
#include "tests/scenarios/service/shared/raw_client.h"

#include <sys/mman.h>
#include <unistd.h>

enum { PAUSE_US = 2000, SUMS_OF_A_MODEL = 200 };

struct desk {
    struct raw_client client;
    struct hy_pool memory;
    float *values; /* two inputs and an output, four each, from 0, 4 and 8 on */
    uint64_t prepared;
};

static bool open_desk(struct desk *desk, const struct bystander *bystander)
{
    desk->memory = (struct hy_pool){.kind = HY_POOL_ASHMEM,
                                    .protection = HY_PROTECT_READ | HY_PROTECT_WRITE,
                                    .fd = memfd_create("bystander", MFD_CLOEXEC),
                                    .id = 1,
                                    .size = 48};
    if (ftruncate(desk->memory.fd, 48) != 0 ||
        !raw_begin(&desk->client, bystander->socket, bystander->opening->library,
                   bystander->opening->arguments))
        return false;
    desk->values = mmap(NULL, 48, PROT_READ | PROT_WRITE, MAP_SHARED, desk->memory.fd, 0);
    raw_call(&desk->client, HY_WIRE_MEMORY_ADD, desk->memory.id);
    hy_memory_pack(&desk->client.call.body, &desk->memory);
    return desk->values != MAP_FAILED && raw_make(&desk->client) == HY_STATUS_OK;
}

static void close_desk(struct desk *desk)
{
    raw_close(&desk->client);
    munmap(desk->values, 48);
    close(desk->memory.fd);
}

static bool is_quota_exceeded(int32_t status)
{
    return status == HY_STATUS_RESOURCE_EXHAUSTED_TRANSIENT ||
           status == HY_STATUS_RESOURCE_EXHAUSTED_PERSISTENT;
}

static void add(struct desk *desk, struct bystander *bystander, unsigned number)
{
    for (unsigned i = 0; i < 4; i++) {
        desk->values[i] = (float)(number % 4096);
        desk->values[4 + i] = (float)i;
        desk->values[8 + i] = -1.0f;
    }
    const int32_t status = raw_execute(&desk->client, desk->prepared, &desk->memory, &desk->memory);
    if (status != HY_STATUS_OK) {
        if (!bystander->may_be_refused || !is_quota_exceeded(status))
            bystander->fail("the bystander's sum %u: status %d, %s", number, (int)status,
                            desk->client.error_text);
        return;
    }
    for (unsigned i = 0; i < 4; i++) {
        const float sum = desk->values[8 + i];
        if (sum != (float)(number % 4096 + i))
            bystander->fail("the bystander's sum %u: %g + %u is %g", number,
                            (double)(float)(number % 4096), i, (double)sum);
    }
    atomic_fetch_add(&bystander->sums, 1);
}

/* A model for some sums, then another one. */
static void prepare(struct desk *desk, const struct bystander *bystander)
{
    if (desk->prepared != 0) {
        raw_call(&desk->client, HY_WIRE_PREPARED_DESTROY, desk->prepared);
        if (raw_make(&desk->client) != HY_STATUS_OK)
            bystander->fail("the bystander's model: %s", desk->client.error_text);
    }
    desk->prepared = raw_prepare(&desk->client);
    if (desk->prepared == 0 && !bystander->may_be_refused)
        bystander->fail("the bystander's model: %s", desk->client.error_text);
}

static void *bystander_main(void *argument)
{
    struct bystander *bystander = argument;
    struct desk desk = {.values = MAP_FAILED};

    if (!open_desk(&desk, bystander))
        bystander->fail("the bystander is not let in: %s", desk.client.error_text);
    for (unsigned number = 0; !atomic_load(&bystander->stops); number++) {
        if (number % SUMS_OF_A_MODEL == 0 || desk.prepared == 0)
            prepare(&desk, bystander);
        if (desk.prepared != 0)
            add(&desk, bystander, number);
        usleep(PAUSE_US);
    }
    close_desk(&desk);
    return NULL;
}

bool bystander_start(struct bystander *bystander)
{
    atomic_store(&bystander->sums, 0);
    atomic_store(&bystander->stops, false);
    return pthread_create(&bystander->thread, NULL, bystander_main, bystander) == 0;
}

void bystander_stop(struct bystander *bystander)
{
    atomic_store(&bystander->stops, true);
    pthread_join(bystander->thread, NULL);
}
