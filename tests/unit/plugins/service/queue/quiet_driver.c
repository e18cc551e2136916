/*
 * The CPU backend as a plugin that makes no system call: a thread that runs executions gives up
 * the right to them after a while. One that it makes all the same ends the process.
 */
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sched.h>
#include <stdlib.h>
#include <sys/prctl.h>

#include "cpu_fallback/cpu_device.h"
#include "tests/kit/scripted_driver.h"

/* So many executions are for finding out how long waits take. */
enum { WARM_UP = 60 };

static void forbid_system_calls(void)
{
    struct sock_filter rules[] = {BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_KILL_PROCESS)};
    const struct sock_fprog program = {.len = 1, .filter = rules};

    if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0)
        (void)prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program);
}

/* The app's thread has the first of the CPUs. */
static void bind_last_cpu(void)
{
    cpu_set_t cpus, one;
    int cpu = CPU_SETSIZE - 1;

    if (sched_getaffinity(0, sizeof cpus, &cpus) != 0)
        return;
    while (cpu > 0 && !CPU_ISSET(cpu, &cpus))
        cpu--;
    CPU_ZERO(&one);
    CPU_SET(cpu, &one);
    (void)sched_setaffinity(0, sizeof one, &one);
}

static int32_t execute(void *prepared, const struct hy_request *request,
                       const struct hy_run_options *options, struct hy_result *result)
{
    static _Thread_local int executions;

    if (++executions == 1)
        bind_last_cpu();
    if (executions == WARM_UP)
        forbid_system_calls();
    return hy_cpu_device_table.execute(prepared, request, options, result);
}

static int32_t create(const struct hy_host *host, const char *arguments,
                      const struct hy_message *message, void **instance)
{
    struct hy_cpu_device *device = malloc(sizeof *device);
    (void)arguments, (void)message;
    if (!device)
        return HY_STATUS_GENERAL_FAILURE;
    hy_cpu_device_init(device, "quiet", host, hy_kernels_fast(), 1, 1.0f);
    *instance = device;
    return HY_STATUS_OK;
}

const struct hy_driver *hy_driver_query(uint32_t host_abi)
{
    static struct scripted_driver script = {
        .driver = {.name = "quiet", .create = create, .destroy = free}};

    script.device = hy_cpu_device_table;
    script.device.execute = execute;
    return scripted_driver(host_abi, &script);
}
