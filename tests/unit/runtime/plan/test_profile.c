/* Measured times: in memory, in their file, and on the devices they belong to. */
#include "runtime/extension/extension.h"
#include "runtime/profile/cpu_identity.h"
#include "runtime/profile/profiles.h"
#include "tests/kit/test.h"

#include <android/NeuralNetworks.h>
#include <fcntl.h>
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

static const struct hy_profile_key conv = {.operation = ANEURALNETWORKS_CONV_2D,
                                           .type = ANEURALNETWORKS_TENSOR_FLOAT32};
static const struct hy_profile_key relaxed_conv = {
    .operation = ANEURALNETWORKS_CONV_2D, .type = ANEURALNETWORKS_TENSOR_FLOAT32, .relaxed = true};

/* ---- In memory ------------------------------------------------------------------------------- */

TEST(profile, times_grow_with_the_work_inside_a_class)
{
    struct hy_profile profile = {0};

    EXPECT(hy_profile_time(NULL, conv, 1000) < 0);
    EXPECT(hy_profile_time(&profile, conv, 1000) < 0);
    REQUIRE(hy_profile_set(&profile, conv, 1000, 500, NULL) == HY_OK);
    EXPECT(hy_profile_time(&profile, conv, 1000) == 500);
    EXPECT(hy_profile_time(&profile, conv, 600) == 300);
    EXPECT(hy_profile_time(&profile, conv, 511) < 0);
    EXPECT(hy_profile_time(&profile, conv, 1024) < 0);
    EXPECT(hy_profile_time(&profile, relaxed_conv, 1000) < 0);
    hy_profile_finish(&profile);
}

TEST(profile, measurements_replace_what_is_from_a_file_and_join_in_their_mean)
{
    struct hy_profile profile = {0};

    REQUIRE(hy_profile_set(&profile, conv, 1000, 500, NULL) == HY_OK);
    REQUIRE(hy_profile_add(&profile, conv, 600, 60, NULL) == HY_OK);
    EXPECT(hy_profile_time(&profile, conv, 600) == 60);
    REQUIRE(hy_profile_add(&profile, conv, 800, 160, NULL) == HY_OK);
    EXPECT(fabs(hy_profile_time(&profile, conv, 700) - 110) < 1e-9);
    EXPECT_INT(profile.count, 1);
    hy_profile_finish(&profile);
}

TEST(profile, keys_and_figures_that_cannot_be_are_refused)
{
    struct hy_profile profile = {0};
    struct hy_error err = {0};
    struct hy_profile_key key = conv;

    EXPECT_INT(hy_profile_set(&profile, conv, .5, 1, &err), HY_BAD_DATA);
    EXPECT_INT(hy_profile_set(&profile, conv, INFINITY, 1, &err), HY_BAD_DATA);
    EXPECT_INT(hy_profile_set(&profile, conv, 1, -1, &err), HY_BAD_DATA);
    EXPECT_INT(hy_profile_set(&profile, conv, 1, NAN, &err), HY_BAD_DATA);
    EXPECT_INT(hy_profile_set_launch(&profile, NAN, &err), HY_BAD_DATA);
    key.operation = 0x70000003; /* nobody has that prefix */
    EXPECT_INT(hy_profile_set(&profile, key, 1, 1, &err), HY_BAD_DATA);
    EXPECT_CONTAINS(err.text, "an extension operation");
    key = conv;
    key.type = 4711;
    EXPECT_INT(hy_profile_set(&profile, key, 1, 1, &err), HY_BAD_DATA);
    EXPECT_CONTAINS(err.text, "an unknown type");
    EXPECT_INT(profile.count, 0);
    hy_profile_finish(&profile);
}

TEST(profile, keeps_as_many_entries_as_it_may_and_finds_each)
{
    struct hy_profile profile = {0};
    struct hy_error err = {0};
    uint32_t count = 0;

    for (int32_t operation = 105; operation >= 0; operation--) {
        for (uint32_t i = 0; i < 40 && count < HY_PROFILE_MAX_ENTRIES; i++, count++) {
            const struct hy_profile_key key = {operation, ANEURALNETWORKS_TENSOR_FLOAT32, false};
            REQUIRE(hy_profile_set(&profile, key, ldexp(1, (int)i), operation + i, NULL) == HY_OK);
        }
    }
    REQUIRE(count == HY_PROFILE_MAX_ENTRIES);
    for (int32_t operation = 105; operation > 3; operation--) {
        const struct hy_profile_key key = {operation, ANEURALNETWORKS_TENSOR_FLOAT32, false};
        EXPECT(hy_profile_time(&profile, key, 1024) == operation + 10);
    }
    EXPECT_INT(hy_profile_set(&profile, relaxed_conv, 1, 1, &err), HY_BAD_DATA);
    EXPECT_CONTAINS(err.text, "more than 4096 entries");
    hy_profile_finish(&profile);
}

