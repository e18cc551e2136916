/*
 * What an opened entry holds when somebody changes or shortens its files. The linker puts the
 * functions below in the place of the system's: a file system with fs-verity, and somebody who cuts
 * a file while it is read.
 */
#include "cache_fixture.h"

#include "cache_store/file_copy.h"

#include "tests/kit/test.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/fsverity.h>
#include <sched.h>
#include <stdarg.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

enum { MAP_FROM = 4096, FIRST_PIECE = 65536, NOT_HERE = 77 };

static const struct hy_entry_access ours = {.is_restored_here = true, .map_from = MAP_FROM};
static const struct hy_entry_access passed = {
    .passes_fds = true, .is_restored_here = true, .map_from = MAP_FROM};
static const struct hy_entry_access rewritten = {.passes_fds = true, .map_from = UINT64_MAX};

/* ---- A file system with fs-verity ------------------------------------------------------------ */

static struct {
    bool is_there;
    ino_t sealed; /* the file that is under it; 0: none */
    unsigned enabled;
    bool was_writable; /* when it was enabled, which the kernel refuses */
} verity;

static ino_t inode_of(int fd)
{
    struct stat info;
    return fstat(fd, &info) == 0 ? info.st_ino : 0;
}

int __wrap_ioctl(int fd, unsigned long request, ...);
int __wrap_ioctl(int fd, unsigned long request, ...)
{
    const bool is_measured = request == FS_IOC_MEASURE_VERITY;

    errno = verity.is_there ? ENODATA : ENOTTY;
    if (!verity.is_there || (is_measured && inode_of(fd) != verity.sealed))
        return -1;
    if (is_measured)
        return 0;
    verity.enabled++;
    verity.sealed = inode_of(fd);
    verity.was_writable |= (fcntl(fd, F_GETFL) & O_ACCMODE) != O_RDONLY;
    return 0;
}

/* Nobody opens such a file for writing. */
static int open_unless_sealed(int fd, int flags)
{
    if (fd < 0 || verity.sealed == 0 || inode_of(fd) != verity.sealed ||
        (flags & O_ACCMODE) == O_RDONLY)
        return fd;
    close(fd);
    errno = EPERM;
    return -1;
}

int __real_openat(int dir, const char *name, int flags, mode_t mode);
int __wrap_openat(int dir, const char *name, int flags, mode_t mode);
int __wrap_openat(int dir, const char *name, int flags, mode_t mode)
{
    return open_unless_sealed(__real_openat(dir, name, flags, mode), flags);
}

int __real_openat64(int dir, const char *name, int flags, mode_t mode);
int __wrap_openat64(int dir, const char *name, int flags, mode_t mode);
int __wrap_openat64(int dir, const char *name, int flags, mode_t mode)
{
    return open_unless_sealed(__real_openat64(dir, name, flags, mode), flags);
}

/* ---- Somebody who cuts a file while it is read ----------------------------------------------- */

static const char *truncate_after_read; /* NULL: nobody does */

static void cut(off_t at)
{
    if (truncate_after_read && at == FIRST_PIECE && truncate(truncate_after_read, at) != 0)
        hy_test_fail(__FILE__, __LINE__, "%s cannot be cut", truncate_after_read);
}

ssize_t __real_pread(int fd, void *bytes, size_t capacity, off_t at);
ssize_t __wrap_pread(int fd, void *bytes, size_t capacity, off_t at);
ssize_t __wrap_pread(int fd, void *bytes, size_t capacity, off_t at)
{
    cut(at);
    return __real_pread(fd, bytes, capacity, at);
}

ssize_t __real_pread64(int fd, void *bytes, size_t capacity, off_t at);
ssize_t __wrap_pread64(int fd, void *bytes, size_t capacity, off_t at);
ssize_t __wrap_pread64(int fd, void *bytes, size_t capacity, off_t at)
{
    cut(at);
    return __real_pread64(fd, bytes, capacity, at);
}

/* ---- Entries --------------------------------------------------------------------------------- */

static enum hy_code open_for(const struct cache_fixture *cache, unsigned number,
                             const struct hy_entry_access *access, struct hy_entry **ret)
{
    uint8_t token[HY_TOKEN_SIZE];

    cache_token(number, token);
    return hy_entry_open(cache->store, token, cache_counts, access, ret, NULL);
}

static bool has_data(const struct hy_entry *entry, unsigned number)
{
    const uint8_t *bytes = entry->data[0].address;

    for (size_t i = 0; i < entry->data[0].length; i++) {
        if (bytes[i] != cache_byte(number, true, i))
            return false;
    }
    return bytes != NULL;
}

static bool is_open_for(int fd, int mode)
{
    return (fcntl(fd, F_GETFL) & O_ACCMODE) == mode;
}

