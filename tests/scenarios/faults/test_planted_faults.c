/* Whatever is wrong in a driver is told with the device, the function of the driver and the cause.
 */
#include <poll.h>
#include <signal.h>
#include <stdbool.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/kit/test.h"

#define DEVICE "planted"

/* Longer than anything here takes. */
enum { TIMEOUT_MS = 120000 };

/* What becomes of an app that has the driver in its process. */
enum death { LIVES, CRASHES, EXITS, HANGS };

static const struct fault {
    const char *name, *function;
    enum death death;
    struct reported {
        const char *cause, *sentence;
    } in_process, isolated;
} faults[] = {
#define FAULT(name, function, death, cause, sentence, isolated_cause, isolated_sentence) \
    {name, function, death, {cause, sentence}, {isolated_cause, isolated_sentence}},
#include "tests/scenarios/faults/planted_faults.def"
};

enum { FAULT_COUNT = sizeof faults / sizeof *faults };

/* ---- The driver ------------------------------------------------------------------------------ */

static char dir[] = "/tmp/halyard-faults-XXXXXX", manifest[64];

static const char *library_of(const struct fault *fault)
{
    if (strcmp(fault->name, "dlopen-crashes") == 0)
        return DLOPEN_CRASHES;
    if (strcmp(fault->name, "dlopen-exits") == 0)
        return DLOPEN_EXITS;
    return strcmp(fault->name, "dlopen-hangs") == 0 ? DLOPEN_HANGS : FAULTY_DRIVER;
}

static bool plant(const struct fault *fault)
{
    snprintf(manifest, sizeof manifest, "%s/" DEVICE ".json", dir);
    FILE *file = fopen(manifest, "w");
    if (!file)
        return false;
    fprintf(file,
            "{\"file_format_version\":\"1.0.0\",\"driver\":{\"library_path\":\"%s\","
            "\"abi\":\"1.1\",\"arguments\":{\"fault\":\"%s\",\"name\":\"" DEVICE "\"}}}",
            library_of(fault), fault->name);
    return fclose(file) == 0;
}

/* ---- The app --------------------------------------------------------------------------------- */

struct life {
    char text[1 << 16]; /* all that it wrote */
    size_t length;
    int status; /* of waitpid */
};

/* A sanitizer leaves the signals alone. */
static void set_environment(bool is_isolated)
{
    setenv("HALYARD_DRIVER_FILES", manifest, 1);
    setenv("HALYARD_LOG", "debug", 1);
    setenv("HALYARD_SERVICE_PATIENCE", "2", 1); /* starts have to be over in it, too */
    setenv("ASAN_OPTIONS", "handle_segv=0", 1);
    setenv("TSAN_OPTIONS", "handle_segv=0:die_after_fork=0:atexit_sleep_ms=0", 1);
    setenv("HALYARD_SERVICE_ENVIRONMENT", "ASAN_OPTIONS:TSAN_OPTIONS", 1);
    if (is_isolated)
        setenv("HALYARD_ISOLATE", DEVICE, 1);
}

/* Drivers are opened in another process first by the command, and by apps that ask for it. */
static bool is_tried(const struct fault *fault, bool is_isolated)
{
    return !is_isolated && fault->death != LIVES && strcmp(fault->function, "prepare") != 0 &&
           strcmp(fault->function, "execute") != 0;
}

static pid_t start(const struct fault *fault, bool is_isolated, int out)
{
    const pid_t child = fork();
    if (child != 0)
        return child;
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    dup2(out, STDOUT_FILENO);
    dup2(out, STDERR_FILENO);
    set_environment(is_isolated);
    if (is_tried(fault, is_isolated))
        execl(HALYARD_COMMAND, "halyard", "devices", "--timeout", "1", NULL);
    else
        execl(PLANTED_APP, "planted_app", NULL);
    _exit(127);
}

/* False: that was all. */
static bool read_more(struct life *life, int in)
{
    struct pollfd ready = {.fd = in, .events = POLLIN};
    const size_t capacity = sizeof life->text - 1 - life->length;

    const ssize_t length =
        poll(&ready, 1, TIMEOUT_MS) == 1 ? read(in, life->text + life->length, capacity) : 0;
    if (length <= 0)
        return false;
    life->length += (size_t)length;
    life->text[life->length] = '\0';
    return life->length < sizeof life->text - 1;
}

/* ---- Its lines ------------------------------------------------------------------------------- */

