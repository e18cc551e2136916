#include "driverd/hosting.h"

#include "cpu_fallback/cpu_driver.h"
#include "driverd/memory_limit.h"
#include "driverd/oom_score.h"
#include "driverd/refusals.h"
#include "driverd/sandbox.h"
#include "driverd/service_state_dir.h"
#include "plugins/discovery/manifest.h"
#include "runtime/drivers/host.h"
#include "runtime/environment.h"

#include <linux/capability.h>
#include <malloc.h>
#include <pthread.h>

static char *state_dir; /* lives as long as the process */

static struct hy_file_rules rules_for(const struct hy_serve_driver *driver)
{
    return (struct hy_file_rules){
        .library = *driver->library ? driver->library : NULL,
        .state_dir = state_dir,
        .device_files = driver->device_files,
        .device_file_count = driver->device_file_count,
    };
}

static uint64_t capabilities_for(const struct hy_serve_driver *driver)
{
    return (driver->capabilities & HY_MANIFEST_IPC_LOCK ? UINT64_C(1) << CAP_IPC_LOCK : 0) |
           (driver->capabilities & HY_MANIFEST_SYS_NICE ? UINT64_C(1) << CAP_SYS_NICE : 0);
}

/* Without a state directory the driver works, but has no cache of its own. */
static void confine(void *context, const struct hy_serve_driver *driver)
{
    struct hy_error err;

    (void)context;
    if (hy_service_state_dir(driver->library, &state_dir, &err) != HY_OK)
        hy_serve_note(HY_LOG_INFO, err.text);
    const struct hy_file_rules rules = rules_for(driver);
    hy_sandbox_enter(&rules, capabilities_for(driver), hy_serve_log);
}

static void confine_further(void *context, const struct hy_serve_driver *driver)
{
    const struct hy_file_rules rules = rules_for(driver);

    (void)context;
    hy_sandbox_tighten(&rules);
}

/* Runs for each reply to a client that asks for the description. A client may disconnect after the
 * reply, so refusals are logged first. */
static const char *describe_sandbox(void *context)
{
    static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

    (void)context;
    pthread_mutex_lock(&lock);
    hy_refusals_flush();
    pthread_mutex_unlock(&lock);
    return hy_sandbox_description();
}

/*
 * Makes malloc use one arena. With several arenas libc opens a file when a thread ends, to check
 * for overcommit. All signals are blocked at this time, so the filter would end the process.
 */
static void use_one_arena(void)
{
#ifdef M_ARENA_MAX
    (void)mallopt(M_ARENA_MAX, 1);
#endif
}

struct hy_serve hy_hosting(void)
{
    const struct hy_environment *environment = hy_environment();
    enum hy_burst_wait burst_wait;

    /* An unknown name is reported in the app, not here. */
    (void)hy_burst_wait_parse(environment ? environment->burst_wait : NULL, &burst_wait);
    use_one_arena();
    hy_oom_score_raise();
    return (struct hy_serve){
        .hosts = hy_runtime_hosts(),
        .built_in = hy_cpu_driver(),
        .burst_wait = burst_wait,
        .memory_limit = hy_driverd_memory_limit(environment ? environment->service_memory : NULL),
        .end_page = -1,
        .confine = confine,
        .confine_further = confine_further,
        .describe_sandbox = describe_sandbox,
    };
}