static const struct {
    unsigned number;
    size_t model, data;
} sizes[] = {{1, 1, 1}, {2, 10, 4095}, {3, 5000, 200000}, {4, 100, (3 << 20) + 7}};

enum { SIZE_COUNT = sizeof sizes / sizeof *sizes };

TEST(entry_content, copies_stay_what_they_are_when_the_files_are_cut)
{
    const struct hy_entry_access accesses[] = {{.is_restored_here = true, .map_from = UINT64_MAX},
                                               rewritten};
    struct cache_fixture cache = cache_fixture_make(CACHE_NO_LIMIT);
    const int descriptors = cache_descriptor_count();

    for (int i = 0; i < 2 * SIZE_COUNT; i++) {
        const unsigned number = sizes[i / 2].number;
        struct hy_entry *entry = NULL;

        EXPECT_INT(cache_publish(cache.store, number, sizes[i / 2].model, sizes[i / 2].data, NULL),
                   HY_OK);
        REQUIRE(open_for(&cache, number, &accesses[i % 2], &entry) == HY_OK);
        EXPECT(truncate(cache_entry_path(&cache, number, "data-0").text, 0) == 0);
        EXPECT(has_data(entry, number));
        EXPECT_INT((uintptr_t)entry->data[0].address % 64, 0);
        EXPECT(!entry->is_guarded && !entry->is_truncated);
        hy_entry_close(entry);
    }
    EXPECT_INT(cache_descriptor_count(), descriptors);
    cache_fixture_remove(&cache);
}

TEST(entry_content, large_file_is_mapped_and_torn_when_it_is_cut)
{
    struct cache_fixture cache = cache_fixture_make(CACHE_NO_LIMIT);
    const struct hy_entry_access *const accesses[] = {&ours, &passed};

    for (unsigned i = 0; i < 2; i++) {
        struct hy_entry *entry = NULL;

        EXPECT_INT(cache_publish(cache.store, 1, 10, 200000, NULL), HY_OK);
        REQUIRE(open_for(&cache, 1, accesses[i], &entry) == HY_OK);
        EXPECT(has_data(entry, 1));
        EXPECT(entry->is_guarded && !entry->is_truncated);
        EXPECT(truncate(cache_entry_path(&cache, 1, "data-0").text, 100000) == 0);
        const volatile uint8_t *bytes = entry->data[0].address;
        EXPECT_INT(bytes[199999], 0);
        EXPECT_INT(bytes[5], cache_byte(1, true, 5));
        EXPECT(entry->is_truncated);
        hy_entry_close(entry);
        EXPECT_INT(open_for(&cache, 1, accesses[i], &entry), HY_BAD_DATA);
    }
    cache_fixture_remove(&cache);
}

TEST(entry_content, large_file_for_another_process_is_read_and_not_mapped)
{
    const struct hy_entry_access apart = {.passes_fds = true, .map_from = MAP_FROM};
    struct cache_fixture cache = cache_fixture_make(CACHE_NO_LIMIT);
    struct hy_entry *entry = NULL;

    EXPECT_INT(cache_publish(cache.store, 1, 10, 5000, NULL), HY_OK);
    REQUIRE(open_for(&cache, 1, &apart, &entry) == HY_OK);
    EXPECT(!entry->data[0].address && is_open_for(entry->data[0].fd, O_RDWR));
    EXPECT_INT(pwrite(entry->data[0].fd, "x", 1, 17), 1);
    hy_entry_close(entry);
    EXPECT_INT(open_for(&cache, 1, &apart, &entry), HY_BAD_DATA);
    cache_fixture_remove(&cache);
}

TEST(entry_content, file_that_is_cut_while_it_is_copied_is_a_miss)
{
    const struct hy_entry_access accesses[] = {{.map_from = UINT64_MAX}, rewritten};
    struct cache_fixture cache = cache_fixture_make(CACHE_NO_LIMIT);
    const struct cache_path path = cache_entry_path(&cache, 1, "data-0");
    uint8_t token[HY_TOKEN_SIZE];

    cache_token(1, token);
    for (unsigned i = 0; i < 2; i++) {
        struct hy_entry *entry = NULL;
        struct hy_error err = {0};

        EXPECT_INT(cache_publish(cache.store, 1, 10, 200000, NULL), HY_OK);
        truncate_after_read = path.text;
        EXPECT_INT(hy_entry_open(cache.store, token, cache_counts, &accesses[i], &entry, &err),
                   HY_BAD_DATA);
        truncate_after_read = NULL;
        EXPECT_CONTAINS(err.text, "data-0, 200000 bytes: the file was cut to 65536 bytes");
        EXPECT(!cache_exists(cache_entry_path(&cache, 1, "")));
    }
    cache_fixture_remove(&cache);
}

