/* An app that hands in what is no memory, no socket, no fence and no folder. */
#include "app_usual.h"

#include "tests/fuzz/session/session_script.h"

#include <android/hardware_buffer.h>

#include <fcntl.h>
#include <poll.h>
#include <stdint.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

static unsigned long calls, refusals;

static int note(int code)
{
    calls++;
    refusals += code != NO_ERROR;
    return code;
}

/* ---- Odd descriptors ------------------------------------------------------------------------- */

static int open_odd(struct hy_random *chance, enum session_fd *kind)
{
    static const int wrong[] = {-1, 1 << 20, INT32_MAX, INT32_MIN};

    *kind = (enum session_fd)hy_random_below(chance, SESSION_FD_KINDS + 2);
    if (*kind >= SESSION_FD_KINDS)
        return wrong[hy_random_below(chance, 4)];
    return session_fd_open(*kind);
}

static size_t odd_size(struct hy_random *chance)
{
    static const size_t sizes[] = {0,
                                   1,
                                   APP_BYTES,
                                   4096,
                                   65536,
                                   65537,
                                   1 << 20,
                                   SIZE_MAX,
                                   SIZE_MAX - 4095,
                                   1 << 30,
                                   4096 + APP_BYTES,
                                   32768};
    return sizes[hy_random_below(chance, sizeof sizes / sizeof *sizes)];
}

/* What a call is right to find in the file; false: nobody can tell. */
static bool look_into(int fd, size_t offset, float *values)
{
    const int flags = fcntl(fd, F_GETFL);
    return flags >= 0 && (flags & O_ACCMODE) != O_WRONLY && !(flags & O_PATH) &&
           lseek(fd, 0, SEEK_CUR) == 0 && pread(fd, values, APP_BYTES, (off_t)offset) == APP_BYTES;
}

static void expect_sum(const char *what, int device, const float *out, const float *in,
                       const float *added)
{
    for (int i = 0; i < APP_EXTENT; i++) {
        const float sum = in[i] + (added ? added[i] : (float)(i + 1));
        if (memcmp(&out[i], &sum, sizeof sum) != 0)
            APP_FAIL("%s on %s: %g, not %g", what, app_device_names[device], (double)out[i],
                     (double)sum);
    }
    app_usual.right_results++;
}

static void use_as_input(const ANeuralNetworksMemory *memory, int device, const float *content)
{
    ANeuralNetworksExecution *execution = NULL;
    float out[APP_EXTENT];

    int code = note(ANeuralNetworksExecution_create(app_usual.compilations[device], &execution));
    if (code == NO_ERROR)
        code = note(
            ANeuralNetworksExecution_setInputFromMemory(execution, 0, NULL, memory, 0, APP_BYTES));
    if (code == NO_ERROR)
        code = note(ANeuralNetworksExecution_setOutput(execution, 0, NULL, out, sizeof out));
    if (code == NO_ERROR)
        code = note(ANeuralNetworksExecution_compute(execution));
    if (code == NO_ERROR && content)
        expect_sum("an input", device, out, content, NULL);
    ANeuralNetworksExecution_free(execution);
}

static void use_as_output(const ANeuralNetworksMemory *memory, int device, int fd, size_t offset)
{
    static const float in[APP_EXTENT] = {5, 6, 7, 8};
    ANeuralNetworksExecution *execution = NULL;
    float out[APP_EXTENT];

    int code = note(ANeuralNetworksExecution_create(app_usual.compilations[device], &execution));
    if (code == NO_ERROR)
        code = note(ANeuralNetworksExecution_setInput(execution, 0, NULL, in, sizeof in));
    if (code == NO_ERROR)
        code = note(
            ANeuralNetworksExecution_setOutputFromMemory(execution, 0, NULL, memory, 0, APP_BYTES));
    if (code == NO_ERROR)
        code = note(ANeuralNetworksExecution_compute(execution));
    if (code == NO_ERROR && fcntl(fd, F_GET_SEALS) >= 0 && look_into(fd, offset, out))
        expect_sum("an output", device, out, in, NULL);
    ANeuralNetworksExecution_free(execution);
}

static void use_as_constant(const ANeuralNetworksMemory *memory, int device, const float *content)
{
    static const float in[APP_EXTENT] = {5, 6, 7, 8};
    ANeuralNetworksCompilation *compilation = NULL;
    float out[APP_EXTENT];

    ANeuralNetworksModel *model = app_model(memory, 0);
    if (model)
        compilation = isolated_compile(model, &app_device_names[device], 1);
    if (compilation && note(app_compute(compilation, NULL, in, out)) == NO_ERROR && content)
        expect_sum("a constant", device, out, in, content);
    ANeuralNetworksCompilation_free(compilation);
    ANeuralNetworksModel_free(model);
}

