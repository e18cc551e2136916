/* Memory behind file descriptors: what may be shared, and how long it lives. What is refused is in
 * tests/scenarios/contract/test_contract_memory.c. */
#include "runtime/memory/memory_check.h"
#include "tests/kit/test.h"
#include "tests/unit/runtime/kit/model_fixture.h"

#include <fcntl.h>
#include <stdlib.h>

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
    EXPECT_CONTAINS(err.text, "PROT_WRITE needs write access");
    EXPECT(memory == NULL);
    close(fd);
    close(writer);
}

/* ---- Protections ----------------------------------------------------------------------------- */

/* How the system has mapped the memory: "rw-s" and the like. */
static void read_mapping(const struct hy_memory *memory, char ret[5])
{
    FILE *maps = fopen("/proc/self/maps", "r");
    char line[512], start[32];

    snprintf(start, sizeof start, "%zx-", (size_t)(uintptr_t)hy_memory_pool(memory)->address);
    ret[0] = '\0';
    while (maps && fgets(line, sizeof line, maps)) {
        const char *space = strchr(line, ' ');
        if (space && strncmp(line, start, strlen(start)) == 0)
            snprintf(ret, 5, "%s", space + 1);
    }
    if (maps)
        fclose(maps);
}

TEST(runtime_memory, memory_is_mapped_for_what_its_protection_needs)
{
    static const struct {
        int protect;
        uint32_t protection; /* that drivers are told */
        const char *mapping;
    } cases[] = {
        {PROT_NONE, 0, "---s"},
        {PROT_READ, HY_PROTECT_READ, "r--s"},
        {PROT_WRITE, HY_PROTECT_READ | HY_PROTECT_WRITE, "rw-s"},
        {PROT_READ | PROT_WRITE, HY_PROTECT_READ | HY_PROTECT_WRITE, "rw-s"},
    };
    int fd = shared_file(64);

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct hy_memory *memory;
        struct hy_error err;
        char mapping[5];
        REQUIRE(from_fd(64, cases[i].protect, fd, 0, &memory, &err) == HY_OK);
        read_mapping(memory, mapping);
        EXPECT_STR(mapping, cases[i].mapping);
        EXPECT_INT(hy_memory_pool(memory)->protection, cases[i].protection);
        hy_memory_release(memory);
    }
    close(fd);
}

TEST(runtime_memory, memory_to_be_written_alone_is_no_input)
{
    struct hy_memory *memory;
    struct hy_error err;
    int fd = shared_file(64);

    REQUIRE(from_fd(64, PROT_WRITE, fd, 0, &memory, &err) == HY_OK);
    close(fd);
    EXPECT_INT(hy_memory_check_range(memory, 0, 64, HY_PROTECT_WRITE, &err), HY_OK);
    EXPECT_INT(hy_memory_check_range(memory, 0, 64, HY_PROTECT_READ, &err), HY_BAD_DATA);
    EXPECT_CONTAINS(err.text, "without PROT_READ");
    EXPECT_INT(hy_memory_check_mapped(memory, HY_PROTECT_READ, &err), HY_UNMAPPABLE);
    EXPECT_CONTAINS(err.text, "without PROT_READ");
    hy_memory_release(memory);
}

/* Also where root opens everything. */
TEST(runtime_memory, descriptor_that_cannot_be_mapped_so_is_named)
{
    char path[] = "/tmp/halyard-test-XXXXXX", expected[128];
    static const struct {
        int flags, protect;
        const char *expected;
    } cases[] = {
        {O_WRONLY, PROT_WRITE, "is write-only"},
        {O_WRONLY, PROT_NONE, "is write-only"},
        {O_RDONLY, PROT_WRITE, "is read-only, PROT_WRITE needs write access"},
        {O_PATH, PROT_READ, "was opened with O_PATH"},
    };
    int fd = mkstemp(path);

    REQUIRE(fd >= 0);
    EXPECT_INT(ftruncate(fd, 64), 0);
    close(fd);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct hy_memory *memory;
        struct hy_error err;
        fd = open(path, cases[i].flags | O_CLOEXEC);
        EXPECT_INT(from_fd(64, cases[i].protect, fd, 0, &memory, &err), HY_BAD_DATA);
        snprintf(expected, sizeof expected, "file descriptor %d %s", fd, cases[i].expected);
        EXPECT_CONTAINS(err.text, expected);
        EXPECT(memory == NULL);
        close(fd);
    }
    unlink(path);
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

/* ---- Files that shrink ----------------------------------------------------------------------- */

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

TEST(runtime_memory, file_behind_arguments_is_looked_at_the_first_times_only)
{
    const size_t page = page_size();
    struct hy_memory *memory;
    struct hy_error err;
    int fd = shared_file(2 * page);

    REQUIRE(from_fd(2 * page, PROT_READ, fd, 0, &memory, &err) == HY_OK);
    EXPECT_INT(ftruncate(fd, (off_t)page), 0);
    for (unsigned i = 0; i < 100; i++) { /* those that fail do not count */
        EXPECT_INT(hy_memory_check_argument(memory, page, 8, HY_PROTECT_READ, &err), HY_BAD_DATA);
        EXPECT_INT(hy_memory_check_again(memory, page, 8, &err), HY_BAD_DATA);
    }
    for (unsigned i = 0; i < 100; i++)
        EXPECT_INT(hy_memory_check_argument(memory, 0, page, HY_PROTECT_READ, &err), HY_OK);
    EXPECT_INT(hy_memory_check_argument(memory, page, 8, HY_PROTECT_READ, &err), HY_OK);
    EXPECT_INT(hy_memory_check_argument(memory, page, 8, HY_PROTECT_WRITE, &err), HY_BAD_DATA);
    EXPECT_INT(hy_memory_check_argument(memory, page, page + 1, HY_PROTECT_READ, &err),
               HY_BAD_DATA);
    EXPECT_INT(hy_memory_check_range(memory, page, 8, HY_PROTECT_READ, &err), HY_BAD_DATA);
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
