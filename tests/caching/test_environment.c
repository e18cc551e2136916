/* Disks, rights and limits: the compilation succeeds, with the right answer and a reason, and the
 * cache is sane afterwards. */
#include "tests/test.h"

#include "tests/caching/part.h"
#include "tests/caching/state.h"

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
    struct part *part = context;
    APART_CHECK(part_begin(part) && rmdir(part->place.path) == 0);
    APART_CHECK(part_does_without(part) && part_does_without(part));
    APART_CHECK(mkdir(part->place.path, 0700) == 0);
    return part_is_sane(part);
}

TEST(caching_environment, a_missing_folder_is_done_without)
{
    part_for_each_device(use_missing);
}

/* Not even root may write there. */
static bool remount(const char *folder, unsigned long flags)
{
    return mount(NULL, folder, NULL, MS_BIND | MS_REMOUNT | flags, NULL) == 0;
}

static void separate(void)
{
    if (unshare(CLONE_NEWNS) != 0 || mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL) != 0)
        apart_give_up();
}

static bool use_read_only(void *context)
{
    struct part *part = context;
    separate();
    APART_CHECK(mount(part->place.path, part->place.path, NULL, MS_BIND, NULL) == 0);
    APART_CHECK(part_begin(part) && remount(part->place.path, MS_RDONLY));
    APART_CHECK(part_does_without(part) && part_does_without(part));
    APART_CHECK(remount(part->place.path, 0) && part_is_sane(part));
    APART_CHECK(remount(part->place.path, MS_RDONLY));
    struct app_result result = part_compile(part);
    APART_CHECK(app_is_good(&result) && result.cache == HALYARD_CACHE_HIT);
    APART_CHECK(remount(part->place.path, 0));
    const struct place file = place_of_file(part->place.path, result.token, "model-0");
    APART_CHECK(truncate(file.path, 5) == 0 && remount(part->place.path, MS_RDONLY));
    APART_CHECK(part_does_without(part) && remount(part->place.path, 0));
    return part_is_sane(part);
}

TEST(caching_environment, a_read_only_file_system_is_read)
{
    part_for_each_device(use_read_only);
}

static bool use_as_nobody(void *context)
{
    struct part *part = context;
    APART_CHECK(part_begin(part) && chmod(part->place.path, 0500) == 0);
    APART_CHECK(mkdir(part->state.path, 0777) == 0 || errno == EEXIST);
    if (geteuid() == 0 && setuid(NOBODY) != 0)
        apart_give_up();
    return part_does_without(part) && part_does_without(part);
}

TEST(caching_environment, a_folder_without_permission_is_done_without)
{
    part_for_each_device(use_as_nobody);
}

static bool use_limit(void *context)
{
    struct part *part = context;
    setenv("HALYARD_CACHE_LIMIT", "0", 1);
    APART_CHECK(part_begin(part));
    return part_does_without(part) && part_does_without(part);
}

static bool use_small_limit(void *context)
{
    struct part *part = context;
    setenv("HALYARD_CACHE_LIMIT", "100", 1);
    APART_CHECK(part_begin(part));
    /* An entry that is kept open is empty in the beginning, and may be. */
    return part_is_right(part) && part_is_right(part);
}

TEST(caching_environment, a_limit_of_0_keeps_nothing)
{
    part_for_each_device(use_limit);
    part_for_each_device(use_small_limit);
}

/* ---- Full disks ------------------------------------------------------------------------------ */

