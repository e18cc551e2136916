#include "driverd/shared.h"

#include "common/clock.h"
#include "driverd/doorman.h"
#include "driverd/hosting.h"
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
#include <sys/prctl.h>
#include <sys/socket.h>
#include <unistd.h>

static int complain(const struct hy_error *err)
{
    fprintf(stderr, "halyard-driverd: %s\n", err->text);
    return err->code == HY_BAD_DATA ? 2 : 1;
}

/* The lines of the service itself, at the level of HALYARD_LOG. */
static void note(int32_t level, const char *text)
{
    if (hy_log_enabled(level, "service"))
        fprintf(stderr, "halyard-driverd: %s\n", text);
}

/* ---- What is served -------------------------------------------------------------------------- */

struct hosted {
    struct hy_manifest manifest;
    char *library; /* NULL: the built-in driver */
    struct hy_serve_driver driver;
};

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
        code = hy_manifest_library(&hosted->manifest, manifest, HALYARD_PLUGIN_FOLDER,
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
    free(hosted->library);
}

/* ---- The two processes ----------------------------------------------------------------------- */

/* A third of what the service manager waits for a sign of life; 0: it does not wait. */
static int64_t alive_distance(void)
{
    const struct hy_environment *environment = hy_environment();
    const char *text = environment ? environment->watchdog_usec : NULL;
    const long long microseconds = text ? strtoll(text, NULL, 10) : 0;

    return microseconds > 0 && microseconds < INT64_MAX / 1000 ? microseconds * 1000 / 3 : 0;
}

/* It ends when the doorman says so, or has died. */
static int host(const struct hosted *hosted, int door, uint32_t idle_seconds)
{
    const struct hy_service_settings *settings = hy_isolation_settings();
    struct hy_serve serve = hy_hosting();

    serve.control = door;
    serve.note = note;
    serve.patience_ns = settings ? settings->patience_seconds * HY_SECOND : 0;
    serve.alive_ns = alive_distance();
    signal(SIGPIPE, SIG_IGN);
    hy_log_lead_to(hy_serve_log);
    return hy_serve_many(&serve, &hosted->driver, idle_seconds);
}

static int part(const struct hosted *hosted, struct hy_listening *listening, uint32_t idle_seconds)
{
    int ends[2];
    struct hy_error err;

    if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends) != 0) {
        (void)hy_fail(&err, HY_FAILED, "door: %s", strerror(errno));
        hy_listening_close(listening);
        return complain(&err);
    }
    hy_doorman_block_signals();
    const pid_t child = fork();
    if (child == 0) {
        close(listening->fd);
        close(ends[0]);
        return host(hosted, ends[1], idle_seconds);
    }
    close(ends[1]);
    if (child < 0) {
        (void)hy_fail(&err, HY_FAILED, "no process for the driver: %s", strerror(errno));
        close(ends[0]);
        hy_listening_close(listening);
        return complain(&err);
    }
    return hy_doorman_work(listening, ends[0], child);
}

int hy_driverd_share(const struct hy_driverd_options *options)
{
    struct hosted hosted = {0};
    struct hy_listening listening = {.fd = -1};
    struct hy_error err;

    (void)prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
    enum hy_code code = read_driver(options->manifest, &hosted, &err);
    if (code == HY_OK)
        code = hy_listening_open(options->socket, options->socket_mode, &listening, &err);
    const int status =
        code == HY_OK ? part(&hosted, &listening, options->idle_seconds) : complain(&err);
    finish(&hosted);
    return status;
}