/* ---- As text --------------------------------------------------------------------------------- */

static bool put(struct hy_profile_file *file, const char *device, double ns)
{
    struct hy_profile_record *record;
    return hy_profile_file_put(file, device, "1.0", "build", "cpu", &record, NULL) == HY_OK &&
           hy_profile_set_launch(&record->profile, 2 * ns, NULL) == HY_OK &&
           hy_profile_set(&record->profile, conv, 1000, ns, NULL) == HY_OK &&
           hy_profile_set(&record->profile, relaxed_conv, 1000, ns / 2, NULL) == HY_OK;
}

static void expect_record(const struct hy_profile_file *file, const char *device, double ns)
{
    const struct hy_profile_record *record = hy_profile_file_find(file, device);
    REQUIRE(record);
    EXPECT_STR(record->version, "1.0");
    EXPECT_STR(record->build_id, "build");
    EXPECT_STR(record->cpu, "cpu");
    EXPECT(record->profile.launch_ns == 2 * ns);
    EXPECT(hy_profile_time(&record->profile, conv, 1000) == ns);
    EXPECT(hy_profile_time(&record->profile, relaxed_conv, 1000) == ns / 2);
}

TEST(profile, text_of_a_file_reads_back_as_it_was)
{
    struct hy_profile_file file = {0}, again = {0};
    char *text = NULL;

    REQUIRE(put(&file, "acme-npu", 500.25) && put(&file, "acme-\"dsp\"", 7));
    REQUIRE(hy_profile_file_format(&file, &text, NULL) == HY_OK);
    REQUIRE(hy_profile_file_parse(text, strlen(text), &again, NULL) == HY_OK);
    EXPECT_INT(again.count, 2);
    expect_record(&again, "acme-npu", 500.25);
    expect_record(&again, "acme-\"dsp\"", 7);
    free(text);
    hy_profile_file_finish(&again);
    hy_profile_file_finish(&file);
}

/* Prefixes of extensions differ from process to process: files have names. */
TEST(profile, file_names_operations_and_types_of_extensions)
{
    struct hy_profile_file file = {0}, again = {0};
    struct hy_profile_record *record;
    uint32_t prefix;
    char *text = NULL;

    REQUIRE(hy_extension_prefix("com.acme.profiled", &prefix, NULL) == HY_OK);
    const struct hy_profile_key key = {(int32_t)(prefix << 16 | 3), (int32_t)(prefix << 16 | 9),
                                       false};
    REQUIRE(hy_profile_file_put(&file, "acme-npu", "1.0", "build", "cpu", &record, NULL) == HY_OK);
    REQUIRE(hy_profile_set(&record->profile, key, 1000, 500, NULL) == HY_OK);
    REQUIRE(hy_profile_file_format(&file, &text, NULL) == HY_OK);
    EXPECT_CONTAINS(text, "\"operation\":\"com.acme.profiled#3\"");
    EXPECT_CONTAINS(text, "\"type\":\"com.acme.profiled#9\"");
    REQUIRE(hy_profile_file_parse(text, strlen(text), &again, NULL) == HY_OK);
    EXPECT(hy_profile_time(&again.records[0].profile, key, 1000) == 500);
    free(text);
    hy_profile_file_finish(&again);
    hy_profile_file_finish(&file);
}

static const char unknown_names[] =
    "{\"file_format_version\":\"1.0.0\",\"devices\":[{\"name\":\"acme-npu\",\"version\":\"1.0\","
    "\"build_id\":\"build\",\"cpu\":\"cpu\",\"launch_ns\":1.0,\"operations\":["
    "{\"operation\":\"com.nobody.unheard#3\",\"type\":\"TENSOR_FLOAT32\",\"relaxed\":true,"
    "\"units\":8.0,\"ns\":9.0},"
    "{\"operation\":\"ADD\",\"type\":\"com.nobody.unheard#7\",\"relaxed\":false,"
    "\"units\":8.0,\"ns\":9.0},"
    "{\"operation\":\"org.halyard.operations.OF_TOMORROW\",\"type\":\"TENSOR_INT32\","
    "\"relaxed\":false,\"units\":8.0,\"ns\":9.0}]}]}";