/* A sparse file of somebody's is no reason to fill the memory. */
TEST(entry_content, copy_of_more_than_4_gib_is_refused)
{
    struct hy_error err = {0};
    uint8_t digest[16];
    void *memory = NULL;
    int copy = -1;
    const int fd = memfd_create("sparse", MFD_CLOEXEC);

    REQUIRE(fd >= 0 && ftruncate(fd, (off_t)HY_FILE_COPY_MAX + 1) == 0);
    EXPECT_INT(hy_file_copy_to_file(fd, HY_FILE_COPY_MAX + 1, &copy, digest, &err), HY_EXHAUSTED);
    EXPECT_CONTAINS(err.text, "the file has more than 4294967296 bytes");
    EXPECT_INT(hy_file_copy_to_memory(fd, HY_FILE_COPY_MAX + 1, &memory, digest, &err),
               HY_EXHAUSTED);
    close(fd);
}

/* ---- What drivers are lent ------------------------------------------------------------------- */

static void write_to_all(const struct hy_entry *entry)
{
    const int files[] = {entry->model[0].fd, entry->data[0].fd};

    for (int i = 0; i < 2; i++) {
        EXPECT(is_open_for(files[i], O_RDWR));
        EXPECT_INT(ftruncate(files[i], 0), 0);
        EXPECT_INT(pwrite(files[i], "other", 5, 0), 5);
    }
}

TEST(entry_content, driver_may_write_to_what_it_is_lent_and_the_entry_stays)
{
    struct cache_fixture cache = cache_fixture_make(CACHE_NO_LIMIT);

    for (int i = 0; i < SIZE_COUNT; i++) {
        struct hy_entry *entry = NULL;
        EXPECT_INT(cache_publish(cache.store, sizes[i].number, sizes[i].model, sizes[i].data, NULL),
                   HY_OK);
        REQUIRE(open_for(&cache, sizes[i].number, &rewritten, &entry) == HY_OK);
        write_to_all(entry);
        hy_entry_close(entry);
        EXPECT_INT(cache_check(cache.store, sizes[i].number, NULL), HY_OK);
    }
    cache_fixture_remove(&cache);
}

static enum hy_code publish_with_open_files(const struct cache_fixture *cache, unsigned number)
{
    uint8_t token[HY_TOKEN_SIZE];
    struct hy_entry_writer *writer = NULL;

    cache_token(number, token);
    enum hy_code code = hy_entry_writer_create(cache->store, token, cache_counts, &writer, NULL);
    if (code != HY_OK || !cache_write(writer, number, 10, 5000))
        return HY_FAILED;
    return hy_entry_writer_publish(writer, &cache_test_info, true, NULL);
}

TEST(entry_content, entry_that_is_kept_open_is_lent_itself)
{
    struct cache_fixture cache = cache_fixture_make(CACHE_NO_LIMIT);
    struct hy_entry *entry = NULL;
    char found[6] = "";

    EXPECT_INT(publish_with_open_files(&cache, 1), HY_OK);
    REQUIRE(open_for(&cache, 1, &passed, &entry) == HY_OK);
    write_to_all(entry);
    hy_entry_close(entry);
    REQUIRE(open_for(&cache, 1, &passed, &entry) == HY_OK);
    EXPECT_INT(pread(entry->data[0].fd, found, sizeof found, 0), 5);
    EXPECT_STR(found, "other");
    hy_entry_close(entry);
    cache_fixture_remove(&cache);
}

/* Not even root may write there; whoever is not root is so in a namespace of users. */
static bool make_read_only(const char *dir)
{
    return (unshare(CLONE_NEWNS) == 0 || unshare(CLONE_NEWUSER | CLONE_NEWNS) == 0) &&
           mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL) == 0 &&
           mount(dir, dir, NULL, MS_BIND, NULL) == 0 &&
           mount(NULL, dir, NULL, MS_BIND | MS_REMOUNT | MS_RDONLY, NULL) == 0;
}

static bool can_write_to_copies(const struct cache_fixture *cache, unsigned number,
                                const struct hy_entry_access *access)
{
    struct hy_entry *entry = NULL;

    if (open_for(cache, number, access, &entry) != HY_OK)
        return false;
    const int files[] = {entry->model[0].fd, entry->data[0].fd};
    bool good = true;
    for (int i = 0; i < 2; i++)
        good = good && is_open_for(files[i], O_RDWR) && ftruncate(files[i], 0) == 0 &&
               pwrite(files[i], "other", 5, 0) == 5;
    hy_entry_close(entry);
    return good;
}

