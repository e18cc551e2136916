/* Links, pipes, sockets, folders and other modes in the place of what the cache is made of: nobody
 * hangs or dies, the answer is right, and the cache is sane afterwards. */
#include "tests/kit/test.h"

#include "tests/scenarios/caching/cache_case.h"

#include <fcntl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

enum strange {
    LINK,
    LOOP,
    LINK_TO_GOOD, /* to what was there, which is elsewhere now */
    TWO_NAMES,    /* the same file has another one */
    FIFO,
    SOCKET,
    DIRECTORY,
    FULL_DIRECTORY,
    NOTHING,
    OPEN_MODE,
    STRANGE_COUNT
};

static bool bind_socket(const char *path)
{
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    const int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    char here[256];
    char *name = strrchr(path, '/');
    if (fd < 0 || !getcwd(here, sizeof here))
        return false;
    /* Paths of sockets are short. */
    snprintf(address.sun_path, sizeof address.sun_path, "%.90s", name + 1);
    *name = '\0';
    bool done = chdir(path) == 0;
    *name = '/';
    done = done && bind(fd, (struct sockaddr *)&address, sizeof address) == 0;
    close(fd);
    return chdir(here) == 0 && done;
}

/* Of what stays as it is. */
static bool make_strange(const struct fs_path *at, enum strange what)
{
    struct fs_path moved = *at;

    if (what == OPEN_MODE)
        return chmod(at->path, 0777) == 0;
    strcat(moved.path, "-aside");
    path_remove(&moved);
    if (what == LINK_TO_GOOD)
        return rename(at->path, moved.path) == 0 && symlink(moved.path, at->path) == 0;
    /* A folder has one name only. */
    return link(at->path, moved.path) == 0 || chmod(at->path, 0755) == 0;
}

/* Takes away what is there and puts something else in its place. */
static bool put_strange(struct fs_path *at, enum strange what)
{
    const struct fs_path inner = path_in(at, "inner");

    if (what == OPEN_MODE || what == LINK_TO_GOOD || what == TWO_NAMES)
        return make_strange(at, what);
    path_remove(at);
    switch (what) {
    case LINK:
        return symlink("/etc/passwd", at->path) == 0;
    case LOOP:
        return symlink(at->path, at->path) == 0;
    case FIFO:
        return mkfifo(at->path, 0600) == 0;
    case SOCKET:
        return bind_socket(at->path);
    case DIRECTORY:
        return mkdir(at->path, 0700) == 0;
    case FULL_DIRECTORY:
        return mkdir(at->path, 0700) == 0 && mkdir(inner.path, 0700) == 0;
    default:
        return true;
    }
}

/* In the place of a file or folder of an entry: that is mended. */
static bool use_strange(void *context)
{
    static const char *const names[] = {"metadata", "model-0", "data-0", ""};
    struct cache_case *cache_case = context;

    FORKED_CHECK(cache_case_begin(cache_case) && cache_case_is_usable(cache_case));
    struct app_result result = cache_case_compile(cache_case);
    for (int what = 0; what < STRANGE_COUNT; what++) {
        for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
            struct fs_path at = names[i][0]
                                    ? path_of_file(cache_case->fs_path.path, result.token, names[i])
                                    : path_of_entry(cache_case->fs_path.path, result.token);
            FORKED_CHECK(put_strange(&at, (enum strange)what));
            result = cache_case_compile(cache_case);
            if (result.cache == HALYARD_CACHE_HIT || !app_is_good(&result))
                fprintf(stderr, "  strange thing %d at \"%s\"\n", what, names[i]);
            FORKED_CHECK(app_is_good(&result) && result.cache != HALYARD_CACHE_HIT);
            FORKED_CHECK(cache_case_is_usable(cache_case));
            result = cache_case_compile(cache_case);
        }
    }
    return true;
}

