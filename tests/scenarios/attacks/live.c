#include "live.h"

#include "common/clock.h"
#include "plugins/discovery/manifest.h"
#include "plugins/service/wire/pools.h"
#include "tests/kit/sanitizers.h"
#include "tests/scenarios/service/shared/raw_client.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

/* What an allocator keeps back; AddressSanitizer remembers each thread that there has been. */
#ifdef HY_WITH_ADDRESS_SANITIZER
enum { MOST_MORE_KIB = 1 << 20 };
#else
enum { MOST_MORE_KIB = 64 << 10 };
#endif

enum {
    ATTACKER = 54321, /* a user that nobody is */
    STILL_MS = 200,
    REST_MS = 60000,  /* until what attackers held is gone */
    PIECES_FROM = 20, /* of memory, as powers of two */
    PIECES_TO = 38,
};

struct live {
    struct shared_service service;
    struct hy_opening opening;
    struct hy_manifest manifest;
    char *library;
    struct bystander bystander;
    pid_t host;
    struct holdings rest;
    uint64_t mappable; /* bytes, by one client of the attacker's user */
    long memory;       /* KiB of its own */
    bool is_started;
};

static struct live lives[LIVE_DRIVERS];
static pid_t private_service;

/* ---- The end --------------------------------------------------------------------------------- */

static bool is_clean(struct live *live)
{
    static const char *const reports[] = {"Sanitizer", "runtime error:"};
    bool clean = true;

    for (size_t i = 0; i < sizeof reports / sizeof *reports; i++)
        clean &= shared_service_count(&live->service, reports[i]) == 0;
    return clean;
}

/* What a log has beside who came and left, since it is about to go. */
static void print_log(const struct live *live)
{
    char line[1024];
    FILE *file = fopen(live->service.log, "r");

    while (file && fgets(line, sizeof line, file)) {
        if (!strstr(line, " has come") && !strstr(line, " has left"))
            fputs(line, stderr);
    }
    if (file)
        fclose(file);
}

static void print_descriptors(const struct live *live)
{
    char path[128], target[256];

    for (int fd = 0; fd < 64; fd++) {
        snprintf(path, sizeof path, "/proc/%d/fd/%d", (int)live->host, fd);
        const ssize_t length = readlink(path, target, sizeof target - 1);
        if (length > 0)
            fprintf(stderr, "  %d: %.*s\n", fd, (int)length, target);
    }
}

void live_fail(const char *format, ...)
{
    static atomic_flag failed = ATOMIC_FLAG_INIT;
    va_list arguments;

    while (atomic_flag_test_and_set(&failed)) /* one is enough; it ends the program */
        pause();
    va_start(arguments, format);
    fputs("attack: ", stderr);
    vfprintf(stderr, format, arguments);
    fputc('\n', stderr);
    va_end(arguments);
    for (int i = 0; i < LIVE_DRIVERS; i++) {
        if (lives[i].is_started) {
            print_log(&lives[i]);
            shared_service_finish(&lives[i].service);
        }
    }
    if (private_service > 0)
        kill(private_service, SIGKILL);
    abort();
}

/* KiB that the process has touched and nobody else has. */
static long own_memory(pid_t process)
{
    char path[64], line[256];
    long kib = 0;

    snprintf(path, sizeof path, "/proc/%d/status", (int)process);
    FILE *file = fopen(path, "r");
    while (file && fgets(line, sizeof line, file) && sscanf(line, "RssAnon: %ld", &kib) != 1)
        ;
    if (file)
        fclose(file);
    return kib;
}

static void end_all(void)
{
    for (int i = 0; i < LIVE_DRIVERS; i++) {
        struct live *live = &lives[i];
        if (!live->is_started)
            continue;
        bystander_stop(&live->bystander);
        const long more = own_memory(live->host) - live->memory;
        const int status = shared_service_end(&live->service, SIGTERM);
        if (status != 0 || !is_clean(live))
            live_fail("the service ended with status %d", status);
        printf("%s: %u right sums of a bystander, %ld KiB of memory more than in the beginning\n",
               *live->opening.library ? "the sample driver" : "halyard-cpu",
               atomic_load(&live->bystander.sums), more);
        live->is_started = false;
        shared_service_finish(&live->service);
        free(live->library);
        hy_manifest_finish(&live->manifest);
    }
}

