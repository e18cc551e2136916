/* The tables of both sides. */
#include "plugins/service/client/connection/id_set.h"
#include "plugins/service/client/connection/timed_out_uses.h"
#include "plugins/service/server/objects.h"
#include "plugins/service/server/server_memories.h"
#include "tests/kit/test.h"

#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

TEST(service_id_set, keeps_each_number_once_in_any_order)
{
    struct hy_id_set set = {0};
    for (uint64_t i = 0; i < 1000; i++)
        EXPECT(hy_id_set_add(&set, i * 7919 % 1000 + 1));
    EXPECT(hy_id_set_add(&set, 5));
    EXPECT_INT(set.count, 1000);
    EXPECT(!hy_id_set_has(&set, 0));
    EXPECT(hy_id_set_has(&set, 1) && hy_id_set_has(&set, 1000));
    EXPECT(hy_id_set_remove(&set, 500));
    EXPECT(!hy_id_set_remove(&set, 500));
    EXPECT(!hy_id_set_has(&set, 500) && hy_id_set_has(&set, 501));
    hy_id_set_finish(&set);
}

/* ---- Late uses ------------------------------------------------------------------------------- */

/* A request that reads and writes a piece of one pool each, [offset, offset + 64). */
struct pair {
    struct hy_pool pools[2];
    struct hy_argument from, to;
    struct hy_request request;
};

static void make_pair(struct pair *pair, struct hy_pool from, uint64_t from_offset,
                      struct hy_pool to, uint64_t to_offset)
{
    *pair = (struct pair){.pools = {from, to},
                          .from.location = {.pool = 0, .offset = from_offset, .length = 64},
                          .to.location = {.pool = 1, .offset = to_offset, .length = 64}};
    pair->request = (struct hy_request){.input_count = 1,
                                        .output_count = 1,
                                        .pool_count = 2,
                                        .inputs = &pair->from,
                                        .outputs = &pair->to,
                                        .pools = pair->pools};
}

static struct hy_pool named(uint64_t id)
{
    return (struct hy_pool){.kind = HY_POOL_ASHMEM, .id = id, .size = 4096};
}

static struct hy_pool buffer(uint32_t token)
{
    return (struct hy_pool){.kind = HY_POOL_BUFFER, .buffer_token = token};
}

static bool meet(const struct hy_timed_out_uses *timed_out, struct hy_pool from,
                 uint64_t from_offset, struct hy_pool to, uint64_t to_offset)
{
    struct pair pair;

    make_pair(&pair, from, from_offset, to, to_offset);
    return hy_timed_out_uses_conflict(timed_out, &pair.request);
}

TEST(service_uses_after_timeout, requests_meet_them_at_the_same_bytes_if_one_of_both_writes)
{
    struct hy_timed_out_uses timed_out = {0};
    struct pair given_up;

    EXPECT(!meet(&timed_out, named(1), 0, named(2), 256));
    make_pair(&given_up, named(1), 0, named(2), 256);
    hy_timed_out_uses_add(&timed_out, &given_up.request);
    hy_timed_out_uses_add(&timed_out, &given_up.request);
    EXPECT_INT(timed_out.count, 2);
    EXPECT(!meet(&timed_out, named(1), 0, named(1), 64));
    EXPECT(meet(&timed_out, named(1), 64, named(1), 63));
    EXPECT(meet(&timed_out, named(2), 256, named(3), 0));
    EXPECT(meet(&timed_out, named(2), 319, named(3), 0));
    EXPECT(!meet(&timed_out, named(2), 320, named(3), 0));
    EXPECT(meet(&timed_out, named(3), 0, named(2), 193));
    EXPECT(!meet(&timed_out, named(3), 0, named(2), 192));
    EXPECT(!meet(&timed_out, buffer(2), 0, buffer(2), 0));
    hy_timed_out_uses_finish(&timed_out);
    EXPECT(!meet(&timed_out, named(2), 256, named(2), 256));
}

