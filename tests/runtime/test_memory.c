/* Memory behind file descriptors: what may be shared, how it is checked, how long it lives. */
#include "model_fixture.h"
#include "test.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/socket.h>

static size_t page_size(void)
{
    return (size_t)sysconf(_SC_PAGESIZE);
}

static enum hy_code from_fd(size_t size, int protect, int fd, size_t offset,
                            struct hy_memory **memory, struct hy_error *err)
{
    *memory = NULL;
    return hy_memory_from_fd(size, protect, fd, offset, memory, err);
}

TEST(runtime_memory, memfd_is_mapped_shared_and_outlives_the_callers_descriptor)
{
    struct hy_memory *memory;
    struct hy_error err;
    int fd = shared_file(64);
    char seen = 0;

    REQUIRE(from_fd(64, PROT_READ | PROT_WRITE, fd, 0, &memory, &err) == HY_OK);
    const struct hy_pool *pool = hy_memory_pool(memory);
    ((char *)pool->address)[5] = 'x';
    EXPECT(pread(fd, &seen, 1, 5) == 1);
    EXPECT_INT(seen, 'x');
    EXPECT(pool->fd != fd);
    close(fd);
    EXPECT_INT(((char *)pool->address)[5], 'x');
    EXPECT_INT(pool->kind, HY_POOL_MMAP_FD);
    EXPECT_INT(pool->protection, HY_PROTECT_READ | HY_PROTECT_WRITE);
    EXPECT_INT(pool->size, 64);
    EXPECT(fcntl(pool->fd, F_GETFD) & FD_CLOEXEC);
    hy_memory_release(memory);
}

TEST(runtime_memory, posix_shared_memory_works)
{
    struct hy_memory *memory;
    struct hy_error err;
    char name[64];

    snprintf(name, sizeof name, "/halyard-test-%d", (int)getpid());
    int fd = shm_open(name, O_RDWR | O_CREAT | O_EXCL, 0600);
    REQUIRE(fd >= 0);
    shm_unlink(name);
    EXPECT_INT(ftruncate(fd, 100), 0);
    EXPECT_INT(from_fd(100, PROT_READ | PROT_WRITE, fd, 0, &memory, &err), HY_OK);
    close(fd);
    hy_memory_release(memory);
}

TEST(runtime_memory, read_only_file_is_mapped_at_an_offset)
{
    char path[] = "/tmp/halyard-test-XXXXXX";
    const size_t page = page_size();
    struct hy_memory *memory;
    struct hy_error err;
    int writer = mkstemp(path);
    REQUIRE(writer >= 0);
    EXPECT(pwrite(writer, "weights", 7, (off_t)page) == 7);
    int fd = open(path, O_RDONLY);
    unlink(path);

    REQUIRE(from_fd(7, PROT_READ, fd, page, &memory, &err) == HY_OK);
    EXPECT(memcmp(hy_memory_pool(memory)->address, "weights", 7) == 0);
    EXPECT_INT(hy_memory_pool(memory)->offset, page);
    EXPECT_INT(hy_memory_check_range(memory, 0, 7, HY_PROTECT_READ, &err), HY_OK);
    EXPECT_INT(hy_memory_check_range(memory, 0, 7, HY_PROTECT_WRITE, &err), HY_BAD_DATA);
    EXPECT_CONTAINS(err.text, "without PROT_WRITE");
    hy_memory_release(memory);

    EXPECT_INT(from_fd(7, PROT_READ | PROT_WRITE, fd, page, &memory, &err), HY_BAD_DATA);
    EXPECT_CONTAINS(err.text, "to be written");
    EXPECT(memory == NULL);
    close(fd);
    close(writer);
}

TEST(runtime_memory, sealed_memfd_can_be_read_but_not_written)
{
    struct hy_memory *memory;
    struct hy_error err;
    int fd = shared_file(32);
    EXPECT(pwrite(fd, "sealed", 6, 0) == 6);
    REQUIRE(fcntl(fd, F_ADD_SEALS, F_SEAL_WRITE | F_SEAL_SHRINK | F_SEAL_GROW) == 0);

    REQUIRE(from_fd(32, PROT_READ, fd, 0, &memory, &err) == HY_OK);
    EXPECT(memcmp(hy_memory_pool(memory)->address, "sealed", 6) == 0);
    hy_memory_release(memory);
    EXPECT_INT(from_fd(32, PROT_READ | PROT_WRITE, fd, 0, &memory, &err), HY_BAD_DATA);
    close(fd);
}

TEST(runtime_memory, wrong_arguments_are_refused_with_their_numbers)
{
    const size_t page = page_size();
    struct hy_memory *memory;
    struct hy_error err;
    int fd = shared_file(2 * page);

    EXPECT_INT(from_fd(0, PROT_READ, fd, 0, &memory, &err), HY_BAD_DATA);
    EXPECT_CONTAINS(err.text, "size is 0");
    EXPECT_INT(from_fd(8, PROT_READ | PROT_EXEC, fd, 0, &memory, &err), HY_BAD_DATA);
    EXPECT_CONTAINS(err.text, "0x5");
    EXPECT_INT(from_fd(8, PROT_READ, fd, 100, &memory, &err), HY_BAD_DATA);
    EXPECT_CONTAINS(err.text, "offset 100 is not a multiple of the page size");
    EXPECT_INT(from_fd(SIZE_MAX, PROT_READ, fd, page, &memory, &err), HY_BAD_DATA);
    EXPECT_INT(from_fd(2 * page + 1, PROT_READ, fd, 0, &memory, &err), HY_BAD_DATA);
    EXPECT_INT(from_fd(page + 1, PROT_READ, fd, page, &memory, &err), HY_BAD_DATA);
    EXPECT_CONTAINS(err.text, "do not lie inside");
    EXPECT_INT(from_fd(8, PROT_READ, fd, SIZE_MAX - page + 1, &memory, &err), HY_BAD_DATA);
    EXPECT(memory == NULL);
    close(fd);
}