/* ---- The beginning --------------------------------------------------------------------------- */

static void receive_line(void *context, int32_t level, const char *text)
{
    (void)context;
    (void)level;
    (void)text;
}

static void read_sample(struct live *live)
{
    static const struct hy_host host = {
        .struct_size = sizeof host, .abi = HY_DRIVER_ABI, .log = receive_line};
    struct hy_error err;

    if (hy_manifest_read(SAMPLE_MANIFEST, &host, &live->manifest, &err) != HY_OK ||
        hy_manifest_library(&live->manifest, SAMPLE_MANIFEST, NULL, &live->library, &err) != HY_OK)
        live_fail("%s", err.text);
    live->opening =
        (struct hy_opening){.library = live->library, .arguments = live->manifest.arguments};
}

void live_start(enum live_driver driver)
{
    static const char *const cpu[] = {"--cpu", "--socket-mode", "0666", "--idle-seconds", "60",
                                      NULL};
    static const char *const sample[] = {
        "--manifest", SAMPLE_MANIFEST, "--socket-mode", "0666", "--idle-seconds", "60", NULL};
    struct live *live = &lives[driver];
    int status;

    if (live->is_started)
        return;
    signal(SIGPIPE, SIG_IGN);
    live->opening = (struct hy_opening){.library = "", .arguments = "{}"};
    if (driver == LIVE_SAMPLE)
        read_sample(live);
    if (!shared_service_init(&live->service))
        live_fail("no folder");
    live->is_started = true;
    if (!shared_service_start(&live->service, driver == LIVE_CPU ? cpu : sample, &status))
        live_fail("the service does not start");
    if (atexit(end_all) != 0)
        live_fail("atexit");
    live->host = shared_service_host(&live->service);
    live->bystander.socket = live->service.socket;
    live->bystander.opening = &live->opening;
    live->bystander.may_be_refused = geteuid() != 0;
    live->bystander.fail = live_fail;
    if (!bystander_start(&live->bystander))
        live_fail("no bystander");
}

const struct hy_opening *live_opening(enum live_driver driver)
{
    return &lives[driver].opening;
}

const char *live_socket(enum live_driver driver)
{
    return lives[driver].service.socket;
}

/* ---- Connections ----------------------------------------------------------------------------- */

/* The system call is the thread's alone, and so are the credentials that the service looks at. */
void live_be_attacker(bool is_attacker)
{
    if (getuid() == 0 && syscall(SYS_setresuid, -1, is_attacker ? ATTACKER : 0, -1) != 0)
        live_fail("setresuid");
}

int live_connect(enum live_driver driver)
{
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    const int fd = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0);

    strcpy(address.sun_path, live_socket(driver));
    live_be_attacker(true);
    const int result = connect(fd, (const struct sockaddr *)&address, sizeof address);
    live_be_attacker(false);
    if (fd < 0 || result != 0)
        live_fail("nobody listens at %s", address.sun_path);
    return fd;
}

int live_start_private(void)
{
    char name[] = "halyard-driverd", mode[] = "--private", *arguments[] = {name, mode, NULL};
    posix_spawn_file_actions_t actions;
    int ends[2];

    if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends) != 0)
        live_fail("no control socket");
    if (ends[1] == 3) /* dup2 to itself would leave it closed on exec */
        ends[1] = fcntl(3, F_DUPFD_CLOEXEC, 10);
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_adddup2(&actions, ends[1], 3);
    posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, lives[LIVE_CPU].service.log,
                                     O_WRONLY | O_CREAT | O_APPEND, 0644);
    if (posix_spawn(&private_service, DRIVERD_PATH, &actions, NULL, arguments, environ) != 0)
        live_fail("%s does not start", DRIVERD_PATH);
    posix_spawn_file_actions_destroy(&actions);
    close(ends[1]);
    return ends[0];
}