TEST(service_uses_after_timeout,
     buffers_meet_as_a_whole_and_nameless_memory_meets_all_that_is_nameless)
{
    struct hy_timed_out_uses timed_out = {0};
    struct pair given_up;

    make_pair(&given_up, named(1), 0, buffer(7), 0);
    given_up.to.location.length = 0;
    hy_timed_out_uses_add(&timed_out, &given_up.request);
    EXPECT(meet(&timed_out, buffer(7), 0, named(2), 0));
    EXPECT(!meet(&timed_out, buffer(8), 0, named(7), 0));
    EXPECT(
        !meet(&timed_out, named(0), 0, named(2), 0)); /* a buffer has no id, nor is it nameless */
    make_pair(&given_up, named(1), 0, named(0), 0);
    hy_timed_out_uses_add(&timed_out, &given_up.request);
    EXPECT(meet(&timed_out, named(0), 32, named(2), 0));
    hy_timed_out_uses_finish(&timed_out);
    given_up.from.flags = given_up.to.flags = HY_ARGUMENT_NO_VALUE;
    hy_timed_out_uses_add(&timed_out, &given_up.request);
    EXPECT(hy_timed_out_uses_are_none(&timed_out));
    hy_timed_out_uses_finish(&timed_out);
}

/* ---- Memory ---------------------------------------------------------------------------------- */

static struct hy_pool make_pool(uint64_t id, uint64_t bytes)
{
    struct hy_pool pool = {.kind = HY_POOL_ASHMEM,
                           .protection = HY_PROTECT_READ | HY_PROTECT_WRITE,
                           .fd = memfd_create("test", MFD_CLOEXEC),
                           .id = id,
                           .size = bytes};
    if (ftruncate(pool.fd, (off_t)bytes) != 0)
        pool.size = 0;
    return pool;
}

TEST(service_memories, what_is_not_held_makes_room_for_more)
{
    struct hy_server_memories memories = {.lock = PTHREAD_MUTEX_INITIALIZER};
    struct hy_error err;

    for (uint64_t id = 1; id <= HY_SERVER_MEMORIES; id++) {
        const struct hy_pool pool = make_pool(id, 64);
        REQUIRE(hy_server_memories_add(&memories, &pool, &err) == HY_OK);
    }
    struct hy_server_memory *oldest = hy_server_memories_find(&memories, 1);
    const struct hy_pool one_more = make_pool(HY_SERVER_MEMORIES + 1, 64);
    EXPECT_INT(hy_server_memories_add(&memories, &one_more, &err), HY_OK);
    EXPECT_INT(memories.count, HY_SERVER_MEMORIES);
    REQUIRE(oldest != NULL);
    EXPECT_INT(oldest->pool.id, 1);
    EXPECT(!hy_server_memories_find(&memories, 2)); /* unused for longest */
    hy_server_memory_put(&memories, oldest);
    hy_server_memories_finish(&memories);
}

TEST(service_memories, held_memory_outlives_its_name)
{
    struct hy_server_memories memories = {.lock = PTHREAD_MUTEX_INITIALIZER};
    const struct hy_pool pool = make_pool(7, 4096);
    struct hy_error err;

    REQUIRE(hy_server_memories_add(&memories, &pool, &err) == HY_OK);
    struct hy_server_memory *memory = hy_server_memories_find(&memories, 7);
    REQUIRE(memory != NULL);
    hy_server_memories_drop(&memories, 7);
    EXPECT(!hy_server_memories_find(&memories, 7));
    memset(memory->pool.address, 1, 4096);
    hy_server_memory_put(&memories, memory);
    hy_server_memories_finish(&memories);
}

TEST(service_memories, range_outside_of_the_file_is_refused)
{
    struct hy_server_memories memories = {.lock = PTHREAD_MUTEX_INITIALIZER};
    struct hy_pool pool = make_pool(7, 4096);
    struct hy_error err;
    int ends[2];

    pool.size = 4097;
    EXPECT_INT(hy_server_memories_add(&memories, &pool, &err), HY_BAD_DATA);
    EXPECT_CONTAINS(err.text, "4097");
    REQUIRE(pipe(ends) == 0);
    pool = (struct hy_pool){.kind = HY_POOL_MMAP_FD, .fd = ends[0], .id = 8, .size = 1};
    EXPECT_INT(hy_server_memories_add(&memories, &pool, &err), HY_BAD_DATA);
    close(ends[1]);
    hy_server_memories_finish(&memories);
}

/* ---- Objects --------------------------------------------------------------------------------- */

static unsigned destroyed;

static void note_end(void *prepared)
{
    (void)prepared;
    destroyed++;
}