/* A prefix is given for good, and there are no more than 32767. */
TEST(profile, names_that_nobody_knows_are_kept_as_they_are_and_get_no_prefix)
{
    struct hy_profile_file file = {0};
    uint32_t prefix;
    char *text = NULL;

    REQUIRE(hy_profile_file_parse(unknown_names, strlen(unknown_names), &file, NULL) == HY_OK);
    EXPECT_INT(file.records[0].profile.count, 0);
    EXPECT_INT(file.records[0].profile.unknown_count, 3);
    EXPECT(!hy_extension_find_prefix("com.nobody.unheard", &prefix));
    REQUIRE(hy_profile_file_format(&file, &text, NULL) == HY_OK);
    EXPECT_STR(text, unknown_names);
    free(text);
    hy_profile_file_finish(&file);
}

TEST(profile, entries_unknown_names_count_to_the_limit)
{
    struct hy_profile profile = {0};
    struct hy_error err = {0};
    struct hy_profile_unknown entry = {
        .operation = (char[]){"com.a#1"}, .type = (char[]){"com.a#2"}, .units = 1, .ns = 1};

    for (uint32_t i = 0; i < HY_PROFILE_MAX_ENTRIES; i++)
        REQUIRE(hy_profile_add_unknown(&profile, &entry, NULL) == HY_OK);
    EXPECT_INT(hy_profile_add_unknown(&profile, &entry, &err), HY_BAD_DATA);
    EXPECT_INT(hy_profile_set(&profile, conv, 1, 1, &err), HY_BAD_DATA);
    EXPECT_CONTAINS(err.text, "more than 4096 entries");
    entry.ns = -1;
    EXPECT_INT(hy_profile_add_unknown(&profile, &entry, &err), HY_BAD_DATA);
    EXPECT_CONTAINS(err.text, "com.a#1: -1 ns, needs 0");
    hy_profile_finish(&profile);
}

#define HEAD   "{\"file_format_version\":\"1.0.0\",\"devices\":["
#define DEVICE "{\"name\":\"n\",\"version\":\"v\",\"build_id\":\"b\",\"cpu\":\"c\",\"launch_ns\":1,"
#define ENTRY \
    "\"operations\":[{\"operation\":\"ADD\",\"type\":\"TENSOR_FLOAT32\",\"relaxed\":false,"

TEST(profile, texts_that_are_wrong_are_refused_with_the_place)
{
    static const char *const cases[][2] = {
        {"", "not JSON"},
        {"[]", "file_format_version is not a string"},
        {"{\"file_format_version\":\"2.0.0\",\"devices\":[]}", "needs 1.x"},
        {"{\"file_format_version\":\"1.0.0\"}", "devices is not an array"},
        {HEAD "3]}", "devices[0]: name is not a string"},
        {HEAD DEVICE "\"operations\":7}]}", "devices[0]: operations is not an array"},
        {HEAD DEVICE "\"operations\":[]}," DEVICE "\"operations\":[]}]}", "n is given twice"},
        {HEAD DEVICE ENTRY "\"units\":1}]}]}", "devices[0]: operations[0]: ns is not a number"},
        {HEAD DEVICE ENTRY "\"units\":0,\"ns\":1}]}]}", "ADD: 0 units, needs 1"},
        {HEAD DEVICE ENTRY "\"units\":1,\"ns\":1e13}]}]}", "ADD: 1e+13 ns, needs 0"},
        {HEAD DEVICE "\"operations\":[{\"operation\":\"WARP\",\"type\":\"INT32\"}]}]}",
         "operation \"WARP\" does not exist"},
        {HEAD DEVICE "\"operations\":[{\"operation\":\"ADD\",\"type\":\"INT33\"}]}]}",
         "type \"INT33\" does not exist"},
        {HEAD DEVICE "\"operations\":[{\"operation\":\"com.acme#70000\",\"type\":\"INT32\","
                     "\"relaxed\":false}]}]}",
         "operation \"com.acme#70000\" does not exist"},
        {HEAD DEVICE "\"operations\":[{\"operation\":\"com.acme.\",\"type\":\"INT32\","
                     "\"relaxed\":false}]}]}",
         "operation \"com.acme.\" does not exist"},
        {HEAD "{\"name\":\"a\\u0000b\"}]}", "not JSON"},
    };

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct hy_profile_file file = {0};
        struct hy_error err = {0};
        EXPECT_INT(hy_profile_file_parse(cases[i][0], strlen(cases[i][0]), &file, &err),
                   HY_BAD_DATA);
        EXPECT_CONTAINS(err.text, cases[i][1]);
        EXPECT_INT(file.count, 0);
    }
}