static int use_read_only(const struct cache_fixture *cache)
{
    struct hy_entry *entry = NULL;

    if (!make_read_only(cache->dir))
        return NOT_HERE;
    if (open_for(cache, 1, &ours, &entry) != HY_OK || !has_data(entry, 1))
        return 2;
    hy_entry_close(entry);
    if (!can_write_to_copies(cache, 1, &passed))
        return 3;
    if (!can_write_to_copies(cache, 1, &rewritten))
        return 4;
    if (!can_write_to_copies(cache, 2, &passed))
        return 5;
    return open_for(cache, 1, &passed, &entry) == HY_OK && has_data(entry, 1) ? 0 : 6;
}

TEST(entry_content, driver_may_write_to_copies_where_the_file_system_is_read_only)
{
    struct cache_fixture cache = cache_fixture_make(CACHE_NO_LIMIT);
    int status = -1;

    EXPECT_INT(cache_publish(cache.store, 1, 10, 200000, NULL), HY_OK);
    EXPECT_INT(publish_with_open_files(&cache, 2), HY_OK);
    const pid_t child = fork();
    if (child == 0)
        _exit(use_read_only(&cache));
    REQUIRE(child > 0 && waitpid(child, &status, 0) == child && WIFEXITED(status));
    if (WEXITSTATUS(status) == NOT_HERE)
        printf("(skipped: this machine permits no mount) ");
    else
        EXPECT_INT(WEXITSTATUS(status), 0);
    EXPECT_INT(cache_check(cache.store, 1, NULL), HY_OK);
    cache_fixture_remove(&cache);
}

/* ---- fs-verity ------------------------------------------------------------------------------- */

/* With a data file of so many bytes, all zeros. */
static enum hy_code publish_zeros(const struct cache_fixture *cache, unsigned number, off_t length,
                                  bool is_kept_open)
{
    uint8_t token[HY_TOKEN_SIZE];
    struct hy_entry_writer *writer = NULL;

    cache_token(number, token);
    enum hy_code code = hy_entry_writer_create(cache->store, token, cache_counts, &writer, NULL);
    if (code != HY_OK || ftruncate(writer->data[0], length) != 0)
        return HY_FAILED;
    return hy_entry_writer_publish(writer, &cache_test_info, is_kept_open, NULL);
}

TEST(entry_content, large_file_is_published_with_verity_and_mapped_without_a_guard)
{
    const struct hy_entry_access access = {
        .passes_fds = true, .is_restored_here = true, .map_from = HY_ENTRY_MAP_FROM};
    struct cache_fixture cache = cache_fixture_make(CACHE_NO_LIMIT);
    struct hy_entry *entry = NULL;

    verity.is_there = true;
    EXPECT_INT(publish_zeros(&cache, 1, (off_t)HY_ENTRY_MAP_FROM, false), HY_OK);
    EXPECT_INT(verity.enabled, 1);
    EXPECT(!verity.was_writable);
    REQUIRE(open_for(&cache, 1, &cache_access, &entry) == HY_OK);
    EXPECT_INT(entry->data[0].memory, HY_ENTRY_MAPPED);
    EXPECT(!entry->is_guarded);
    hy_entry_close(entry);

    REQUIRE(open_for(&cache, 1, &access, &entry) == HY_OK);
    EXPECT_INT(entry->data[0].memory, HY_ENTRY_MAPPED);
    EXPECT(is_open_for(entry->data[0].fd, O_RDONLY) && is_open_for(entry->model[0].fd, O_RDWR));
    hy_entry_close(entry);
    verity.is_there = false;
    verity.sealed = 0;
    verity.enabled = 0;
    cache_fixture_remove(&cache);
}

TEST(entry_content, other_files_are_published_without_verity)
{
    struct cache_fixture cache = cache_fixture_make(CACHE_NO_LIMIT);
    struct hy_entry *entry = NULL;

    verity.is_there = true;
    EXPECT_INT(publish_zeros(&cache, 1, (off_t)HY_ENTRY_MAP_FROM - 1, false), HY_OK);
    EXPECT_INT(publish_zeros(&cache, 2, (off_t)HY_ENTRY_MAP_FROM, true), HY_OK);
    EXPECT_INT(verity.enabled, 0);
    verity.is_there = false;
    EXPECT_INT(publish_zeros(&cache, 3, (off_t)HY_ENTRY_MAP_FROM, false), HY_OK);
    REQUIRE(open_for(&cache, 3, &cache_access, &entry) == HY_OK);
    EXPECT_INT(entry->data[0].memory, HY_ENTRY_GUARDED);
    hy_entry_close(entry);
    REQUIRE(open_for(&cache, 1, &cache_access, &entry) == HY_OK);
    EXPECT_INT(entry->data[0].memory, HY_ENTRY_COPIED);
    hy_entry_close(entry);
    cache_fixture_remove(&cache);
}
