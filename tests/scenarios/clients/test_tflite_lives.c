/*
 * A thousand interpreters of TensorFlow Lite, made, run and destroyed through NNAPI, leave nothing
 * of ours behind.
 *
 * The client itself never closes the two files of shared memory that it makes for an interpreter
 * (strace shows it; it does unmap and unlink them). Our memory objects hold duplicates, so what
 * tells our leak from the client's is that none of these files is open twice. All else counts:
 * other descriptors, mappings, and the heap, which the client leaves as it was. Run with
 * GLIBC_TUNABLES=glibc.malloc.tcache_count=0, without which freed blocks count as in use.
 */
#include <dirent.h>
#include <limits.h>
#include <malloc.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "bench/peers/tflite_peer.h"
#include "tests/kit/held.h"
#include "tests/kit/test.h"
#include "tests/kit/threads.h"
#include "tests/scenarios/clients/witness.h"

enum { WARM_UP = 50, LIVES = 1000 / HY_SLOWNESS, ROUNDS = 10, POOLS = 16 };

/* Else the C library maps an arena when a thread first allocates, which may be late. */
TEST_SETUP(have_one_arena)
{
    mallopt(M_ARENA_MAX, 1);
}

static bool is_pool(const char *entry)
{
    char path[64], target[PATH_MAX];

    snprintf(path, sizeof path, "/proc/self/fd/%.20s", entry);
    const ssize_t length = readlink(path, target, sizeof target - 1);
    target[length > 0 ? length : 0] = '\0';
    return strstr(target, "/input_pool-tmp-file") || strstr(target, "/output_pool-tmp-file");
}

/* Closes what the client has left open. False: more of its files than there can be, or one is open
 * twice. */
static bool close_pools(void)
{
    ino_t seen[POOLS];
    unsigned count = 0;
    bool good = true;
    DIR *dir = opendir("/proc/self/fd");

    for (const struct dirent *entry = dir ? readdir(dir) : NULL; entry; entry = readdir(dir)) {
        struct stat info = {0};
        const int fd = atoi(entry->d_name);
        if (!is_pool(entry->d_name))
            continue;
        good = good && count < POOLS && fstat(fd, &info) == 0;
        for (unsigned i = 0; good && i < count; i++)
            good = seen[i] != info.st_ino;
        if (good)
            seen[count++] = info.st_ino;
        close(fd);
    }
    if (dir)
        closedir(dir);
    return good && dir;
}

static const char *model_path(void)
{
    static char path[1024];
    const char *examples = getenv("HALYARD_EXAMPLES_DIR");

    snprintf(path, sizeof path, "%s/digits/digits.tflite", examples ? examples : "examples");
    return path;
}

static bool live(const char *library)
{
    struct hy_tflite_peer *client = NULL;
    struct hy_error err = {0};
    enum hy_code code =
        hy_tflite_peer_open(library, model_path(), HY_TFLITE_NNAPI, 1, &client, &err);

    if (code == HY_OK) {
        size_t length = 0;
        void *input = hy_tflite_peer_input(client, 0, &length);
        memset(input, 0, length);
        code = hy_tflite_peer_run(client, &err);
    }
    hy_tflite_peer_close(client);
    if (code != HY_OK)
        hy_test_fail(__FILE__, __LINE__, "%s", err.text);
    return code == HY_OK && close_pools();
}

/* Lives without a new worker in between, which is kept for the life of the process, and after a
 * look that met nothing on its way out. */
static bool live_on(const char *library, struct hy_held *before, struct hy_held *after)
{
    bool good = true;
    unsigned round = 0;

    do {
        good = good && hy_held_look(before);
        for (unsigned i = 0; good && i < LIVES; i++)
            good = live(library);
        good = good && hy_held_wait_released(before, after);
    } while (good && (after->threads != before->threads ||
                      (hy_held_was_early(before, after) && ++round < ROUNDS)));
    return good;
}

TEST(tflite_lives, a_thousand_interpreters_leave_nothing_of_ours)
{
    const char *library = getenv("HALYARD_TFLITE");
    struct hy_held before, after;
    struct hy_witness first, last;
    REQUIRE(library && hy_witness_ask(&first));

    for (unsigned i = 0; i < WARM_UP; i++)
        REQUIRE(live(library));
    REQUIRE(live_on(library, &before, &after));
    REQUIRE(hy_witness_ask(&last));
    EXPECT(last.execution_count >= first.execution_count + WARM_UP + LIVES);
    EXPECT_INT(after.files, before.files);
    EXPECT_INT(after.maps, before.maps);
    if (after.blocks > before.blocks + HY_HELD_ABOUT_TO_FREE)
        hy_test_fail(__FILE__, __LINE__, "the heap has grown from %zu to %zu bytes in %d lives",
                     before.blocks, after.blocks, LIVES);
}