TEST(profile, members_that_are_not_known_are_passed_over)
{
    static const char text[] = "{\"file_format_version\":\"1.7.0\",\"more\":[1],\"devices\":[]}";
    struct hy_profile_file file = {0};

    EXPECT_INT(hy_profile_file_parse(text, strlen(text), &file, NULL), HY_OK);
    hy_profile_file_finish(&file);
}

/* ---- On disk --------------------------------------------------------------------------------- */

struct dir {
    char path[32];
    char file[64];
};

static struct dir make_dir(void)
{
    struct dir dir = {.path = "/tmp/halyard-test-XXXXXX"};
    if (!mkdtemp(dir.path))
        dir.path[0] = '\0';
    snprintf(dir.file, sizeof dir.file, "%s/%s", dir.path, HY_PROFILE_FILE_NAME);
    return dir;
}

static void remove_dir(const struct dir *dir)
{
    unlink(dir->file);
    rmdir(dir->file);
    EXPECT_INT(rmdir(dir->path), 0); /* nothing else was left in it */
}

static bool update(const struct dir *dir, const char *device, double ns)
{
    struct hy_profile_file file = {0};
    const bool done =
        put(&file, device, ns) && hy_profile_file_update(dir->path, file.records, NULL) == HY_OK;
    hy_profile_file_finish(&file);
    return done;
}

TEST(profile, missing_file_or_folder_is_an_empty_one)
{
    const struct dir dir = make_dir();
    struct hy_profile_file file = {0};

    EXPECT_INT(hy_profile_file_read(dir.path, &file, NULL), HY_OK);
    EXPECT_INT(hy_profile_file_read("/proc/nonexistent", &file, NULL), HY_OK);
    EXPECT_INT(file.count, 0);
    remove_dir(&dir);
}

TEST(profile, update_replaces_the_record_of_its_device_alone)
{
    const struct dir dir = make_dir();
    struct hy_profile_file file = {0};
    struct stat file_info;

    REQUIRE(update(&dir, "acme-npu", 1) && update(&dir, "acme-dsp", 2) &&
            update(&dir, "acme-npu", 3));
    REQUIRE(stat(dir.file, &file_info) == 0);
    EXPECT_INT(file_info.st_mode & 0777, 0600);
    REQUIRE(hy_profile_file_read(dir.path, &file, NULL) == HY_OK);
    EXPECT_INT(file.count, 2);
    expect_record(&file, "acme-npu", 3);
    expect_record(&file, "acme-dsp", 2);
    hy_profile_file_finish(&file);
    remove_dir(&dir);
}

static bool write_file(const char *path, const char *text)
{
    const int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
    const bool done = fd >= 0 && write(fd, text, strlen(text)) == (ssize_t)strlen(text);
    close(fd);
    return done;
}

TEST(profile, update_keeps_what_nobody_knows_of_other_devices)
{
    const struct dir dir = make_dir();
    struct hy_profile_file file = {0};

    REQUIRE(write_file(dir.file, unknown_names) && update(&dir, "acme-dsp", 2));
    REQUIRE(hy_profile_file_read(dir.path, &file, NULL) == HY_OK);
    EXPECT_INT(file.count, 2);
    REQUIRE(file.records[0].profile.unknown_count == 3);
    EXPECT_STR(file.records[0].profile.unknown[0].operation, "com.nobody.unheard#3");
    EXPECT_STR(file.records[0].profile.unknown[1].type, "com.nobody.unheard#7");
    hy_profile_file_finish(&file);
    remove_dir(&dir);
}

TEST(profile, file_that_cannot_be_understood_is_replaced)
{
    const struct dir dir = make_dir();
    struct hy_profile_file file = {0};
    char temporary[80];

    snprintf(temporary, sizeof temporary, "%s.new", dir.file); /* of a writer that died */
    REQUIRE(write_file(dir.file, "{\"file_form") && write_file(temporary, "{"));
    REQUIRE(update(&dir, "acme-npu", 4));
    REQUIRE(hy_profile_file_read(dir.path, &file, NULL) == HY_OK);
    expect_record(&file, "acme-npu", 4);
    hy_profile_file_finish(&file);
    remove_dir(&dir);
}

static void expect_refusal(const struct dir *dir, const char *expected)
{
    struct hy_profile_file file = {0};
    struct hy_error err = {0};

    EXPECT_INT(hy_profile_file_read(dir->path, &file, &err), HY_BAD_DATA);
    EXPECT_CONTAINS(err.text, dir->file);
    EXPECT_CONTAINS(err.text, expected);
    EXPECT_INT(file.count, 0);
    unlink(dir->file);
}

