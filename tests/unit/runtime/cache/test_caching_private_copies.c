/* What a device gets of an entry that was found is the device's own: it may write to the files. */
#include "tests/kit/test.h"

#include "tests/unit/runtime/kit/cache_fixture.h"

#include <sched.h>
#include <sys/mount.h>
#include <sys/wait.h>

enum { NOT_HERE = 77 };

static struct caching_device device;

/* It restores inside of prepare, as support libraries do. */
static void disable_restore(void)
{
    device.table.prepare_from_cache = NULL;
}

TEST(caching_private_copies, device_that_empties_the_files_of_a_hit_harms_no_entry)
{
    const struct cache_dir dir = make_dir();

    caching_device_init(&device, "acme-empties", ANEURALNETWORKS_ADD);
    expect_outcome(&device, dir.path, HY_CACHE_STORED, "does not exist");
    device.fault = CACHING_EMPTIES; /* what it would compute with, so it is not run */
    struct hy_compilation *compilation = compile_in(&device, dir.path);
    REQUIRE(compilation);
    EXPECT_INT(outcome_of(compilation, 0)->kind, HY_CACHE_HIT);
    EXPECT_INT(device.save_status, HY_STATUS_OK);
    hy_compilation_release(compilation);
    device.fault = CACHING_HONEST;
    expect_outcome(&device, dir.path, HY_CACHE_HIT, "");
    EXPECT_INT(device.prepare_count, 1);
    caching_device_finish(&device);
    remove_dir(dir.path);
}

TEST(caching_private_copies,
     files_that_prepare_has_left_as_they_were_are_a_hit_and_others_are_published)
{
    const struct cache_dir dir = make_dir();

    caching_device_init(&device, "acme-library", ANEURALNETWORKS_ADD);
    disable_restore();
    expect_outcome(&device, dir.path, HY_CACHE_STORED, "does not exist");
    device.fault = CACHING_WRITES_NOTHING;
    expect_outcome(&device, dir.path, HY_CACHE_HIT, "the device copied the files");
    EXPECT(device.last_bytes > 0);
    device.fault = CACHING_WRITES_OTHER;
    expect_outcome(&device, dir.path, HY_CACHE_STORED, "");
    device.fault = CACHING_WRITES_NOTHING;
    expect_outcome(&device, dir.path, HY_CACHE_HIT, "the device copied the files");
    caching_device_finish(&device);
    remove_dir(dir.path);
}

/* ---- Where the file system is read-only ------------------------------------------------------ */

/* Not even root may write there; whoever is not root is so in a namespace of users. */
static bool make_read_only(const char *path)
{
    return (unshare(CLONE_NEWNS) == 0 || unshare(CLONE_NEWUSER | CLONE_NEWNS) == 0) &&
           mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL) == 0 &&
           mount(path, path, NULL, MS_BIND, NULL) == 0 &&
           mount(NULL, path, NULL, MS_BIND | MS_REMOUNT | MS_RDONLY, NULL) == 0;
}

/* Whether a compilation, whose device may write to the files, is of that kind. */
static int find_read_only(const char *path, enum hy_cache_kind kind)
{
    if (!make_read_only(path))
        return NOT_HERE;
    struct hy_compilation *compilation = compile_in(&device, path);
    const bool is_right = compilation && outcome_of(compilation, 0)->kind == kind &&
                          device.save_status == HY_STATUS_OK;
    hy_compilation_release(compilation);
    return is_right ? 0 : 1;
}

static void expect_read_only(const char *path, enum hy_cache_kind kind)
{
    int status = -1;

    fflush(NULL);
    const pid_t child = fork();
    if (child == 0)
        _exit(find_read_only(path, kind));
    REQUIRE(child > 0 && waitpid(child, &status, 0) == child && WIFEXITED(status));
    if (WEXITSTATUS(status) == NOT_HERE)
        printf("(skipped: this machine permits no mount) ");
    else
        EXPECT_INT(WEXITSTATUS(status), 0);
}

TEST(caching_private_copies, device_may_write_to_the_files_of_a_read_only_file_system)
{
    const struct cache_dir dir = make_dir();

    caching_device_init(&device, "acme-empties", ANEURALNETWORKS_ADD);
    expect_outcome(&device, dir.path, HY_CACHE_STORED, "does not exist");
    device.fault = CACHING_EMPTIES;
    expect_read_only(dir.path, HY_CACHE_HIT);
    caching_device_finish(&device);
    remove_dir(dir.path);
}

TEST(caching_private_copies, prepare_may_write_to_the_files_of_a_read_only_file_system)
{
    const struct cache_dir dir = make_dir();

    caching_device_init(&device, "acme-library", ANEURALNETWORKS_ADD);
    disable_restore();
    expect_outcome(&device, dir.path, HY_CACHE_STORED, "does not exist");
    expect_read_only(dir.path, HY_CACHE_NOT_STORED); /* the device compiles, and writes anew */
    device.fault = CACHING_WRITES_NOTHING;
    expect_read_only(dir.path, HY_CACHE_HIT);
    caching_device_finish(&device);
    remove_dir(dir.path);
}
