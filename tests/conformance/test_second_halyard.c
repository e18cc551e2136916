/*
 * A second Halyard in the process, loaded as a support library, runs the vectors: everything goes
 * through the API, the driver made of the support library's table, and the API again.
 */
#include <fcntl.h>
#include <stdbool.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tests/conformance/run_command.h"
#include "tests/kit/test.h"

static const char own_vectors[] = HY_VECTORS_DIR;

/* A folder with a copy of the library, and the manifests that are tried. */
struct dir {
    char root[64];
    char library[96];
    char manifest[96];
    char self[96];
};

/* ---- The folder ------------------------------------------------------------------------------ */

static bool copy_file(const char *from, const char *to)
{
    const int in = open(from, O_RDONLY | O_CLOEXEC);
    const int out = open(to, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0700);
    struct stat info = {0};
    bool done = in >= 0 && out >= 0 && fstat(in, &info) == 0;
    off_t left = info.st_size;

    while (done && left > 0) {
        const ssize_t copied = copy_file_range(in, NULL, out, NULL, (size_t)left, 0);
        done = copied > 0;
        left -= copied;
    }
    if (in >= 0)
        close(in);
    if (out >= 0)
        close(out);
    return done;
}

static bool write_manifest(const char *path, const char *library, const char *prefix)
{
    FILE *file = fopen(path, "we");
    if (!file)
        return false;
    fprintf(file,
            "{\"file_format_version\":\"1.0.0\",\"driver\":{\"library_path\":\"%s\","
            "\"kind\":\"nnapi-sl\",\"arguments\":{\"device_prefix\":\"%s\"}}}",
            library, prefix);
    return fclose(file) == 0;
}

/* `files` are further manifests, ':' before each. */
static bool test_dir_init(struct dir *dir, const char *files)
{
    char list[4096];

    strcpy(dir->root, "/tmp/halyard-second-XXXXXX");
    if (!mkdtemp(dir->root))
        return false;
    snprintf(dir->library, sizeof dir->library, "%s/libneuralnetworks.so.1", dir->root);
    snprintf(dir->manifest, sizeof dir->manifest, "%s/copy.json", dir->root);
    snprintf(dir->self, sizeof dir->self, "%s/self.json", dir->root);
    snprintf(list, sizeof list, "%s:%s%s", dir->manifest, dir->self, files);
    return copy_file(getenv("HALYARD_LIBRARY"), dir->library) &&
           write_manifest(dir->manifest, "./libneuralnetworks.so.1", "copy-") &&
           write_manifest(dir->self, getenv("HALYARD_LIBRARY"), "self-") &&
           setenv("HALYARD_DRIVER_FILES", list, 1) == 0;
}

static void test_dir_finish(const struct dir *dir)
{
    unlink(dir->self);
    unlink(dir->manifest);
    unlink(dir->library);
    rmdir(dir->root);
    unsetenv("HALYARD_DRIVER_FILES");
}

/* ---- Its devices ----------------------------------------------------------------------------- */

static const char *text(const json_t *object, const char *key)
{
    const char *found = json_string_value(json_object_get(object, key));
    return found ? found : "";
}

static const char *names_of(const json_t *report)
{
    static char names[256];
    size_t length = 0, i;
    json_t *device;

    names[0] = '\0';
    json_array_foreach(json_object_get(report, "devices"), i, device) length +=
        (size_t)snprintf(names + length, sizeof names - length, "%s ", text(device, "name"));
    return names;
}

/* The copy opens no drivers: it would find the same manifests, itself among them. */
TEST(second_halyard, shows_its_cpu_and_no_drivers)
{
    const char *arguments[] = {getenv("HALYARD_COMMAND"), "devices", "--json", NULL};
    char sample[1024];
    struct dir dir;
    int status = -1;

    snprintf(sample, sizeof sample, ":%s", getenv("HALYARD_SAMPLE_MANIFEST"));
    REQUIRE(test_dir_init(&dir, sample));
    json_t *report = hy_run_command(arguments, &status);
    EXPECT_INT(status, 0);
    EXPECT_STR(names_of(report), "copy-halyard-cpu halyard-sample halyard-cpu nnapi-reference ");
    const json_t *refused = json_object_get(report, "refused");
    EXPECT_INT(json_array_size(refused), 1);
    EXPECT_STR(text(json_array_get(refused, 0), "manifest"), dir.self);
    EXPECT_CONTAINS(text(json_array_get(refused, 0), "reason"), "is this runtime's own");
    json_decref(report);
    test_dir_finish(&dir);
}

/* ---- Vectors --------------------------------------------------------------------------------- */

/* Nothing may fail, and nothing be left out but what no driver is given. */
static void check_tests(const json_t *report, const char *mode)
{
    size_t passed = 0, i;
    json_t *test;

    json_array_foreach(json_object_get(report, "tests"), i, test)
    {
        const char *result = text(test, "result"), *detail = text(test, "detail");
        if (strcmp(result, "passed") == 0)
            passed++;
        else if (strcmp(result, "skipped") != 0 ||
                 strcmp(text(test, "reason"), "the device does not support the test") != 0 ||
                 !strstr(detail, "control flow over tensors of unknown size"))
            hy_test_fail(__FILE__, __LINE__, "%s: %s: %s: %s", mode, text(test, "name"), result,
                         detail);
    }
    EXPECT(passed > 0);
}

static void run_vectors(const char *vectors)
{
    static const char *const modes[] = {"sync", "burst"};
    struct dir dir;

    REQUIRE(test_dir_init(&dir, ""));
    json_t *reports = hy_run_conformance(vectors, "copy-halyard-cpu", modes, 2);
    for (size_t i = 0; reports && i < 2; i++)
        check_tests(json_array_get(reports, i), modes[i]);
    json_decref(reports);
    test_dir_finish(&dir);
}

TEST(second_halyard, own_vectors_pass)
{
    run_vectors(own_vectors);
}

TEST(second_halyard, shared_vectors_pass)
{
    const char *shared = hy_test_shared_dir();
    char dir[1024];

    if (!shared)
        return;
    snprintf(dir, sizeof dir, "%s/conformance", shared);
    run_vectors(dir);
}
