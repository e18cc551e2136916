#include "tests/kit/test.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "plugins/service/queue/rings.h"

enum { CAPACITY = 16, SEALS = F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL };

/* A memfd that a client of bad manners might send. */
static int make_memory(const void *content, size_t bytes, int seals)
{
    const int fd = memfd_create("test", MFD_CLOEXEC | MFD_ALLOW_SEALING);

    if (fd >= 0 && (write(fd, content, bytes) != (ssize_t)bytes ||
                    (seals && fcntl(fd, F_ADD_SEALS, seals) != 0))) {
        close(fd);
        return -1;
    }
    return fd;
}

static enum hy_code open_memory(int fd, struct hy_error *err)
{
    struct hy_rings rings = {0};
    const enum hy_code code = hy_rings_open(fd, &rings, err);

    hy_rings_close(&rings);
    if (fd >= 0)
        close(fd);
    return code;
}

TEST(queue_rings, both_sides_see_one_memory)
{
    struct hy_rings client = {0}, service = {0};
    struct hy_error err = {0};
    const union hy_element element = {.words = {1, 2, 3}};
    union hy_element got;
    uint32_t fill = 0;
    int fd = -1;

    REQUIRE(hy_rings_create(CAPACITY, &client, &fd, &err) == HY_OK);
    REQUIRE(hy_rings_open(fd, &service, &err) == HY_OK);
    close(fd);
    EXPECT_INT(service.bytes, 2 * (256 + 24 * CAPACITY));
    EXPECT_INT(service.results.capacity, CAPACITY);

    EXPECT_INT(hy_ring_write(&client.requests, &element, 1), HY_RING_DONE);
    EXPECT_INT(hy_ring_fill(&service.requests, &fill), HY_RING_DONE);
    EXPECT_INT(hy_ring_fill(&service.results, &fill), HY_RING_WAIT);
    hy_ring_pop(&service.requests, &got, 1);
    EXPECT(memcmp(&got, &element, sizeof got) == 0);
    hy_rings_close(&client);
    hy_rings_close(&service);
}

TEST(queue_rings, nobody_can_resize_the_memory)
{
    struct hy_rings rings = {0};
    struct hy_error err = {0};
    struct stat before = {0}, after = {0};
    int fd = -1;

    REQUIRE(hy_rings_create(CAPACITY, &rings, &fd, &err) == HY_OK);
    REQUIRE(fstat(fd, &before) == 0);
    EXPECT(ftruncate(fd, 0) != 0);
    EXPECT(ftruncate(fd, before.st_size + 1) != 0);
    EXPECT(fcntl(fd, F_ADD_SEALS, F_SEAL_WRITE) != 0);
    REQUIRE(fstat(fd, &after) == 0);
    EXPECT_INT(after.st_size, before.st_size);
    close(fd);
    hy_rings_close(&rings);
}

TEST(queue_rings, memory_that_could_shrink_is_refused)
{
    struct hy_rings rings = {0};
    struct hy_error err = {0};
    int fd = -1;

    REQUIRE(hy_rings_create(CAPACITY, &rings, &fd, &err) == HY_OK);
    close(fd);
    static const int wrong[] = {0, F_SEAL_SHRINK, F_SEAL_SHRINK | F_SEAL_GROW,
                                F_SEAL_GROW | F_SEAL_SEAL};
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        EXPECT_INT(open_memory(make_memory(rings.address, rings.bytes, wrong[i]), &err),
                   HY_BAD_DATA);
        EXPECT_CONTAINS(err.text, "not sealed");
    }
    EXPECT_INT(open_memory(make_memory(rings.address, rings.bytes, SEALS), &err), HY_OK);
    hy_rings_close(&rings);
}

TEST(queue_rings, what_is_no_memory_of_rings_is_refused)
{
    struct hy_rings rings = {0};
    struct hy_error err = {0};
    int fd = -1, ends[2];

    REQUIRE(hy_rings_create(CAPACITY, &rings, &fd, &err) == HY_OK);
    close(fd);
    /* each length but the right one, in steps that hit every border */
    for (uint64_t bytes = 0; bytes < rings.bytes; bytes += 8)
        EXPECT_INT(open_memory(make_memory(rings.address, bytes, SEALS), &err), HY_BAD_DATA);
    fd = make_memory(rings.address, rings.bytes, 0);
    REQUIRE(fd >= 0 && ftruncate(fd, (off_t)rings.bytes + 64) == 0 &&
            fcntl(fd, F_ADD_SEALS, SEALS) == 0);
    EXPECT_INT(open_memory(fd, &err), HY_BAD_DATA);
    EXPECT_CONTAINS(err.text, "rings of 1280 bytes do not fit 1344 bytes");

    fd = memfd_create("test", MFD_CLOEXEC | MFD_ALLOW_SEALING);
    REQUIRE(fd >= 0 && ftruncate(fd, (off_t)1 << 40) == 0 && fcntl(fd, F_ADD_SEALS, SEALS) == 0);
    EXPECT_INT(open_memory(fd, &err), HY_BAD_DATA);
    EXPECT_INT(open_memory(make_memory(rings.address, rings.bytes, SEALS | F_SEAL_WRITE), &err),
               HY_UNMAPPABLE);

    REQUIRE(pipe(ends) == 0);
    close(ends[1]);
    EXPECT_INT(open_memory(ends[0], &err), HY_BAD_DATA);
    EXPECT_INT(open_memory(-1, &err), HY_BAD_DATA);
    hy_rings_close(&rings);
}
