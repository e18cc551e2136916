/*
 * network_memory: the memory of a network for opening, compiling and one run in a session, beyond
 * the mapped file, and the same with TensorFlow Lite's XNNPACK delegate. Each network runs in a
 * separate process, one after the other:
 *
 *     network_memory [--tflite LIBRARY] MODEL...
 *
 * Steady: dirty private bytes after the run, minus the bytes before the file was opened, after the
 * library was loaded and devices were listed. Peak: likewise for the maximum of resident bytes,
 * without the bytes of mapped files. "-" marks a network that a side cannot run.
 */
#include <dlfcn.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <halyard/halyard.h>
#include <halyard/session.h>

#include "bench/device_by_name.h"
#include "bench/peers/tflite_peer.h"

struct memory {
    int64_t steady, peak; /* KiB; -1: the network did not run */
};

/* The number after `key` in a file of lines "Key: 123 kB"; -1 for a missing key. */
static int64_t read_kib(const char *path, const char *key)
{
    char line[256];
    int64_t found = -1;
    FILE *file = fopen(path, "r");

    while (file && found < 0 && fgets(line, sizeof line, file)) {
        if (strncmp(line, key, strlen(key)) == 0)
            found = strtoll(line + strlen(key), NULL, 10);
    }
    if (file)
        fclose(file);
    return found;
}

/* Dirty private pages, without pages of a library that was written to its file a moment ago. */
static int64_t private_dirty(void)
{
    return read_kib("/proc/self/smaps_rollup", "Anonymous:");
}

static int64_t anonymous(const char *resident)
{
    return read_kib("/proc/self/status", resident) - read_kib("/proc/self/status", "RssFile:");
}

/* From now on the highest resident size counts. */
static void reset_peak(void)
{
    const int file = open("/proc/self/clear_refs", O_WRONLY | O_CLOEXEC);
    if (file < 0 || write(file, "5", 1) != 1)
        fprintf(stderr, "network_memory: the peak is that of the whole process\n");
    if (file >= 0)
        close(file);
}

/* As an app does it. */
static enum hy_code run_here(const char *path, struct hy_error *err)
{
    const ANeuralNetworksDevice *device = hy_bench_device("halyard-cpu");
    struct halyard_session_options options = HALYARD_SESSION_OPTIONS;
    struct halyard_network *network = NULL;
    struct halyard_session *session = NULL;

    options.devices = &device;
    options.device_count = 1;
    int result = halyard_network_open(path, NULL, &network);
    if (result == ANEURALNETWORKS_NO_ERROR)
        result = halyard_session_create(network, &options, &session);
    if (result == ANEURALNETWORKS_NO_ERROR)
        result = halyard_session_run(session);
    return result == ANEURALNETWORKS_NO_ERROR
               ? HY_OK
               : hy_fail(err, (enum hy_code)result, "%s", halyard_last_error());
}

static enum hy_code run_peer(const char *library, const char *path, struct hy_error *err)
{
    struct hy_tflite_peer *peer;

    /* Where XNNPACK's delegate ends with an error, an app is left with the built-in kernels. */
    enum hy_code code = hy_tflite_peer_open(library, path, HY_TFLITE_XNNPACK, 1, &peer, err);
    if (code != HY_OK)
        code = hy_tflite_peer_open(library, path, HY_TFLITE_BUILT_IN, 1, &peer, err);
    for (int i = 0; code == HY_OK && i < hy_tflite_peer_input_count(peer); i++) {
        size_t bytes;
        void *input = hy_tflite_peer_input(peer, i, &bytes);
        if (input)
            memset(input, 0, bytes);
    }
    return code == HY_OK ? hy_tflite_peer_run(peer, err) : code;
}

static void load_library(const char *library)
{
    uint32_t devices;

    if (library)
        dlopen(library, RTLD_NOW | RTLD_LOCAL);
    else
        ANeuralNetworks_getDeviceCount(&devices);
}

/* The work of the process of one network. Nothing is closed: the process ends. */
static int measure(const char *library, const char *path)
{
    struct hy_error err;

    load_library(library);
    reset_peak();
    const int64_t dirty = private_dirty(), resident = anonymous("VmRSS:");
    const enum hy_code code = library ? run_peer(library, path, &err) : run_here(path, &err);
    if (code != HY_OK) {
        fprintf(stderr, "network_memory: %s: %s\n", path, err.text);
        return 1;
    }
    printf("%lld %lld\n", (long long)(private_dirty() - dirty),
           (long long)(anonymous("VmHWM:") - resident));
    return 0;
}

/* Measures in a separate process, which shares no page with this process. */
static struct memory measure_apart(const char *library, const char *path)
{
    char line[64] = "";
    long long steady, peak;
    int ends[2];

    if (pipe(ends) != 0)
        return (struct memory){-1, -1};
    fflush(stdout);
    const pid_t child = fork();
    if (child == 0) {
        dup2(ends[1], STDOUT_FILENO);
        execl("/proc/self/exe", "network_memory", "--one", path, library, (char *)NULL);
        _exit(127);
    }
    close(ends[1]);
    const ssize_t length = read(ends[0], line, sizeof line - 1);
    close(ends[0]);
    if (child > 0)
        waitpid(child, NULL, 0);
    if (length < 1 || sscanf(line, "%lld %lld", &steady, &peak) != 2)
        return (struct memory){-1, -1};
    return (struct memory){steady, peak};
}

static void print_kib(int64_t kib)
{
    if (kib < 0)
        printf(" - |");
    else
        printf(" %lld |", (long long)kib);
}

static void print_row(const char *library, const char *path)
{
    const char *name = strrchr(path, '/');
    const struct memory here = measure_apart(NULL, path);
    struct memory peer = {-1, -1};

    if (library)
        peer = measure_apart(library, path);
    printf("| %s |", name ? name + 1 : path);
    print_kib(here.steady);
    print_kib(peer.steady);
    print_kib(here.peak);
    print_kib(peer.peak);
    printf("\n");
}

int main(int argc, char **argv)
{
    const bool has_library = argc > 2 && strcmp(argv[1], "--tflite") == 0;
    const int first = has_library ? 3 : 1;

    if (argc > 2 && strcmp(argv[1], "--one") == 0)
        return measure(argc > 3 ? argv[3] : NULL, argv[2]);
    if (argc <= first) {
        fprintf(stderr, "usage: network_memory [--tflite LIBRARY] MODEL...\n");
        return 2;
    }
    printf("| network | steady, KiB | TensorFlow Lite | peak, KiB | TensorFlow Lite |\n"
           "|---|--:|--:|--:|--:|\n");
    for (int i = first; i < argc; i++)
        print_row(has_library ? argv[2] : NULL, argv[i]);
    return 0;
}