TEST(runtime_memory, descriptor_that_cannot_be_duplicated_fails)
{
    struct hy_memory *memory;
    struct hy_error err;

    EXPECT_INT(from_fd(8, PROT_READ, -1, 0, &memory, &err), HY_FAILED);
    EXPECT_CONTAINS(err.text, "-1");
    EXPECT_INT(from_fd(8, PROT_READ, 1 << 20, 0, &memory, &err), HY_FAILED);
}

TEST(runtime_memory, descriptor_that_cannot_be_mapped_is_refused)
{
    struct hy_memory *memory;
    struct hy_error err;
    int ends[2];

    REQUIRE(pipe(ends) == 0);
    EXPECT_INT(from_fd(8, PROT_READ, ends[0], 0, &memory, &err), HY_BAD_DATA);
    close(ends[0]);
    close(ends[1]);
    REQUIRE(socketpair(AF_UNIX, SOCK_STREAM, 0, ends) == 0);
    EXPECT_INT(from_fd(8, PROT_READ, ends[0], 0, &memory, &err), HY_BAD_DATA);
    EXPECT_CONTAINS(err.text, "mapping 8 bytes");
    close(ends[0]);
    close(ends[1]);
}

TEST(runtime_memory, memory_without_protection_exists_but_serves_nothing)
{
    struct hy_memory *memory;
    struct hy_error err;
    int fd = shared_file(16);

    REQUIRE(from_fd(16, PROT_NONE, fd, 0, &memory, &err) == HY_OK);
    EXPECT_INT(hy_memory_check_range(memory, 0, 16, HY_PROTECT_READ, &err), HY_BAD_DATA);
    EXPECT_CONTAINS(err.text, "without PROT_READ");
    hy_memory_release(memory);
    close(fd);
}

TEST(runtime_memory, ranges_are_checked_without_overflow)
{
    struct hy_memory *memory = shared_memory(100);
    struct hy_error err;
    REQUIRE(memory != NULL);

    EXPECT_INT(hy_memory_check_range(memory, 0, 100, HY_PROTECT_READ, &err), HY_OK);
    EXPECT_INT(hy_memory_check_range(memory, 99, 1, HY_PROTECT_READ, &err), HY_OK);
    EXPECT_INT(hy_memory_check_range(memory, 0, 0, HY_PROTECT_READ, &err), HY_BAD_DATA);
    EXPECT_CONTAINS(err.text, "is empty");
    EXPECT_INT(hy_memory_check_range(memory, 60, 41, HY_PROTECT_READ, &err), HY_BAD_DATA);
    EXPECT_CONTAINS(err.text, "41 bytes at offset 60 do not lie inside the memory of 100 bytes");
    EXPECT_INT(hy_memory_check_range(memory, UINT64_MAX - 3, 8, HY_PROTECT_READ, &err),
               HY_BAD_DATA);
    EXPECT_INT(hy_memory_check_range(memory, 8, UINT64_MAX - 3, HY_PROTECT_READ, &err),
               HY_BAD_DATA);
    /* These sums fit 32 bits only because they wrap around. */
    EXPECT_INT(hy_memory_check_range(memory, UINT32_MAX, 5, HY_PROTECT_READ, &err), HY_BAD_DATA);
    hy_memory_release(memory);
}

TEST(runtime_memory, file_that_shrank_is_noticed)
{
    const size_t page = page_size();
    struct hy_memory *memory;
    struct hy_error err;
    int fd = shared_file(2 * page);

    REQUIRE(from_fd(2 * page, PROT_READ, fd, 0, &memory, &err) == HY_OK);
    EXPECT_INT(ftruncate(fd, (off_t)page), 0);
    EXPECT_INT(hy_memory_check_range(memory, page - 4, 8, HY_PROTECT_READ, &err), HY_BAD_DATA);
    EXPECT_CONTAINS(err.text, "the file has");
    EXPECT_INT(hy_memory_check_range(memory, 0, page, HY_PROTECT_READ, &err), HY_OK);
    hy_memory_release(memory);
    close(fd);
}

TEST(runtime_memory, ids_are_never_given_twice)
{
    struct hy_memory *a = shared_memory(8), *b = shared_memory(8);
    REQUIRE(a && b);

    uint64_t first = hy_memory_pool(a)->id, second = hy_memory_pool(b)->id;
    EXPECT(first != 0 && second != 0 && first != second);
    hy_memory_release(a);
    hy_memory_release(b);
    EXPECT(hy_memory_next_id() > second);
}

TEST(runtime_memory, retained_memory_outlives_the_first_release)
{
    struct hy_memory *memory = shared_memory(8);
    REQUIRE(memory != NULL);

    EXPECT(hy_memory_retain(memory) == memory);
    hy_memory_release(memory);
    EXPECT_INT(*(const char *)hy_memory_pool(memory)->address, 0);
    hy_memory_release(memory);
    hy_memory_release(NULL);
}