/* Fills the file system of a folder up to the last page, and gives so many pages back. */
static bool fill(const struct place *folder, off_t pages_left)
{
    static const char page[4096];
    const struct place filler = place_in(folder, "filler");
    const int fd = open(filler.path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
    off_t length = 0;

    APART_CHECK(fd >= 0);
    while (write(fd, page, sizeof page) == (ssize_t)sizeof page)
        length += (off_t)sizeof page;
    const off_t wanted = length - pages_left * (off_t)sizeof page;
    const bool done = ftruncate(fd, wanted > 0 ? wanted : 0) == 0;
    close(fd);
    return done;
}

static bool empty(const struct place *folder)
{
    const struct place filler = place_in(folder, "filler");
    return unlink(filler.path) == 0;
}

static bool mount_small(const struct place *folder)
{
    (void)mkdir(folder->path, 0700);
    return mount("none", folder->path, "tmpfs", 0, "size=256k,nr_inodes=64,mode=0700") == 0;
}

static bool use_full_disk(void *context)
{
    struct part *part = context;
    separate();
    APART_CHECK(mount_small(&part->place) && part_begin(part));
    for (off_t pages = 0; pages <= 24; pages++) {
        APART_CHECK(fill(&part->place, pages));
        APART_CHECK(pages > 0 || part_does_without(part));
        APART_CHECK(part_is_right(part) && part_is_right(part));
        APART_CHECK(empty(&part->place) && part_is_sane(part));
        APART_CHECK(halyard_cache_collect(part->place.path, 0, NULL, NULL, NULL) ==
                    ANEURALNETWORKS_NO_ERROR);
    }
    return true;
}

TEST(caching_environment, a_full_disk_is_done_without)
{
    part_for_each_device(use_full_disk);
}

static bool use_full_state(void *context)
{
    struct part *part = context;
    separate();
    APART_CHECK(mount_small(&part->state) && part_begin(part));
    for (off_t pages = 0; pages <= 24; pages++) {
        APART_CHECK(fill(&part->state, pages));
        part->app.token = (uint8_t)(1 + pages);
        APART_CHECK(part_is_right(part));
        const struct app_result result = part_compile(part);
        APART_CHECK(app_is_good(&result) && (pages > 0 || result.cache != HALYARD_CACHE_HIT));
        APART_CHECK(empty(&part->state) && part_is_sane(part));
    }
    return true;
}

TEST(caching_environment, a_full_state_folder_is_done_without)
{
    part_for_each_device(use_full_state);
}

/* ---- The state folder ------------------------------------------------------------------------ */

static bool use_no_state(void *context)
{
    struct part *part = context;
    part->state = (struct place){"/dev/null/none"};
    APART_CHECK(part_begin(part));
    /* A driver that keeps descriptors has an entry then, in which it finds nothing of use. */
    return part_is_right(part) && part_is_right(part);
}

static bool use_state_of_nobody(void *context)
{
    struct part *part = context;
    APART_CHECK(mkdir(part->state.path, 0500) == 0 && chown(part->place.path, NOBODY, 0) == 0);
    const struct place shared = *state_place();
    APART_CHECK(chmod(shared.path, 0711) == 0);
    if (geteuid() != 0 || setuid(NOBODY) != 0)
        apart_give_up();
    APART_CHECK(part_begin(part));
    for (int i = 0; i < 3; i++) {
        const struct app_result result = part_compile(part);
        APART_CHECK(app_is_good(&result) && result.cache != HALYARD_CACHE_HIT);
    }
    return true;
}

TEST(caching_environment, a_state_folder_that_cannot_be_written_is_done_without)
{
    part_for_each_device(use_no_state);
    part_for_each_device(use_state_of_nobody);
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
    struct part *part = context;
    struct rlimit limit;

    APART_CHECK(part_begin(part) && getrlimit(RLIMIT_NOFILE, &limit) == 0);
    for (int is_warm = 0; is_warm < 2; is_warm++) {
        const struct rlimit all = limit;
        for (rlim_t more = 0; more <= 24; more++) {
            part->app.token = (uint8_t)(1 + more);
            if (is_warm)
                APART_CHECK(part_is_sane(part));
            const rlim_t before = next_descriptor();
            limit.rlim_cur = before + more;
            APART_CHECK(setrlimit(RLIMIT_NOFILE, &limit) == 0);
            const bool good = part_is_right(part) && part_is_right(part);
            limit = all;
            APART_CHECK(setrlimit(RLIMIT_NOFILE, &limit) == 0);
            if (!good)
                fprintf(stderr, "  with %d descriptors more, warm: %d\n", (int)more, is_warm);
            APART_CHECK(good && part_is_sane(part));
            APART_CHECK(next_descriptor() <= before + 8); /* those of the records may come */
        }
        APART_CHECK(halyard_cache_collect(part->place.path, 0, NULL, NULL, NULL) ==
                    ANEURALNETWORKS_NO_ERROR);
    }
    return true;
}

TEST(caching_environment, few_descriptors_are_done_with)
{
    part_for_each_device(use_few_descriptors);
}

/* ---- The log --------------------------------------------------------------------------------- */

static bool log_damage(void *context)
{
    struct part *part = context;
    const struct place log = place_in(&part->place, "log");
    uint8_t *text = NULL;
    size_t length = 0;

    setenv("HALYARD_LOG", "warning", 1);
    APART_CHECK(part_begin(part) && part_is_sane(part));
    const struct app_result good = part_compile(part);
    const struct place file = place_of_file(part->place.path, good.token, "metadata");
    APART_CHECK(place_flip(&file, 100));
    fflush(stderr);
    const int fd = open(log.path, O_RDWR | O_CREAT | O_CLOEXEC, 0600), before = dup(2);
    APART_CHECK(fd >= 0 && dup2(fd, 2) == 2);
    const struct app_result result = app_compile_and_run(&part->app);
    APART_CHECK(dup2(before, 2) == 2);
    APART_CHECK(app_is_good(&result) && place_read(&log, &text, &length));
    text[length] = '\0';
    APART_CHECK(strstr((char *)text, " cache: ") && strstr((char *)text, part->device));
    APART_CHECK(strstr((char *)text, "miss") && strstr((char *)text, "its check is wrong"));
    free(text);
    close(before);
    close(fd);
    return true;
}

TEST(caching_environment, damage_is_logged_with_its_reason)
{
    part_for_each_device(log_damage);
}