/* A file that gets shorter is the app's own to lose where the device is in the app. */
static void use_while_it_shrinks(const ANeuralNetworksMemory *memory, int fd, int device)
{
    if (device == 1 && ftruncate(fd, 0) == 0)
        use_as_input(memory, device, NULL);
}

static void attack_memory(struct hy_random *chance)
{
    static const size_t offsets[] = {0, 0, 0, 4096, 1, 65536, SIZE_MAX - 4095};
    static const float some[APP_EXTENT] = {.5f, 1.5f, 2.5f, 3.5f};
    const int device = (int)hy_random_below(chance, APP_DEVICES);
    const size_t size = odd_size(chance);
    const size_t offset = offsets[hy_random_below(chance, sizeof offsets / sizeof *offsets)];
    const int protect = (int)hy_random_below(chance, 6) - 1;
    ANeuralNetworksMemory *memory = NULL;
    enum session_fd kind;
    float content[APP_EXTENT];

    const int fd = open_odd(chance, &kind);
    if (fd >= 0 && fcntl(fd, F_GET_SEALS) == 0 && offset < SIZE_MAX / 2)
        (void)!pwrite(fd, some, sizeof some, (off_t)offset);
    const bool is_known = offset < SIZE_MAX / 2 && look_into(fd, offset, content);
    if (note(ANeuralNetworksMemory_createFromFd(size, protect, fd, offset, &memory)) == NO_ERROR) {
        const float *known = is_known && fcntl(fd, F_GET_SEALS) >= 0 ? content : NULL;
        switch (hy_random_below(chance, 4)) {
        case 0:
            use_as_input(memory, device, known);
            break;
        case 1:
            use_as_output(memory, device, fd, offset);
            break;
        case 2:
            use_as_constant(memory, device, known);
            break;
        default:
            use_while_it_shrinks(memory, fd, device);
        }
    } else if (memory) {
        APP_FAIL("a memory of an error");
    }
    ANeuralNetworksMemory_free(memory);
    if (kind < SESSION_FD_KINDS)
        close(fd);
}

/* One that nobody ends would be waited for. */
static bool is_over(int fd)
{
    struct pollfd look = {.fd = fd, .events = POLLIN};
    return poll(&look, 1, 0) != 0;
}

static void wait_for_fence(struct hy_random *chance, ANeuralNetworksEvent *fence)
{
    static const float in[APP_EXTENT] = {5, 6, 7, 8};
    const int device = (int)hy_random_below(chance, APP_DEVICES);
    ANeuralNetworksExecution *execution = NULL;
    const ANeuralNetworksEvent *before[] = {fence};
    ANeuralNetworksEvent *event = NULL;
    float out[APP_EXTENT];

    int code = note(ANeuralNetworksExecution_create(app_usual.compilations[device], &execution));
    if (code == NO_ERROR)
        code = note(ANeuralNetworksExecution_setInput(execution, 0, NULL, in, sizeof in));
    if (code == NO_ERROR)
        code = note(ANeuralNetworksExecution_setOutput(execution, 0, NULL, out, sizeof out));
    if (code == NO_ERROR)
        code = note(
            ANeuralNetworksExecution_startComputeWithDependencies(execution, before, 1, 0, &event));
    if (code == NO_ERROR && note(ANeuralNetworksEvent_wait(event)) == NO_ERROR)
        expect_sum("behind a fence", device, out, in, NULL);
    ANeuralNetworksEvent_free(event);
    ANeuralNetworksExecution_free(execution);
}

static void attack_fence(struct hy_random *chance)
{
    ANeuralNetworksEvent *fence = NULL;
    enum session_fd kind;

    const int fd = open_odd(chance, &kind);
    if (is_over(fd) && note(ANeuralNetworksEvent_createFromSyncFenceFd(fd, &fence)) == NO_ERROR)
        wait_for_fence(chance, fence);
    ANeuralNetworksEvent_free(fence);
    if (kind < SESSION_FD_KINDS)
        close(fd);
}

static void use_buffer(struct hy_random *chance, AHardwareBuffer *buffer, const float *content)
{
    ANeuralNetworksMemory *memory = NULL;

    if (note(ANeuralNetworksMemory_createFromAHardwareBuffer(buffer, &memory)) == NO_ERROR)
        use_as_input(memory, (int)hy_random_below(chance, APP_DEVICES), content);
    ANeuralNetworksMemory_free(memory);
}