TEST(profile, files_that_are_not_ours_alone_are_refused)
{
    const struct dir dir = make_dir();

    REQUIRE(update(&dir, "acme-npu", 1) && chmod(dir.file, 0622) == 0);
    expect_refusal(&dir, "other users may write to the file (mode 622)");
    REQUIRE(symlink("/dev/zero", dir.file) == 0);
    expect_refusal(&dir, "a symbolic link");
    REQUIRE(mkfifo(dir.file, 0600) == 0);
    expect_refusal(&dir, "not a regular file");
    REQUIRE(write_file(dir.file, "{}") && truncate(dir.file, HY_PROFILE_FILE_MAX_BYTES + 1) == 0);
    expect_refusal(&dir, "1048577 bytes, at most 1048576 are allowed");
    if (geteuid() == 0) {
        REQUIRE(write_file(dir.file, "{}") && chown(dir.file, 65534, 65534) == 0);
        expect_refusal(&dir, "the file belongs to user 65534");
    }
    remove_dir(&dir);
}

TEST(profile, update_of_a_folder_that_is_not_there_fails_in_words)
{
    struct hy_profile_file file = {0};
    struct hy_error err = {0};

    REQUIRE(put(&file, "acme-npu", 1));
    EXPECT_INT(hy_profile_file_update("/proc/nonexistent", file.records, &err), HY_FAILED);
    EXPECT_CONTAINS(err.text, "/proc/nonexistent: No such file");
    hy_profile_file_finish(&file);
}

/* ---- On devices ------------------------------------------------------------------------------ */

static struct hy_runtime_device make_device(const char *version, const char *build_id)
{
    return (struct hy_runtime_device){
        .info = {.name = "acme-npu", .version = version, .build_id = build_id}};
}

static bool store_for(const struct dir *dir, const struct hy_runtime_device *device,
                      const char *cpu)
{
    struct hy_profile_file file = {0};
    bool done = hy_profiles_begin(device, &file, NULL) == HY_OK &&
                hy_profile_set(&file.records[0].profile, conv, 1000, 9, NULL) == HY_OK;
    if (done && cpu) {
        free(file.records[0].cpu);
        done = (file.records[0].cpu = strdup(cpu)) != NULL;
    }
    done = done && hy_profile_file_update(dir->path, file.records, NULL) == HY_OK;
    hy_profile_file_finish(&file);
    return done;
}

TEST(profile, belongs_to_one_version_and_build_of_a_driver_and_one_processor)
{
    const struct dir dir = make_dir();
    struct hy_runtime_device devices[] = {make_device("1", "b"), make_device("2", "b"),
                                          make_device("1", NULL)};
    struct hy_profile_file file = {0};

    REQUIRE(store_for(&dir, &devices[0], NULL));
    REQUIRE(hy_profiles_attach(dir.path, &file, devices, 3, NULL) == HY_OK);
    EXPECT(hy_profile_time(devices[0].profile, conv, 1000) == 9);
    EXPECT(!devices[1].profile);
    EXPECT(!devices[2].profile);

    /* What is measured next starts from it. */
    struct hy_profile_file next = {0};
    REQUIRE(hy_profiles_begin(&devices[0], &next, NULL) == HY_OK);
    EXPECT(hy_profile_time(&next.records[0].profile, conv, 1000) == 9);
    hy_profile_file_finish(&next);
    hy_profile_file_finish(&file);

    devices[0].profile = NULL;
    REQUIRE(store_for(&dir, &devices[0], "another processor"));
    REQUIRE(hy_profiles_attach(dir.path, &file, devices, 1, NULL) == HY_OK);
    EXPECT(!devices[0].profile);
    hy_profile_file_finish(&file);
    remove_dir(&dir);
}

TEST(profile, bad_files_leave_devices_without)
{
    const struct dir dir = make_dir();
    struct hy_runtime_device device = make_device("1", "b");
    struct hy_profile_file file = {0};

    REQUIRE(write_file(dir.file, "{\"devices\":\"all\"}"));
    EXPECT_INT(hy_profiles_attach(dir.path, &file, &device, 1, NULL), HY_OK);
    EXPECT(!device.profile);
    remove_dir(&dir);
}

TEST(profile, processor_has_one_name)
{
    char first[HY_CPU_IDENTITY_SIZE], second[HY_CPU_IDENTITY_SIZE];

    hy_cpu_identity(first);
    hy_cpu_identity(second);
    EXPECT_STR(first, second);
    EXPECT_CONTAINS(first, ", features ");
}