void live_await_private(void)
{
    const int end = (int)syscall(SYS_pidfd_open, private_service, 0);
    struct pollfd look = {.fd = end, .events = POLLIN};
    int status = 0;

    if (poll(&look, 1, TIMEOUT_MS) != 1)
        live_fail("a private service stays when its app has gone");
    close(end);
    waitpid(private_service, &status, 0);
    private_service = 0;
    if (WIFSIGNALED(status))
        live_fail("a private service has died of signal %d", WTERMSIG(status));
}

/* ---- What it holds --------------------------------------------------------------------------- */

static bool are_no_more(const struct holdings *now, const struct holdings *most)
{
    return now->fds <= most->fds && now->threads <= most->threads &&
           now->shared_maps <= most->shared_maps;
}

/* All that one client may have, piece by piece; it goes with the client. */
static uint64_t map_all(struct live *live)
{
    const int fd = memfd_create("attack", MFD_CLOEXEC);
    struct raw_client client;
    uint64_t sum = 0;

    live_be_attacker(true);
    const bool begun =
        raw_begin(&client, live->service.socket, live->opening.library, live->opening.arguments);
    live_be_attacker(false);
    if (!begun || ftruncate(fd, (off_t)(UINT64_C(1) << PIECES_TO)) != 0)
        live_fail("the attacker's user is not let in any more: %s", client.error_text);
    for (int piece = PIECES_TO; piece >= PIECES_FROM; piece--) {
        const struct hy_pool pool = {.kind = HY_POOL_ASHMEM,
                                     .protection = HY_PROTECT_READ,
                                     .fd = fd,
                                     .id = (uint64_t)piece,
                                     .size = UINT64_C(1) << piece};
        raw_call(&client, HY_WIRE_MEMORY_ADD, pool.id);
        hy_memory_pack(&client.call.body, &pool);
        if (raw_make(&client) == HY_STATUS_OK)
            sum += pool.size;
    }
    raw_close(&client);
    close(fd);
    return sum;
}

static int64_t now_ms(void)
{
    return hy_clock_read(CLOCK_MONOTONIC) / HY_MILLISECOND;
}

/* Until what it holds has stayed the same for a while. */
static struct holdings hold_still(const struct live *live)
{
    struct holdings before = {0}, now = {0};

    for (int waited = 0; waited < REST_MS; waited += STILL_MS) {
        before = now;
        poll(NULL, 0, STILL_MS);
        (void)holdings_of(live->host, &now);
        if (waited > 0 && before.fds == now.fds && before.threads == now.threads &&
            before.shared_maps == now.shared_maps)
            break;
    }
    return now;
}

static void await_rest(const struct live *live)
{
    const int64_t end = now_ms() + REST_MS;
    struct holdings now = {0};

    while (now_ms() < end) {
        if (holdings_of(live->host, &now) && are_no_more(&now, &live->rest))
            return;
        poll(NULL, 0, 5);
    }
    print_descriptors(live);
    live_fail("the service holds %u descriptors, %u threads, %u shared maps; it had %u, %u, %u",
              now.fds, now.threads, now.shared_maps, live->rest.fds, live->rest.threads,
              live->rest.shared_maps);
}

void live_note_rest(enum live_driver driver)
{
    struct live *live = &lives[driver];

    live->mappable = map_all(live);
    live->rest = hold_still(live);
    live->memory = own_memory(live->host);
}

void live_expect_rest(enum live_driver driver)
{
    struct live *live = &lives[driver];
    const unsigned sums = atomic_load(&live->bystander.sums);

    await_rest(live);
    const uint64_t mappable = map_all(live);
    if (mappable < live->mappable)
        live_fail("the attacker's user may map %llu bytes of the %llu before",
                  (unsigned long long)mappable, (unsigned long long)live->mappable);
    await_rest(live);
    if (shared_service_host(&live->service) != live->host)
        live_fail("the process of the service is not the one of before");
    if (!is_clean(live))
        live_fail("a sanitizer has found something");
    const long more = own_memory(live->host) - live->memory;
    if (more > MOST_MORE_KIB)
        live_fail("the service has %ld KiB more of memory than before", more);
    for (int waited = 0; atomic_load(&live->bystander.sums) == sums; waited += 5) {
        if (waited >= TIMEOUT_MS)
            live_fail("the bystander is not served any more");
        poll(NULL, 0, 5);
    }
}
