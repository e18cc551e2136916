/*
 * Every allocation of the first look for devices fails in turn, in a process of its own each time,
 * whatever call of the API comes first. A program of its own: the linker puts the functions below
 * in the place of the allocator (--wrap).
 */
#include "halyard/halyard.h"
#include "tests/kit/small_model.h"
#include "tests/kit/test.h"
#include "tests/unit/plugins/kit/plugin_fixture.h"

#include <errno.h>
#include <jansson.h>
#include <stdarg.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

static struct {
    unsigned fail_at; /* the allocation that fails; 0: none */
    bool for_good;    /* and all that follow */
    unsigned count;   /* since fail_at was set */
} heap;

static bool allow(void)
{
    if (heap.fail_at == 0 || ++heap.count < heap.fail_at ||
        (heap.count > heap.fail_at && !heap.for_good))
        return true;
    errno = ENOMEM;
    return false;
}

void *__real_malloc(size_t size);
void *__real_calloc(size_t count, size_t size);
void *__real_reallocarray(void *old, size_t count, size_t size);
char *__real_strdup(const char *text);
char *__real_strndup(const char *text, size_t length);
void *__wrap_malloc(size_t size);
void *__wrap_calloc(size_t items, size_t size);
void *__wrap_reallocarray(void *old, size_t items, size_t size);
char *__wrap_strdup(const char *text);
char *__wrap_strndup(const char *text, size_t length);
int __wrap_asprintf(char **out, const char *format, ...) __attribute__((format(printf, 2, 3)));

void *__wrap_malloc(size_t size)
{
    return allow() ? __real_malloc(size) : NULL;
}

void *__wrap_calloc(size_t items, size_t size)
{
    return allow() ? __real_calloc(items, size) : NULL;
}

void *__wrap_reallocarray(void *old, size_t items, size_t size)
{
    return allow() ? __real_reallocarray(old, items, size) : NULL;
}

char *__wrap_strdup(const char *text)
{
    return allow() ? __real_strdup(text) : NULL;
}

char *__wrap_strndup(const char *text, size_t length)
{
    return allow() ? __real_strndup(text, length) : NULL;
}

int __wrap_asprintf(char **out, const char *format, ...)
{
    if (!allow())
        return -1;
    va_list args;
    va_start(args, format);
    int length = vasprintf(out, format, args);
    va_end(args);
    return length;
}

/* jansson's own allocations are not at stake: it does not always tell a lack of memory from bad
 * text. */
__attribute__((constructor)) static void exempt_jansson(void)
{
    json_set_alloc_funcs(__real_malloc, free);
}

/* ---- Calls that may be the first ------------------------------------------------------------- */

static ANeuralNetworksModel *model; /* finished; making it asks for no devices */
static ANeuralNetworksModel *empty;

static int get_count(void)
{
    uint32_t count = 7;
    return ANeuralNetworks_getDeviceCount(&count);
}

static int get_device(void)
{
    ANeuralNetworksDevice *device;
    return ANeuralNetworks_getDevice(0, &device);
}

static int get_refused(void)
{
    struct halyard_refused_driver refused = {.struct_size = sizeof refused};
    return halyard_get_refused_driver(0, &refused);
}

static int compile(void)
{
    ANeuralNetworksCompilation *compilation = NULL;
    const int code = ANeuralNetworksCompilation_create(model, &compilation);
    ANeuralNetworksCompilation_free(compilation);
    return code;
}

static int name_extension(void)
{
    int32_t type;
    return ANeuralNetworksModel_getExtensionOperandType(empty, "com.acme.other", 1, &type);
}

/* ---- The tests ------------------------------------------------------------------------------- */

enum outcome { RIGHT, RIGHT_AND_NONE_FAILED, NO_CODE, NO_TEXT, NOT_AGAIN, NO_EXTENSION, NO_RUN };

/* Two drivers with an extension, one that is refused, a setting without effect, and the CPU. */
static bool all_is_there(void)
{
    static const char *const names[] = {"a-0", "a-1",         "b-0",
                                        "b-1", "halyard-cpu", "nnapi-reference"};
    uint32_t count = 0;
    bool good = ANeuralNetworks_getDeviceCount(&count) == ANEURALNETWORKS_NO_ERROR &&
                count == sizeof names / sizeof *names && halyard_refused_driver_count() == 2;

    for (uint32_t i = 0; good && i < count; i++) {
        ANeuralNetworksDevice *device = NULL;
        const char *name = "";
        good = ANeuralNetworks_getDevice(i, &device) == ANEURALNETWORKS_NO_ERROR &&
               ANeuralNetworksDevice_getName(device, &name) == ANEURALNETWORKS_NO_ERROR &&
               strcmp(name, names[i]) == 0;
    }
    return good;
}

