#include "driverd/shared.h"

#include "common/clock.h"
#include "driverd/client_listener.h"
#include "driverd/hosting.h"
#include "driverd/manifest_by_name.h"
#include "driverd/service_log.h"
#include "plugins/discovery/manifest.h"
#include "runtime/drivers/host.h"
#include "runtime/drivers/isolation.h"
#include "runtime/environment.h"
#include "runtime/log.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <unistd.h>

static int complain(const struct hy_error *err)
{
    fprintf(stderr, "halyard-driverd: %s\n", err->text);
    return err->code == HY_BAD_DATA ? 2 : 1;
}

/* ---- What is served -------------------------------------------------------------------------- */

struct hosted {
    char *path; /* path of the manifest; NULL: none */
    struct hy_manifest manifest;
    char *library; /* NULL: the built-in driver */
    struct hy_serve_driver driver;
};

/* NULL: the built-in driver. */
static enum hy_code find_manifest(const struct hy_driverd_options *options, char **ret,
                                  struct hy_error *err)
{
    *ret = NULL;
    if (options->name)
        return hy_driverd_find_manifest(options->name, ret, err);
    if (!options->manifest)
        return HY_OK;
    *ret = strdup(options->manifest);
    return *ret ? HY_OK : hy_fail(err, HY_OUT_OF_MEMORY, "path of a manifest");
}

static enum hy_code read_driver(const char *manifest, struct hosted *hosted, struct hy_error *err)
{
    const struct hy_host *host = hy_runtime_hosts()->common;
    const struct hy_environment *environment = hy_environment();
    const char *features = environment ? environment->cpu_features : NULL;

    hosted->driver =
        (struct hy_serve_driver){.library = "", .arguments = features ? features : "{}"};
    if (!manifest)
        return HY_OK;
    enum hy_code code = hy_manifest_read(manifest, host, &hosted->manifest, err);
    if (code == HY_OK)
        code = hy_manifest_library(&hosted->manifest, manifest, HALYARD_PLUGIN_DIR,
                                   &hosted->library, err);
    if (code != HY_OK)
        return hy_error_prefix(err, code, "%s", manifest);
    hosted->driver = (struct hy_serve_driver){
        .library = hosted->library,
        .arguments = hosted->manifest.arguments,
        .device_files = (const char *const *)hosted->manifest.device_files,
        .device_file_count = hosted->manifest.device_file_count,
        .manifest_kind = (uint32_t)hosted->manifest.kind,
        .capabilities = hosted->manifest.capabilities,
    };
    return HY_OK;
}

static void finish(struct hosted *hosted)
{
    hy_manifest_finish(&hosted->manifest);
    free(hosted->path);
    free(hosted->library);
}

/* ---- The two processes ----------------------------------------------------------------------- */

/* A third of the watchdog interval of the service manager; 0: no watchdog. */
static int64_t alive_distance(void)
{
    const struct hy_environment *environment = hy_environment();
    const char *text = environment ? environment->watchdog_usec : NULL;
    const long long microseconds = text ? strtoll(text, NULL, 10) : 0;

    return microseconds > 0 && microseconds < INT64_MAX / 1000 ? microseconds * 1000 / 3 : 0;
}

/* Shared memory for the counters of the host, still readable after the host has ended. */
static enum hy_code make_tally(struct hy_serve_tally **ret, struct hy_error *err)
{
    void *memory =
        mmap(NULL, sizeof **ret, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);

    if (memory == MAP_FAILED)
        return hy_fail(err, HY_OUT_OF_MEMORY, "shared counters: %s", strerror(errno));
    *ret = memory;
    return HY_OK;
}

/* Without an end page clients only get the status that the kernel reports. */
static struct hy_end_page make_end_page(void)
{
    struct hy_end_page page = {.fd = -1};
    struct hy_error err;

    if (hy_end_page_make(&page, &err) != HY_OK)
        hy_service_note(HY_LOG_INFO, err.text);
    return page;
}

/* The host ends when the listener asks for the end or has died. */
static int host(const struct hosted *hosted, const char *listen_address,
                struct hy_serve_tally *tally, int accept_channel, int end_page,
                uint32_t idle_seconds)
{
    const struct hy_service_settings *settings = hy_isolation_settings();
    struct hy_serve serve = hy_hosting();

    serve.control = accept_channel;
    serve.note = hy_service_note;
    serve.hang_timeout_ns = settings ? settings->hang_timeout_seconds * HY_SECOND : 0;
    serve.alive_ns = alive_distance();
    serve.end_page = end_page;
    serve.listen_address = listen_address;
    serve.tally = tally;
    signal(SIGPIPE, SIG_IGN);
    hy_log_lead_to(hy_serve_log);
    return hy_serve_many(&serve, &hosted->driver, idle_seconds);
}

static int part(const struct hosted *hosted, struct hy_listening *listening, uint32_t idle_seconds)
{
    struct hy_serve_tally *tally = NULL;
    char listen_address[HY_LISTENING_ADDRESS_SIZE];
    int ends[2];
    struct hy_error err;

    hy_listening_address(listening, listen_address);
    if (make_tally(&tally, &err) != HY_OK) {
        hy_listening_close(listening);
        return complain(&err);
    }
    if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends) != 0) {
        (void)hy_fail(&err, HY_FAILED, "door: %s", strerror(errno));
        hy_listening_close(listening);
        return complain(&err);
    }
    const struct hy_end_page end_page = make_end_page();
    (void)signal(SIGCHLD, SIG_DFL); /* with SIG_IGN, waitpid would return no status */
    hy_client_listener_block_signals();
    const pid_t child = fork();
    if (child == 0) {
        close(listening->fd);
        close(ends[0]);
        return host(hosted, listen_address, tally, ends[1], end_page.fd, idle_seconds);
    }
    close(ends[1]);
    if (child < 0) {
        (void)hy_fail(&err, HY_FAILED, "no process for the driver: %s", strerror(errno));
        close(ends[0]);
        hy_listening_close(listening);
        return complain(&err);
    }
    return hy_client_listener_run(listening, ends[0], child, &end_page, tally);
}

/* NULL: no path; the service manager may pass a socket */
static const char *socket_of(const struct hy_driverd_options *options, const struct hosted *hosted)
{
    if (options->socket)
        return options->socket;
    return hosted->path && *hosted->manifest.socket ? hosted->manifest.socket : NULL;
}

int hy_driverd_run_shared(const struct hy_driverd_options *options)
{
    struct hosted hosted = {0};
    struct hy_listening listening = {.fd = -1};
    struct hy_error err;

    (void)prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
    enum hy_code code = find_manifest(options, &hosted.path, &err);
    if (code == HY_OK)
        code = read_driver(hosted.path, &hosted, &err);
    if (code == HY_OK)
        code =
            hy_listening_open(socket_of(options, &hosted), options->socket_mode, &listening, &err);
    const int status =
        code == HY_OK ? part(&hosted, &listening, options->idle_seconds) : complain(&err);
    finish(&hosted);
    return status;
}
