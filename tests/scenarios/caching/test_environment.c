/* Disks, rights and limits: the compilation succeeds, with the right answer and a reason, and the
 * cache is sane afterwards. */
#include "tests/kit/test.h"

#include "tests/scenarios/caching/cache_case.h"
#include "tests/scenarios/caching/state_dir.h"

#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <stdlib.h>
#include <sys/mount.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#define NOBODY 65534

/* ---- Folders --------------------------------------------------------------------------------- */

static bool use_missing(void *context)
{
    struct cache_case *cache_case = context;
    FORKED_CHECK(cache_case_begin(cache_case) && rmdir(cache_case->fs_path.path) == 0);
    FORKED_CHECK(cache_case_is_uncached(cache_case) && cache_case_is_uncached(cache_case));
    FORKED_CHECK(mkdir(cache_case->fs_path.path, 0700) == 0);
    return cache_case_is_usable(cache_case);
}

TEST(caching_environment, a_missing_folder_is_done_without)
{
    cache_case_for_each_device(use_missing);
}

/* Not even root may write there. */
static bool remount(const char *dir, unsigned long flags)
{
    return mount(NULL, dir, NULL, MS_BIND | MS_REMOUNT | flags, NULL) == 0;
}

static void separate(void)
{
    if (unshare(CLONE_NEWNS) != 0 || mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL) != 0)
        forked_give_up();
}

static bool use_read_only(void *context)
{
    struct cache_case *cache_case = context;
    separate();
    FORKED_CHECK(mount(cache_case->fs_path.path, cache_case->fs_path.path, NULL, MS_BIND, NULL) ==
                 0);
    FORKED_CHECK(cache_case_begin(cache_case) && remount(cache_case->fs_path.path, MS_RDONLY));
    FORKED_CHECK(cache_case_is_uncached(cache_case) && cache_case_is_uncached(cache_case));
    FORKED_CHECK(remount(cache_case->fs_path.path, 0) && cache_case_is_usable(cache_case));
    FORKED_CHECK(remount(cache_case->fs_path.path, MS_RDONLY));
    struct app_result result = cache_case_compile(cache_case);
    FORKED_CHECK(app_is_good(&result) && result.cache == HALYARD_CACHE_HIT);
    FORKED_CHECK(remount(cache_case->fs_path.path, 0));
    const struct fs_path file = path_of_file(cache_case->fs_path.path, result.token, "model-0");
    FORKED_CHECK(truncate(file.path, 5) == 0 && remount(cache_case->fs_path.path, MS_RDONLY));
    FORKED_CHECK(cache_case_is_uncached(cache_case) && remount(cache_case->fs_path.path, 0));
    return cache_case_is_usable(cache_case);
}

TEST(caching_environment, a_read_only_file_system_is_read)
{
    cache_case_for_each_device(use_read_only);
}

static bool use_as_nobody(void *context)
{
    struct cache_case *cache_case = context;
    FORKED_CHECK(cache_case_begin(cache_case) && chmod(cache_case->fs_path.path, 0500) == 0);
    FORKED_CHECK(mkdir(cache_case->state.path, 0777) == 0 || errno == EEXIST);
    if (geteuid() == 0 && setuid(NOBODY) != 0)
        forked_give_up();
    return cache_case_is_uncached(cache_case) && cache_case_is_uncached(cache_case);
}

TEST(caching_environment, a_folder_without_permission_is_done_without)
{
    cache_case_for_each_device(use_as_nobody);
}

static bool use_limit(void *context)
{
    struct cache_case *cache_case = context;
    setenv("HALYARD_CACHE_LIMIT", "0", 1);
    FORKED_CHECK(cache_case_begin(cache_case));
    return cache_case_is_uncached(cache_case) && cache_case_is_uncached(cache_case);
}

static bool use_small_limit(void *context)
{
    struct cache_case *cache_case = context;
    setenv("HALYARD_CACHE_LIMIT", "100", 1);
    FORKED_CHECK(cache_case_begin(cache_case));
    /* An entry that is kept open is empty in the beginning, and may be. */
    return cache_case_is_correct(cache_case) && cache_case_is_correct(cache_case);
}