/* An operand of a type that only a driver can have told of. */
static bool extension_is_known(void)
{
    const uint32_t dims[] = {1};
    ANeuralNetworksOperandType type = {.dimensionCount = 1, .dimensions = dims};

    return ANeuralNetworksModel_getExtensionOperandType(empty, "com.acme.fft", 1, &type.type) ==
               ANEURALNETWORKS_NO_ERROR &&
           ANeuralNetworksModel_addOperand(empty, &type) == ANEURALNETWORKS_NO_ERROR;
}

static enum outcome try_in_child(int (*first)(void), unsigned at, bool for_good)
{
    model = small_model();
    if (!model || ANeuralNetworksModel_create(&empty) != ANEURALNETWORKS_NO_ERROR)
        return NO_RUN;
    heap.for_good = for_good;
    heap.fail_at = at;
    const int code = first();
    const bool failed = heap.count >= at;
    heap.fail_at = 0;
    if (code != (failed ? ANEURALNETWORKS_OUT_OF_MEMORY : ANEURALNETWORKS_NO_ERROR))
        return NO_CODE;
    if (failed && (halyard_last_error_code() != code || !*halyard_last_error()))
        return NO_TEXT;
    if (!all_is_there())
        return NOT_AGAIN;
    if (!extension_is_known())
        return NO_EXTENSION;
    if (!small_life(at))
        return NO_RUN;
    return failed ? RIGHT : RIGHT_AND_NONE_FAILED;
}

/* An enum outcome, or more for a child that was killed. */
static int try_once(int (*first)(void), unsigned at, bool for_good)
{
    int status = 0;

    fflush(stdout);
    pid_t child = fork();
    if (child == 0) {
        alarm(240); /* a child that hangs is a failure, too */
        _exit((int)try_in_child(first, at, for_good));
    }
    if (child < 0 || waitpid(child, &status, 0) != child)
        return -1;
    return WIFEXITED(status) ? WEXITSTATUS(status) : 1000 + WTERMSIG(status);
}

/* Fails one after the other, until none is left to fail. */
static void fail_each(int (*first)(void), bool for_good)
{
    for (unsigned at = 1; at < 10000; at++) {
        const int outcome = try_once(first, at, for_good);
        if (outcome == RIGHT_AND_NONE_FAILED) {
            EXPECT(at > 20);
            return;
        }
        if (outcome != RIGHT) {
            hy_test_fail(__FILE__, __LINE__, "allocation %u fails: outcome %d", at, outcome);
            return;
        }
    }
    hy_test_fail(__FILE__, __LINE__, "there is no end of allocations");
}

static void write_drivers(struct plugin_fixture *fixture)
{
    plugin_fixture_manifest(fixture, "d/a.json", FAULTY_DRIVER_PATH,
                            "{\"name\":\"a\",\"devices\":2,\"fault\":\"extension-good\"}", 0);
    plugin_fixture_manifest(fixture, "d/b.json", FAULTY_DRIVER_PATH,
                            "{\"name\":\"b\",\"devices\":2,\"fault\":\"extension-good\"}", 0);
    plugin_fixture_write(fixture, "d/c.json", "[]");
    setenv("HALYARD_DRIVER_FILES", plugin_fixture_path(fixture, "d"), 1);
    setenv("HALYARD_DRIVERS_DISABLE", "none-of-this-name", 1);
    setenv("HALYARD_STATE_DIR", plugin_fixture_path(fixture, "state"), 1);
    setenv("HALYARD_LOG", "none", 1);
}

TEST(device_out_of_memory, is_what_the_first_call_says_and_the_next_finds_all_devices)
{
    static int (*const first_calls[])(void) = {get_count, get_device, get_refused, compile,
                                               name_extension};
    struct plugin_fixture fixture;

    REQUIRE(plugin_fixture_init(&fixture));
    write_drivers(&fixture);
    for (size_t i = 0; i < sizeof first_calls / sizeof *first_calls; i++) {
        fail_each(first_calls[i], false);
        fail_each(first_calls[i], true);
    }
    plugin_fixture_finish(&fixture);
}
