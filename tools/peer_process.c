#include "tools/peer_process.h"

#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "common/clock.h"
#include "tools/command.h"
#include "tools/commands/model_command.h"

struct hy_peer_process {
    pid_t process;
    /* requests go to the process as uint32_t: first to get ready, later the number of runs. Replies
     * are uint64_t: one when ready, and one for each run */
    int socket;
};

static bool send_whole(int fd, const void *data, size_t size)
{
    const char *next = data;

    while (size > 0) {
        const ssize_t length = send(fd, next, size, MSG_NOSIGNAL);
        if (length < 0 && errno == EINTR)
            continue;
        if (length <= 0)
            return false;
        next += length;
        size -= (size_t)length;
    }
    return true;
}

static bool receive_whole(int fd, void *data, size_t size)
{
    char *next = data;

    while (size > 0) {
        const ssize_t length = recv(fd, next, size, 0);
        if (length < 0 && errno == EINTR)
            continue;
        if (length <= 0)
            return false;
        next += length;
        size -= (size_t)length;
    }
    return true;
}

/* ---- The other process ----------------------------------------------------------------------- */

static enum hy_code run_once(struct hy_session *session, int socket, struct hy_error *err)
{
    const uint64_t start = hy_clock_now();

    enum hy_code code = hy_session_run(session, err);
    const uint64_t elapsed = hy_clock_now() - start;
    if (code == HY_OK && !send_whole(socket, &elapsed, sizeof elapsed))
        code = hy_fail(err, HY_FAILED, "the parent process does not read the times");
    return code;
}

static enum hy_code serve(struct hy_session *session, const struct hy_peer_process_plan *plan,
                          int socket, struct hy_error *err)
{
    const uint64_t ready = 0;
    uint32_t count;
    enum hy_code code = hy_session_compile(session, err);

    for (uint32_t i = 0; code == HY_OK && i < plan->warmup; i++)
        code = hy_session_run(session, err);
    if (code == HY_OK && !send_whole(socket, &ready, sizeof ready))
        return HY_OK;
    while (code == HY_OK && receive_whole(socket, &count, sizeof count)) {
        for (uint32_t i = 0; code == HY_OK && i < count; i++)
            code = run_once(session, socket, err);
    }
    return code;
}

/* The first process reports an error of the command, and sends no request. */
static int run_peer(const struct hy_peer_process_plan *plan, int socket)
{
    struct hy_session_settings settings = *plan->settings;
    struct hy_device_selection devices;
    struct hy_session *session = NULL;
    struct hy_error err;
    uint32_t order;

    if (!receive_whole(socket, &order, sizeof order))
        return HY_EXIT_OK;
    unsetenv("HALYARD_ISOLATE");
    int status = hy_model_choose_devices("bench", plan->device_names, false, &devices);
    if (status != HY_EXIT_OK)
        return status;
    settings.selection = &devices;
    if (hy_session_open(plan->model, &settings, &session, &err) != HY_OK)
        return hy_exit_failed("bench", &err);
    status = hy_model_load_inputs("bench", session, plan->inputs, NULL);
    if (status == HY_EXIT_OK) {
        hy_session_fill_inputs(session, plan->inputs->count, HY_NOISE_SEED);
        if (serve(session, plan, socket, &err) != HY_OK)
            status = hy_exit_failed("bench, in one process", &err);
    }
    hy_session_close(session);
    return status;
}

/* ---- This one -------------------------------------------------------------------------------- */

enum hy_code hy_peer_process_start(const struct hy_peer_process_plan *plan,
                                   struct hy_peer_process **ret, struct hy_error *err)
{
    int ends[2];
    struct hy_peer_process *peer = calloc(1, sizeof *peer);
    if (!peer)
        return hy_fail(err, HY_OUT_OF_MEMORY, "a process for the comparison");
    if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0) {
        free(peer);
        return hy_fail(err, HY_FAILED, "socketpair: %s", strerror(errno));
    }

    peer->socket = ends[0];
    peer->process = fork();
    if (peer->process == 0) {
        (void)prctl(PR_SET_PDEATHSIG, SIGKILL);
        /* signals of a terminal: the process ends when the socket is closed */
        (void)signal(SIGINT, SIG_IGN);
        close(ends[0]);
        _exit(run_peer(plan, ends[1]));
    }
    close(ends[1]);
    if (peer->process < 0) {
        const enum hy_code code = hy_fail(err, HY_FAILED, "fork: %s", strerror(errno));
        hy_peer_process_end(peer);
        return code;
    }
    *ret = peer;
    return HY_OK;
}

void hy_peer_process_end(struct hy_peer_process *peer)
{
    if (!peer)
        return;
    close(peer->socket);
    if (peer->process > 0)
        (void)waitpid(peer->process, NULL, 0);
    free(peer);
}

enum hy_code hy_peer_process_prepare(struct hy_peer_process *peer, struct hy_error *err)
{
    const uint32_t order = 0;
    uint64_t ready;

    return send_whole(peer->socket, &order, sizeof order) &&
                   receive_whole(peer->socket, &ready, sizeof ready)
               ? HY_OK
               : hy_fail(err, HY_FAILED, "the comparison with drivers in the app does not start");
}

enum hy_code hy_peer_process_run(struct hy_peer_process *peer, uint32_t count, uint64_t *samples,
                                 struct hy_error *err)
{
    return send_whole(peer->socket, &count, sizeof count) &&
                   receive_whole(peer->socket, samples, count * sizeof *samples)
               ? HY_OK
               : hy_fail(err, HY_FAILED, "the comparison with drivers in the app has ended");
}