TEST(service_objects, number_is_never_given_twice_and_names_one_kind)
{
    static const struct hy_device table = {.struct_size = sizeof table,
                                           .prepared_destroy = note_end};
    struct hy_server_memories memories = {.lock = PTHREAD_MUTEX_INITIALIZER};
    struct hy_server_objects objects = {.lock = PTHREAD_MUTEX_INITIALIZER, .memories = &memories};
    struct hy_error err;
    uint64_t last = 0;

    destroyed = 0;
    for (unsigned i = 0; i < 200; i++) {
        struct hy_server_object *object =
            hy_server_object_create(&objects, HY_SERVER_PREPARED, &table);
        object->driver_object = &objects;
        REQUIRE(hy_server_objects_add(&objects, object, &err) == HY_OK);
        const uint64_t id = object->id;
        EXPECT(id != last);
        EXPECT(!hy_server_objects_find(&objects, last, HY_SERVER_PREPARED));
        EXPECT(!hy_server_objects_find(&objects, id, HY_SERVER_BUFFER));
        EXPECT(!hy_server_objects_remove(&objects, id, HY_SERVER_BUFFER));
        EXPECT(hy_server_objects_remove(&objects, id, HY_SERVER_PREPARED));
        EXPECT(!hy_server_objects_remove(&objects, id, HY_SERVER_PREPARED));
        last = id;
    }
    EXPECT_INT(destroyed, 200);
    hy_server_objects_finish(&objects);
}

TEST(service_objects, object_in_use_outlives_its_destruction)
{
    static const struct hy_device table = {.struct_size = sizeof table,
                                           .prepared_destroy = note_end};
    struct hy_server_memories memories = {.lock = PTHREAD_MUTEX_INITIALIZER};
    struct hy_server_objects objects = {.lock = PTHREAD_MUTEX_INITIALIZER, .memories = &memories};
    struct hy_server_object *object = hy_server_object_create(&objects, HY_SERVER_PREPARED, &table);
    struct hy_error err;

    destroyed = 0;
    object->driver_object = &objects;
    REQUIRE(hy_server_objects_add(&objects, object, &err) == HY_OK);
    struct hy_server_object *held =
        hy_server_objects_find(&objects, object->id, HY_SERVER_PREPARED);
    EXPECT(held == object);
    EXPECT(hy_server_objects_remove(&objects, object->id, HY_SERVER_PREPARED));
    EXPECT_INT(destroyed, 0);
    hy_server_object_put(&objects, held);
    EXPECT_INT(destroyed, 1);
    hy_server_objects_finish(&objects);
}

/* A request of a late client may be at work in a buffer that the client has destroyed. */
TEST(service_objects, buffer_in_use_outlives_its_number)
{
    static const struct hy_device table = {.struct_size = sizeof table, .buffer_destroy = note_end};
    static const struct hy_device other = {.struct_size = sizeof other};
    struct hy_server_memories memories = {.lock = PTHREAD_MUTEX_INITIALIZER};
    struct hy_server_objects objects = {.lock = PTHREAD_MUTEX_INITIALIZER, .memories = &memories};
    const struct hy_pool pools[] = {named(1), buffer(7), buffer(7)};
    struct hy_server_holds holds = {0};
    struct hy_error err;

    destroyed = 0;
    struct hy_server_object *object = hy_server_object_create(&objects, HY_SERVER_BUFFER, &table);
    REQUIRE(object != NULL);
    object->driver_object = &objects;
    object->token = 7;
    REQUIRE(hy_server_objects_add(&objects, object, &err) == HY_OK);
    const uint64_t id = object->id;
    EXPECT_INT(hy_server_holds_acquire_buffers(&holds, &objects, &other, pools, 3, &err),
               HY_STATUS_INVALID_ARGUMENT);
    EXPECT_INT(hy_server_holds_acquire_buffers(&holds, &objects, &table, pools, 3, &err),
               HY_STATUS_OK);
    EXPECT(hy_server_objects_remove(&objects, id, HY_SERVER_BUFFER));
    EXPECT_INT(destroyed, 0);
    hy_server_holds_drop(&holds, &objects);
    EXPECT_INT(destroyed, 1);
    EXPECT_INT(hy_server_holds_acquire_buffers(&holds, &objects, &table, pools, 3, &err),
               HY_STATUS_INVALID_ARGUMENT);
    hy_server_holds_finish(&holds, &objects);
    hy_server_objects_finish(&objects);
    hy_server_memories_finish(&memories);
}
