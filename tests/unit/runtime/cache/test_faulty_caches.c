/*
 * Drivers whose caching is wrong in one way, in the process of an app that asks for it: over a
 * sound cache, one with other bytes and one that was cut, the app gets a right answer or a code.
 * (One that writes to descriptors which nobody gave it is check-driver's to find.)
 */
#include "tests/kit/test.h"
#include "tests/unit/runtime/kit/cached_add.h"

#include <fcntl.h>
#include <ftw.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define NO_ERROR ANEURALNETWORKS_NO_ERROR

/* A fault, and what an execution on the device alone gives. */
static const struct fault {
    const char *name;
    int computed;
} faults[] = {
    {"none", NO_ERROR},
    {"cache-at-offset", NO_ERROR},
    {"cache-claims", NO_ERROR},
    {"cache-closes-files", NO_ERROR},
    {"cache-fails-prepare", NO_ERROR},
    {"cache-late", NO_ERROR},
    {"cache-leaks-files", NO_ERROR},
    {"cache-other-model", NO_ERROR},
    {"cache-reads-later", ANEURALNETWORKS_OP_FAILED},
    {"cache-short-crash", NO_ERROR},
    {"cache-token-alone", NO_ERROR},
    {"cache-trusts", NO_ERROR},
    {"cache-unasked", NO_ERROR},
};
#define FAULT_COUNT (sizeof faults / sizeof *faults)

/* ---- A folder for manifests, state and cache ------------------------------------------------- */

static char dir[] = "/tmp/halyard-faulty-caches-XXXXXX";

static const char *path_of(const char *name)
{
    static char path[256];
    snprintf(path, sizeof path, "%s/%s", dir, name);
    return path;
}

static void write_manifest(const struct fault *fault)
{
    char name[64];
    snprintf(name, sizeof name, "drivers/%s.json", fault->name);
    FILE *file = fopen(path_of(name), "w");
    if (!file)
        return;
    fprintf(file,
            "{\"file_format_version\":\"1.0.0\",\"driver\":{\"library_path\":\"%s\",\"abi\":"
            "\"1.0\",\"arguments\":{\"fault\":\"%s\",\"name\":\"%s\",\"full\":1}}}",
            FAULTY_DRIVER_PATH, fault->name, fault->name);
    fclose(file);
}

static int remove_entry(const char *path, const struct stat *info, int type, struct FTW *where)
{
    (void)info, (void)type, (void)where;
    return remove(path);
}

static void remove_dir(void)
{
    nftw(dir, remove_entry, 16, FTW_DEPTH | FTW_PHYS);
}

/* Devices are looked for once in a process: all drivers are there from the first call on. */
static void open_drivers(void)
{
    static bool is_done;
    uint32_t count = 0;
    if (is_done)
        return;
    is_done = true;
    REQUIRE(mkdtemp(dir));
    atexit(remove_dir);
    mkdir(path_of("drivers"), 0700);
    for (size_t i = 0; i < FAULT_COUNT; i++)
        write_manifest(&faults[i]);
    setenv("HALYARD_DRIVER_FILES", path_of("drivers"), 1);
    setenv("HALYARD_STATE_DIR", path_of("state"), 1);
    setenv("HALYARD_LOG", "none", 1);
    EXPECT_INT(ANeuralNetworks_getDeviceCount(&count), NO_ERROR);
    EXPECT_INT(count, FAULT_COUNT + 2);
}

/* ---- What may happen to a cache -------------------------------------------------------------- */

static int change_file(const char *path, const struct stat *info, int type, struct FTW *where)
{
    char byte;
    if (type != FTW_F || strncmp(path + where->base, "model-", 6) != 0 || info->st_size == 0)
        return 0;
    const int fd = open(path, O_RDWR | O_CLOEXEC);
    EXPECT_INT(pread(fd, &byte, 1, info->st_size / 3), 1);
    byte ^= 0x10;
    EXPECT_INT(pwrite(fd, &byte, 1, info->st_size / 3), 1);
    close(fd);
    return 0;
}

static int cut_file(const char *path, const struct stat *info, int type, struct FTW *where)
{
    if (type == FTW_F && strncmp(path + where->base, "model-", 6) == 0)
        EXPECT_INT(truncate(path, info->st_size / 2), 0);
    return 0;
}

/* ---- An app ---------------------------------------------------------------------------------- */

static void expect_harmless(const ANeuralNetworksDevice *const *devices, uint32_t count,
                            const struct fault *fault, int expected)
{
    static const struct {
        const char *label;
        __nftw_func_t change;
        int32_t outcome; /* of a driver without a fault */
    } rounds[] = {{"new", NULL, HALYARD_CACHE_STORED},
                  {"again", NULL, HALYARD_CACHE_HIT},
                  {"changed", change_file, HALYARD_CACHE_STORED},
                  {"anew", NULL, HALYARD_CACHE_HIT},
                  {"cut", cut_file, HALYARD_CACHE_STORED},
                  {"at last", NULL, HALYARD_CACHE_HIT}};
    char cache[256];
    snprintf(cache, sizeof cache, "%s", path_of("cache"));
    mkdir(cache, 0700);
    for (size_t i = 0; i < sizeof rounds / sizeof *rounds; i++) {
        if (rounds[i].change)
            nftw(cache, rounds[i].change, 16, FTW_PHYS);
        const struct cached_add result = cached_add_run(devices, count, cache);
        if (strcmp(fault->name, "none") == 0 && count == 1)
            EXPECT_INT(result.outcome, rounds[i].outcome);
        EXPECT(result.code != NO_ERROR || result.is_right);
        /* What was restored does not look at descriptors any more, so it may be right as well. */
        if (result.code != expected && result.code != NO_ERROR)
            hy_test_fail(__FILE__, __LINE__, "%s, %s: %d, expected %d: %s", fault->name,
                         rounds[i].label, result.code, expected, halyard_last_error());
    }
    nftw(cache, remove_entry, 16, FTW_DEPTH | FTW_PHYS);
}

TEST(faulty_caches, an_app_that_uses_one_alone_gets_a_right_answer_or_a_code)
{
    open_drivers();
    for (size_t i = 0; i < FAULT_COUNT; i++) {
        const ANeuralNetworksDevice *device = device_named(faults[i].name);
        REQUIRE(device);
        expect_harmless(&device, 1, &faults[i], faults[i].computed);
    }
}

TEST(faulty_caches, with_the_cpu_in_the_list_an_app_gets_the_right_answer)
{
    open_drivers();
    for (size_t i = 0; i < FAULT_COUNT; i++) {
        const ANeuralNetworksDevice *devices[] = {device_named(faults[i].name),
                                                  device_named("halyard-cpu")};
        expect_harmless(devices, 2, &faults[i], NO_ERROR);
    }
}