/* In the place of a folder above: somebody's. It is used no more, or mended. */
static bool use_odd_dirs(void *context)
{
    static const char *const names[] = {"halyard-cache", "halyard-cache/new", "halyard-cache/old",
                                        "halyard-cache/used"};
    struct cache_case *cache_case = context;

    FORKED_CHECK(cache_case_begin(cache_case));
    for (int what = 0; what < STRANGE_COUNT; what++) {
        for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
            FORKED_CHECK(cache_case_is_usable(cache_case));
            struct fs_path at = path_in(&cache_case->fs_path, names[i]);
            (void)mkdir(at.path, 0700); /* "old" may have gone */
            FORKED_CHECK(put_strange(&at, (enum strange)what));
            cache_case->app.token = 200;
            FORKED_CHECK(cache_case_is_correct(cache_case) && cache_case_is_correct(cache_case));
            cache_case->app.token = 1;
            FORKED_CHECK(cache_case_is_correct(cache_case));
            path_remove(&at);
        }
    }
    return cache_case_is_usable(cache_case);
}

TEST(caching_strange, strange_things_in_an_entry_are_a_miss_and_are_mended)
{
    cache_case_for_each_device(use_strange);
}

TEST(caching_strange, strange_things_above_entries_are_done_without)
{
    cache_case_for_each_device(use_odd_dirs);
}

/* In the place of the app's folder, or of what drivers record: nobody hangs or dies. */
struct odd_part {
    struct cache_case cache_case;
    const char *name; /* in the state folder; NULL: the app's folder */
    enum strange what;
};

/* Whether nothing can be kept with it: links to what was there, other modes and folders may do. */
static bool is_hopeless(const struct odd_part *odd)
{
    switch (odd->what) {
    case LINK:
    case LOOP:
    case FIFO:
    case SOCKET:
        return !odd->name || strcmp(odd->name, "records-2.db-journal") != 0;
    default:
        return false;
    }
}

static bool use_odd(void *context)
{
    struct odd_part *odd = context;
    struct cache_case *cache_case = &odd->cache_case;
    struct fs_path at = odd->name ? path_in(&cache_case->state, odd->name) : cache_case->fs_path;

    FORKED_CHECK(mkdir(cache_case->state.path, 0700) == 0);
    FORKED_CHECK(cache_case_begin(cache_case));
    if (odd->name) {
        const int fd = open(at.path, O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
        FORKED_CHECK(fd >= 0 && close(fd) == 0);
    }
    FORKED_CHECK(put_strange(&at, odd->what));
    FORKED_CHECK(cache_case_is_correct(cache_case));
    const struct app_result result = cache_case_compile(cache_case);
    FORKED_CHECK(app_is_good(&result));
    if (is_hopeless(odd))
        FORKED_CHECK(result.cache != HALYARD_CACHE_HIT);
    path_remove(&at);
    if (!odd->name)
        FORKED_CHECK(mkdir(cache_case->fs_path.path, 0700) == 0);
    FORKED_CHECK(chmod(cache_case->fs_path.path, 0700) == 0);
    return cache_case_is_usable(cache_case);
}

TEST(caching_strange, strange_things_in_the_place_of_folders_and_records_are_done_without)
{
    static const char *const names[] = {NULL, "records-2.db", "records-2.lock",
                                        "records-2.db-journal"};

    for (int what = 0; what < STRANGE_COUNT; what++) {
        for (int i = 0; i < 4 * 2; i++) {
            struct odd_part odd = {cache_case_make(cache_case_devices[i / 4 * 3]), names[i % 4],
                                   (enum strange)what};
            const int status = forked_run(use_odd, &odd);
            EXPECT_INT(status, 0);
            if (status != 0)
                hy_test_fail(__FILE__, __LINE__, "strange thing %d at %s, %s: status %d", what,
                             odd.name ? odd.name : "the folder", odd.cache_case.device, status);
            struct fs_path moved = odd.cache_case.fs_path;
            strcat(moved.path, "-aside");
            path_remove(&moved);
            cache_case_remove(&odd.cache_case);
        }
    }
}