TEST(caching_environment, a_limit_of_0_keeps_nothing)
{
    cache_case_for_each_device(use_limit);
    cache_case_for_each_device(use_small_limit);
}

/* ---- Full disks ------------------------------------------------------------------------------ */

/* Fills the file system of a folder up to the last page, and gives so many pages back. */
static bool fill(const struct fs_path *dir, off_t pages_left)
{
    static const char page[4096];
    const struct fs_path filler = path_in(dir, "filler");
    const int fd = open(filler.path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
    off_t length = 0;

    FORKED_CHECK(fd >= 0);
    while (write(fd, page, sizeof page) == (ssize_t)sizeof page)
        length += (off_t)sizeof page;
    const off_t wanted = length - pages_left * (off_t)sizeof page;
    const bool done = ftruncate(fd, wanted > 0 ? wanted : 0) == 0;
    close(fd);
    return done;
}

static bool empty(const struct fs_path *dir)
{
    const struct fs_path filler = path_in(dir, "filler");
    return unlink(filler.path) == 0;
}

static bool mount_small(const struct fs_path *dir)
{
    (void)mkdir(dir->path, 0700);
    return mount("none", dir->path, "tmpfs", 0, "size=256k,nr_inodes=64,mode=0700") == 0;
}

static bool use_full_disk(void *context)
{
    struct cache_case *cache_case = context;
    separate();
    FORKED_CHECK(mount_small(&cache_case->fs_path) && cache_case_begin(cache_case));
    for (off_t pages = 0; pages <= 24; pages++) {
        FORKED_CHECK(fill(&cache_case->fs_path, pages));
        FORKED_CHECK(pages > 0 || cache_case_is_uncached(cache_case));
        FORKED_CHECK(cache_case_is_correct(cache_case) && cache_case_is_correct(cache_case));
        FORKED_CHECK(empty(&cache_case->fs_path) && cache_case_is_usable(cache_case));
        FORKED_CHECK(halyard_cache_collect(cache_case->fs_path.path, 0, NULL, NULL, NULL) ==
                     ANEURALNETWORKS_NO_ERROR);
    }
    return true;
}

TEST(caching_environment, a_full_disk_is_done_without)
{
    cache_case_for_each_device(use_full_disk);
}

static bool use_full_state(void *context)
{
    struct cache_case *cache_case = context;
    separate();
    FORKED_CHECK(mount_small(&cache_case->state) && cache_case_begin(cache_case));
    for (off_t pages = 0; pages <= 24; pages++) {
        FORKED_CHECK(fill(&cache_case->state, pages));
        cache_case->app.token = (uint8_t)(1 + pages);
        FORKED_CHECK(cache_case_is_correct(cache_case));
        const struct app_result result = cache_case_compile(cache_case);
        FORKED_CHECK(app_is_good(&result) && (pages > 0 || result.cache != HALYARD_CACHE_HIT));
        FORKED_CHECK(empty(&cache_case->state) && cache_case_is_usable(cache_case));
    }
    return true;
}

TEST(caching_environment, a_full_state_folder_is_done_without)
{
    cache_case_for_each_device(use_full_state);
}

/* ---- The state folder ------------------------------------------------------------------------ */

static bool use_no_state(void *context)
{
    struct cache_case *cache_case = context;
    cache_case->state = (struct fs_path){"/dev/null/none"};
    FORKED_CHECK(cache_case_begin(cache_case));
    /* A driver that keeps descriptors has an entry then, in which it finds nothing of use. */
    return cache_case_is_correct(cache_case) && cache_case_is_correct(cache_case);
}

static bool use_state_of_nobody(void *context)
{
    struct cache_case *cache_case = context;
    FORKED_CHECK(mkdir(cache_case->state.path, 0500) == 0 &&
                 chown(cache_case->fs_path.path, NOBODY, 0) == 0);
    const struct fs_path shared = *state_dir_path();
    FORKED_CHECK(chmod(shared.path, 0711) == 0);
    if (geteuid() != 0 || setuid(NOBODY) != 0)
        forked_give_up();
    FORKED_CHECK(cache_case_begin(cache_case));
    for (int i = 0; i < 3; i++) {
        const struct app_result result = cache_case_compile(cache_case);
        FORKED_CHECK(app_is_good(&result) && result.cache != HALYARD_CACHE_HIT);
    }
    return true;
}

TEST(caching_environment, a_state_folder_that_cannot_be_written_is_done_without)
{
    cache_case_for_each_device(use_no_state);
    cache_case_for_each_device(use_state_of_nobody);
}

/* ---- Descriptors ----------------------------------------------------------------------------- */

/* The next descriptor that would be given. */
static rlim_t next_descriptor(void)
{
    const int fd = dup(0);
    close(fd);
    return fd < 0 ? 3 : (rlim_t)fd;
}

static bool use_few_descriptors(void *context)
{
    struct cache_case *cache_case = context;
    struct rlimit limit;

    FORKED_CHECK(cache_case_begin(cache_case) && getrlimit(RLIMIT_NOFILE, &limit) == 0);
    for (int is_warm = 0; is_warm < 2; is_warm++) {
        const struct rlimit all = limit;
        for (rlim_t more = 0; more <= 24; more++) {
            cache_case->app.token = (uint8_t)(1 + more);
            if (is_warm)
                FORKED_CHECK(cache_case_is_usable(cache_case));
            const rlim_t before = next_descriptor();
            limit.rlim_cur = before + more;
            FORKED_CHECK(setrlimit(RLIMIT_NOFILE, &limit) == 0);
            const bool good =
                cache_case_is_correct(cache_case) && cache_case_is_correct(cache_case);
            limit = all;
            FORKED_CHECK(setrlimit(RLIMIT_NOFILE, &limit) == 0);
            if (!good)
                fprintf(stderr, "  with %d descriptors more, warm: %d\n", (int)more, is_warm);
            FORKED_CHECK(good && cache_case_is_usable(cache_case));
            FORKED_CHECK(next_descriptor() <= before + 8); /* those of the records may come */
        }
        FORKED_CHECK(halyard_cache_collect(cache_case->fs_path.path, 0, NULL, NULL, NULL) ==
                     ANEURALNETWORKS_NO_ERROR);
    }
    return true;
}

TEST(caching_environment, few_descriptors_are_done_with)
{
    cache_case_for_each_device(use_few_descriptors);
}

/* ---- The log --------------------------------------------------------------------------------- */

static bool log_damage(void *context)
{
    struct cache_case *cache_case = context;
    const struct fs_path log = path_in(&cache_case->fs_path, "log");
    uint8_t *text = NULL;
    size_t length = 0;

    setenv("HALYARD_LOG", "warning", 1);
    FORKED_CHECK(cache_case_begin(cache_case) && cache_case_is_usable(cache_case));
    const struct app_result good = cache_case_compile(cache_case);
    const struct fs_path file = path_of_file(cache_case->fs_path.path, good.token, "metadata");
    FORKED_CHECK(path_flip_bit(&file, 100));
    fflush(stderr);
    const int fd = open(log.path, O_RDWR | O_CREAT | O_CLOEXEC, 0600), before = dup(2);
    FORKED_CHECK(fd >= 0 && dup2(fd, 2) == 2);
    const struct app_result result = app_compile_and_run(&cache_case->app);
    FORKED_CHECK(dup2(before, 2) == 2);
    FORKED_CHECK(app_is_good(&result) && path_read(&log, &text, &length));
    text[length] = '\0';
    FORKED_CHECK(strstr((char *)text, " cache: ") && strstr((char *)text, cache_case->device));
    FORKED_CHECK(strstr((char *)text, "miss") && strstr((char *)text, "the checksum is wrong"));
    free(text);
    close(before);
    close(fd);
    return true;
}

TEST(caching_environment, damage_is_logged_with_its_reason)
{
    cache_case_for_each_device(log_damage);
}
