/*
 * A network gives the same bytes on any number of threads, in any run, and in whatever pieces it is
 * planned over devices that have the kernels of halyard-cpu. The level of instructions is that of
 * HALYARD_CPU_FEATURES.
 */
#include "bench/child_run.h"
#include "tests/kit/played_processors.h"
#include "tests/kit/test.h"
#include "tests/scenarios/models/golden.h"
#include "tests/scenarios/models/recorded.h"

#include <dirent.h>
#include <stdlib.h>

#define COUNT_OF(array) (sizeof(array) / sizeof *(array))

enum { RUNS = 3 };

/* What a network has to give: its bytes on one thread, in one piece. */
static struct hy_child_run *want, *got;

static bool prepare(void)
{
    want = want ? want : hy_child_run_create();
    got = got ? got : hy_child_run_create();
    return want && got;
}

/* A machine with that many processors. */
static enum hy_code run(struct hy_child_run *outputs, const char *path, unsigned threads,
                        const char *manifest, struct hy_error *err)
{
    const char *const names[] = {"HALYARD_CPU_THREADS", "HALYARD_DRIVER_FILES",
                                 "HALYARD_PLAN_DEVICES"};
    char count[16];
    const char *const values[] = {count, manifest, "deal-*"};
    const struct hy_child_course course = {.device = manifest ? NULL : "halyard-cpu",
                                           .runs = RUNS,
                                           .names = names,
                                           .values = values,
                                           .variable_count = manifest ? 3 : 1};

    snprintf(count, sizeof count, "%u", threads);
    hy_played_processors = threads;
    return hy_child_run_network(outputs, path, &course, err);
}

static void compare(const char *path, const char *how)
{
    size_t at = 0;

    EXPECT_INT(got->length, want->length);
    if (got->length == want->length && memcmp(got->bytes, want->bytes, want->length) == 0)
        return;
    while (at < want->length && got->bytes[at] == want->bytes[at])
        at++;
    hy_test_fail(__FILE__, __LINE__, "%s, %s: byte %zu of the outputs is %u, on one thread %u",
                 path, how, at, got->bytes[at], want->bytes[at]);
}

static void check(const char *path, unsigned threads, const char *manifest)
{
    struct hy_error err;
    char how[512];

    snprintf(how, sizeof how, "%u threads%s%s", threads, manifest ? ", " : "",
             manifest ? manifest : "");
    if (run(got, path, threads, manifest, &err) != HY_OK)
        hy_test_fail(__FILE__, __LINE__, "%s: %s", how, err.text);
    else
        compare(path, how);
}

static void check_network(const char *path)
{
    static const unsigned threads[] = {2, 3, 5, 8, 16, 64};
    static const char *const manifests[] = {DEALING_DIR "/dealing_fast_1.json",
                                            DEALING_DIR "/dealing_fast_2.json",
                                            DEALING_DIR "/dealing_fast_3.json"};
    struct hy_error err;

    if (run(want, path, 1, NULL, &err) != HY_OK) {
        hy_test_fail(__FILE__, __LINE__, "%s", err.text);
        return;
    }
    for (size_t i = 0; i < COUNT_OF(threads); i++)
        check(path, threads[i], NULL);
    for (size_t i = 0; i < COUNT_OF(manifests); i++)
        check(path, (unsigned)i + 1, manifests[i]);
}

TEST(same_bytes, quick_recorded_networks)
{
    const char *shared = hy_test_shared_dir();
    char path[1024];

    if (!shared)
        return;
    REQUIRE(prepare());
    for (unsigned i = 0; i < hy_recorded_count; i++)
        if (hy_golden_model_path(shared, hy_recorded_names[i], path, sizeof path))
            check_network(path);
}

static bool is_network(const struct dirent *file)
{
    const char *end = strrchr(file->d_name, '.');
    return end && strcmp(end, ".tflite") == 0;
}

/* A network of the folder; no argument: all of them. */
static void check_dir(const char *shared, const char *only)
{
    char dir[1024], path[2048];

    snprintf(dir, sizeof dir, "%s/zoo/models", shared);
    DIR *files = opendir(dir);
    for (const struct dirent *file; files && (file = readdir(files));) {
        if (!is_network(file) || (only && strcmp(file->d_name, only) != 0))
            continue;
        snprintf(path, sizeof path, "%s/%s", dir, file->d_name);
        check_network(path);
    }
    if (files)
        closedir(files);
}

TEST(same_bytes, quick_real_networks)
{
    static const char *const files[] = {"face_landmark.tflite", "coral_keras_lstm_mnist_ptq.tflite",
                                        "coral_mobilenet_v1_0.25_128_quant.tflite",
                                        "tfex_mobilenet_v2_035_96_embedder_with_metadata.tflite"};
    const char *shared = hy_test_shared_dir();

    if (!shared)
        return;
    REQUIRE(prepare());
    for (size_t i = 0; i < COUNT_OF(files); i++)
        check_dir(shared, files[i]);
}

TEST(same_bytes, slow_real_networks)
{
    const char *shared = hy_test_shared_dir();

    if (!shared)
        return;
    REQUIRE(prepare());
    check_dir(shared, NULL);
}