static void replace(char *text, const char *what, const char *with)
{
    const size_t old = strlen(what), new = strlen(with);

    for (char *at = text; (at = strstr(at, what)); at += new) {
        memmove(at + new, at + old, strlen(at + old) + 1);
        memcpy(at, with, new);
    }
}

/* What differs from run to run; nothing gets longer. */
static void smooth(char *line, const struct fault *fault)
{
    static const char before[] = "process (";

    replace(line, library_of(fault), "LIBRARY");
    for (char *at = line; (at = strstr(at, before));) {
        at += sizeof before - 1;
        const size_t digits = strspn(at, "0123456789");
        if (digits < 3)
            continue;
        memcpy(at, "PID", 3);
        memmove(at + 3, at + digits, strlen(at + digits) + 1);
    }
}

static bool ends_in(const char *line, const char *sentence)
{
    const size_t length = strlen(line), part = strlen(sentence);
    return length >= part && strcmp(line + length - part, sentence) == 0;
}

/* A line with the three fields that ends in the sentence; `other` gets one that does not. */
static bool is_reported(const struct life *life, const struct fault *fault,
                        const struct reported *reported, char *other, size_t size)
{
    char line[2048];

    for (const char *at = life->text; *at; at += strspn(at, "\n")) {
        const size_t length = strcspn(at, "\n");
        snprintf(line, sizeof line, "%.*s", (int)length, at);
        at += length;
        if (!strstr(line, DEVICE) || !strstr(line, fault->function) ||
            !strstr(line, reported->cause))
            continue;
        smooth(line, fault);
        if (ends_in(line, reported->sentence))
            return true;
        snprintf(other, size, "%s", line);
    }
    return false;
}

/* ---- The tests ------------------------------------------------------------------------------- */

static void expect_end(const struct fault *fault, bool is_isolated, int status)
{
    const bool has_to_live = is_isolated || is_tried(fault, is_isolated) || fault->death == LIVES;

    if (has_to_live)
        EXPECT(WIFEXITED(status) && WEXITSTATUS(status) == 0);
    else if (fault->death == CRASHES)
        EXPECT(WIFSIGNALED(status) && WTERMSIG(status) == SIGSEGV);
    else if (fault->death == EXITS)
        EXPECT(WIFEXITED(status) && WEXITSTATUS(status) == 3);
    else
        EXPECT(WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL);
}

static void expect_reported(const struct fault *fault, bool is_isolated)
{
    static struct life life;
    const struct reported *reported = is_isolated ? &fault->isolated : &fault->in_process;
    const bool is_left_running =
        !is_isolated && fault->death == HANGS && !is_tried(fault, is_isolated);
    char other[2048] = "";
    int ends[2];
    REQUIRE(plant(fault) && pipe(ends) == 0);

    life.length = 0;
    life.text[0] = '\0';
    const pid_t child = start(fault, is_isolated, ends[1]);
    close(ends[1]);
    bool found = false, goes_on = child > 0;
    while (goes_on) {
        goes_on = read_more(&life, ends[0]);
        found = is_reported(&life, fault, reported, other, sizeof other);
        goes_on &= !(is_left_running && found);
    }
    close(ends[0]);
    REQUIRE(child > 0);
    if (is_left_running)
        kill(child, SIGKILL);
    EXPECT(waitpid(child, &life.status, 0) == child);
    if (found)
        hy_test_pass(__FILE__, __LINE__);
    else
        hy_test_fail(__FILE__, __LINE__, "%s %s: \"%s\" is not said, but \"%s\"", fault->name,
                     is_isolated ? "isolated" : "in process", reported->sentence,
                     other[0] ? other : life.text);
    expect_end(fault, is_isolated, life.status);
}

static void expect_all_reported(bool is_isolated)
{
    REQUIRE(mkdtemp(strcpy(dir, "/tmp/halyard-faults-XXXXXX")));
    for (size_t i = 0; i < FAULT_COUNT; i++)
        expect_reported(&faults[i], is_isolated);
    unlink(manifest);
    rmdir(dir);
}

TEST(planted_faults, are_thirty)
{
    EXPECT_INT(FAULT_COUNT, 30);
}

TEST(planted_faults, in_the_process_of_the_app_are_told_with_device_function_and_cause)
{
    expect_all_reported(false);
}

TEST(planted_faults, in_a_process_of_the_driver_are_told_with_device_function_and_cause)
{
    expect_all_reported(true);
}