static void attack_wrap(struct hy_random *chance)
{
    static const uint32_t widths[] = {0, 1, APP_BYTES, 4096, 65536, 65537, UINT32_MAX};
    const AHardwareBuffer_Desc desc = {
        .width = widths[hy_random_below(chance, 7)],
        .height = hy_random_below(chance, 8) == 0 ? 7 : 1,
        .layers = 1,
        .format =
            hy_random_below(chance, 4) ? AHARDWAREBUFFER_FORMAT_BLOB : hy_random_below(chance, 64),
        .usage = AHARDWAREBUFFER_USAGE_CPU_READ_OFTEN |
                 (hy_random_below(chance, 2) ? AHARDWAREBUFFER_USAGE_CPU_WRITE_OFTEN : 0),
        .stride = hy_random_below(chance, 4) ? 0 : hy_random_below(chance, 1 << 20)};
    AHardwareBuffer *buffer = NULL;
    enum session_fd kind;
    float content[APP_EXTENT];

    const int fd = open_odd(chance, &kind);
    const bool is_known = look_into(fd, 0, content) && desc.format == AHARDWAREBUFFER_FORMAT_BLOB;
    if (note(halyard_hardware_buffer_wrap(fd, &desc, &buffer)) == NO_ERROR) {
        use_buffer(chance, buffer, is_known ? content : NULL);
        AHardwareBuffer_release(buffer);
    }
    if (kind < SESSION_FD_KINDS)
        close(fd);
}

/* A socket that stays silent is waited for, as it should be: the peer of these has gone, or never
 * was. */
static void attack_receiving(struct hy_random *chance)
{
    AHardwareBuffer *buffer = NULL;
    enum session_fd kind;

    const int fd = open_odd(chance, &kind);
    if (note(AHardwareBuffer_recvHandleFromUnixSocket(fd, &buffer)) == 0)
        APP_FAIL("a buffer out of descriptor kind %d", (int)kind);
    buffer = NULL;
    if (kind < SESSION_FD_KINDS)
        close(fd);
}

static void attack_cache_dir(struct hy_random *chance)
{
    static const uint8_t token[ANEURALNETWORKS_BYTE_SIZE_OF_CACHE_TOKEN] = {1};
    static const float in[APP_EXTENT] = {5, 6, 7, 8};
    const ANeuralNetworksDevice *device = isolated_device("halyard-cpu");
    ANeuralNetworksCompilation *compilation = NULL;
    enum session_fd kind;
    char path[64];
    float out[APP_EXTENT];

    const int fd = open_odd(chance, &kind);
    if (kind == SESSION_FD_DIR || kind == SESSION_FD_PATH) { /* which are real ones */
        close(fd);
        return;
    }
    snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
    int code =
        ANeuralNetworksCompilation_createForDevices(app_usual.model, &device, 1, &compilation);
    if (code == NO_ERROR)
        code = note(ANeuralNetworksCompilation_setCaching(compilation, path, token));
    if (code == NO_ERROR) {
        if (ANeuralNetworksCompilation_finish(compilation) != NO_ERROR ||
            app_compute(compilation, NULL, in, out) != NO_ERROR)
            APP_FAIL("a folder that is none fails a compilation: %s", halyard_last_error());
        expect_sum("beside a cache", 0, out, in, NULL);
    }
    ANeuralNetworksCompilation_free(compilation);
    if (kind < SESSION_FD_KINDS)
        close(fd);
}

void attack_app_descriptors(struct hy_random *chance)
{
    static unsigned long number;
    enum { EACH = 40 };

    for (int i = 0; i < EACH; i++) {
        switch (hy_random_below(chance, 8)) {
        case 0:
            attack_fence(chance);
            break;
        case 1:
            attack_wrap(chance);
            break;
        case 2:
            attack_receiving(chance);
            break;
        case 3:
            attack_cache_dir(chance);
            break;
        default:
            attack_memory(chance);
        }
    }
    for (int i = 0; i < APP_DEVICES; i++)
        app_expect_right(i, number % 8 == 0);
    if (isolated_pid(app_device_names[1]) != app_usual.process)
        APP_FAIL("the process of %s is not the one of before", app_device_names[1]);
    if (++number > 3)
        app_expect_no_descriptors_left();
}

void attack_app_descriptors_report(void)
{
    printf("%lu calls, %lu of them refused, %lu right results\n", calls, refusals,
           app_usual.right_results);
}
