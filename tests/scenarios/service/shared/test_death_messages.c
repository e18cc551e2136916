/* How a process of a driver has ended, as a person reads it: in results, in the log and in JSON. */
#include "shared_service.h"
#include "tests/kit/test.h"
#include "tests/unit/tools/kit/command_run.h"

#include <stdlib.h>
#include <string.h>

enum { PATH_SIZE = 192 };

static char dir[64], manifest[PATH_SIZE], model[PATH_SIZE];

/* The driver that has the fault is the only one that the command finds. `socket`: "" or a member of
 * the manifest. */
static void begin(const char *fault, const char *socket)
{
    char text[1024];

    snprintf(text, sizeof text,
             "{\"file_format_version\": \"1.0.0\", \"driver\": {\"library_path\": \"%s\", %s"
             "\"abi\": \"1.0\", \"name\": \"f\", \"arguments\": {\"fault\": \"%s\"}}}",
             FAULTY_DRIVER, socket, fault);
    snprintf(manifest, sizeof manifest, "%s/faulty.json", dir);
    snprintf(model, sizeof model, "%s/add.tflite", getenv("HALYARD_BENCH_DIR"));
    write_whole_file(manifest, text);
    setenv("HALYARD_DRIVER_FILES", manifest, 1);
    setenv("HALYARD_LOG", "warning", 1);
}

/* One line of the text has all of them. */
static bool has_line(const char *text, const char *const *parts)
{
    char line[2048];

    for (const char *at = text; *at; at += *at == '\n') {
        const size_t length = strcspn(at, "\n");
        snprintf(line, sizeof line, "%.*s", (int)length, at);
        size_t found = 0;
        while (parts[found] && strstr(line, parts[found]))
            found++;
        if (!parts[found])
            return true;
        at += length;
    }
    return false;
}

#define HAS_LINE(text, ...) has_line(text, (const char *const[]){__VA_ARGS__, NULL})

/* The result and the log say that, of a run in this mode. */
static void expect_run(const char *mode, const char *end)
{
    struct command_run run =
        RUN("run", model, "--device", "faulty", "--random", "1", "--mode", mode);

    EXPECT_INT(run.status, 1);
    EXPECT(HAS_LINE(run.err, "halyard run: ", "execute failed: the driver process (", end));
    EXPECT(HAS_LINE(run.err, " warning driver", ": the driver process (", end));
    command_run_finish(&run);
}

TEST(death_messages, result_and_log_name_the_signal_and_the_function)
{
    make_dir(dir);
    setenv("HALYARD_ISOLATE", "faulty", 1);
    begin("execute-crashes", "");
    expect_run("sync", ") was ended by SIGSEGV (11) during execute");
    expect_run("fenced", ") was ended by SIGSEGV (11) during execute");
    expect_run("burst", ") was ended by SIGSEGV (11) during burst_execute");
    remove_dir(dir);
}

TEST(death_messages, result_and_log_name_the_exit_status_and_the_function)
{
    make_dir(dir);
    setenv("HALYARD_ISOLATE", "faulty", 1);
    begin("execute-exits", "");
    expect_run("sync", ") exited with status 3 during execute");
    expect_run("burst", ") exited with status 3 during burst_execute");
    remove_dir(dir);
}

/* The reason that the first member of the array gives. */
static void expect_reason(struct command_run *run, const char *array, const char *end)
{
    json_t *json = command_run_json(run);
    const json_t *first = json_array_get(json_object_get(json, array), 0);
    const char *reason = json_string_value(json_object_get(first, "reason"));

    EXPECT_CONTAINS(reason ? reason : "", end);
    json_decref(json);
    command_run_finish(run);
}

TEST(death_messages, json_of_devices_says_how_the_process_of_a_refused_driver_ended)
{
    make_dir(dir);
    setenv("HALYARD_ISOLATE", "faulty", 1);
    begin("create-crashes", "");
    struct command_run run = RUN("devices", "--json");
    expect_reason(&run, "refused", ") was ended by SIGSEGV (11) during create");
    remove_dir(dir);
}

TEST(death_messages, json_of_a_plan_says_how_the_process_ended_that_was_asked)
{
    make_dir(dir);
    setenv("HALYARD_ISOLATE", "faulty", 1);
    begin("supported-crashes", "");
    struct command_run run = RUN("explain", model, "--json");
    expect_reason(&run, "refusals", ") was ended by SIGSEGV (11) during supported_operations");
    remove_dir(dir);
}

/* The result and the log name the shared service, and say that of its end. */
static void expect_shared_run(const char *fault, const char *end)
{
    struct shared_service service;
    char member[PATH_SIZE], whose[PATH_SIZE];
    int status;

    make_dir(dir);
    unsetenv("HALYARD_ISOLATE");
    REQUIRE(shared_service_init(&service));
    snprintf(member, sizeof member, "\"socket\": \"%s\", ", service.socket);
    begin(fault, member);
    REQUIRE(shared_service_start(&service, (const char *const[]){"--manifest", manifest, NULL},
                                 &status));
    snprintf(whose, sizeof whose, "the service at %s (process %d) ", service.socket,
             (int)shared_service_host(&service));
    struct command_run run = RUN("run", model, "--device", "faulty", "--random", "1");
    EXPECT_INT(run.status, 1);
    EXPECT(HAS_LINE(run.err, "halyard run: ", whose, end));
    EXPECT(HAS_LINE(run.err, " warning driver", whose, end));
    EXPECT(!strstr(run.err, "killed"));
    command_run_finish(&run);
    shared_service_finish(&service);
    remove_dir(dir);
}

TEST(death_messages, result_and_log_name_the_shared_service_with_the_signal_or_the_exit_status)
{
    expect_shared_run("execute-crashes", " was ended by SIGSEGV (11) during execute");
    expect_shared_run("execute-exits", " exited with status 3 during execute");
}

/* The patience of this test is short, and the driver does not come back. */
TEST(death_messages, service_that_was_hung_up_on_was_disconnected_and_a_private_process_killed)
{
    struct shared_service service;
    char member[PATH_SIZE];
    int status;

    make_dir(dir);
    setenv("HALYARD_ISOLATE", "faulty", 1);
    begin("execute-hangs", "");
    struct command_run private = RUN("run", model, "--device", "faulty", "--random", "1");
    EXPECT(HAS_LINE(private.err, "halyard run: ",
                    "execute took longer than 2 s; the driver process (", ") was killed"));
    command_run_finish(&private);

    unsetenv("HALYARD_ISOLATE");
    REQUIRE(shared_service_init(&service));
    snprintf(member, sizeof member, "\"socket\": \"%s\", ", service.socket);
    begin("execute-hangs", member);
    REQUIRE(shared_service_start(&service, (const char *const[]){"--manifest", manifest, NULL},
                                 &status));
    struct command_run shared = RUN("run", model, "--device", "faulty", "--random", "1");
    EXPECT(HAS_LINE(shared.err, "halyard run: ", "execute took longer than 2 s; the service at ",
                    " was disconnected"));
    EXPECT(HAS_LINE(shared.err, " warning driver", "is disconnected: execute took longer"));
    EXPECT(!strstr(shared.err, "killed"));
    command_run_finish(&shared);
    shared_service_finish(&service);
    remove_dir(dir);
}
