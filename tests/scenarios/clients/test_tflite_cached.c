/*
 * A client that knows of no cache gets one by HALYARD_CACHE_DIR: TensorFlow Lite as it is shipped,
 * started twice, each time in a process of its own.
 */
#include <fts.h>
#include <jansson.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "bench/peers/tflite_peer.h"
#include "tests/kit/test.h"

enum { PIXELS = 28 * 28, DIGITS = 10 };

/* What a start leaves: the answer of the network, and how it was compiled. */
struct start {
    int8_t scores[DIGITS];
    json_t *report;
};

/* In the process of the client. */
static bool classify(int8_t scores[DIGITS])
{
    char model[1024];
    struct hy_tflite_peer *client = NULL;
    struct hy_error err = {0};
    const char *examples = getenv("HALYARD_EXAMPLES_DIR");
    size_t length = 0;

    snprintf(model, sizeof model, "%s/digits/digits.tflite", examples ? examples : "examples");
    enum hy_code code =
        hy_tflite_peer_open(getenv("HALYARD_TFLITE"), model, HY_TFLITE_NNAPI, 1, &client, &err);
    if (code == HY_OK) {
        int8_t *pixels = hy_tflite_peer_input(client, 0, &length);
        for (size_t i = 0; i < length; i++)
            pixels[i] = (int8_t)(i * 37 % 251);
        code = hy_tflite_peer_run(client, &err);
    }
    const void *output = code == HY_OK ? hy_tflite_peer_output(client, 0, &length) : NULL;
    const bool is_done = output && length == DIGITS;
    if (is_done)
        memcpy(scores, output, DIGITS);
    hy_tflite_peer_close(client);
    return is_done;
}

/* The line of the one compilation, when it was finished. */
static json_t *read_report(const char *path)
{
    FILE *file = fopen(path, "r");
    json_t *report = NULL;
    for (json_t *line; file && (line = json_loadf(file, JSON_DISABLE_EOF_CHECK, NULL));) {
        if (strcmp(json_string_value(json_object_get(line, "event")), "finish") == 0 && !report)
            report = json_incref(line);
        json_decref(line);
    }
    if (file)
        fclose(file);
    remove(path);
    return report;
}

/* The library reads the environment once, so this process never opens it. */
static bool start_client(const char *dir, struct start *start)
{
    char path[128];
    int ends[2], status = -1;
    snprintf(path, sizeof path, "%s/report.json", dir);
    setenv("HALYARD_CACHE_DIR", dir, 1);
    setenv("HALYARD_STATE_DIR", dir, 1);
    setenv("HALYARD_REPORT", path, 1);
    if (pipe(ends) != 0)
        return false;
    const pid_t child = fork();
    if (child == 0) {
        const bool is_done =
            classify(start->scores) && write(ends[1], start->scores, DIGITS) == (ssize_t)DIGITS;
        _exit(is_done ? 0 : 1);
    }
    close(ends[1]);
    const bool is_read = read(ends[0], start->scores, DIGITS) == (ssize_t)DIGITS;
    close(ends[0]);
    waitpid(child, &status, 0);
    start->report = read_report(path);
    return is_read && status == 0 && start->report;
}

static void remove_dir(const char *path)
{
    char *roots[] = {(char *)path, NULL};
    FTS *walk = fts_open(roots, FTS_PHYSICAL | FTS_NOCHDIR, NULL);
    for (const FTSENT *entry; walk && (entry = fts_read(walk));)
        if (entry->fts_info != FTS_D)
            remove(entry->fts_path);
    if (walk)
        fts_close(walk);
}

/* Each step of the plan, of which there is one at least. */
static void expect_outcome(const json_t *report, const char *outcome)
{
    const json_t *steps = json_object_get(report, "steps");
    size_t i;
    json_t *step;
    EXPECT(json_array_size(steps) > 0);
    json_array_foreach(steps, i, step)
    {
        const json_t *cache = json_object_get(step, "cache");
        EXPECT_STR(json_string_value(json_object_get(cache, "outcome")), outcome);
    }
}

TEST(tflite_cached, the_second_start_compiles_from_the_cache_and_computes_the_same)
{
    char dir[] = "/tmp/halyard-test-XXXXXX";
    struct start first = {0}, second = {0};
    REQUIRE(mkdtemp(dir) != NULL);
    EXPECT(start_client(dir, &first));
    EXPECT(start_client(dir, &second));
    expect_outcome(first.report, "stored");
    expect_outcome(second.report, "hit");
    EXPECT(memcmp(first.scores, second.scores, DIGITS) == 0);
    json_decref(first.report);
    json_decref(second.report);
    remove_dir(dir);
}
