#include "cpu_fallback/kernels/tile_permission.h"

#include <stddef.h>

#if defined(HY_KERNELS_X86)

#include <cpuid.h>
#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "cpu_fallback/kernels/tile_check.h"

/* Documentation/arch/x86/xstate.rst */
#define GET_XCOMP_SUPP 0x1021
#define REQ_XCOMP_PERM 0x1023
#define GET_XCOMP_PERM 0x1022

#define TILE_CONFIG_STATE 17
#define TILE_DATA_STATE   18

/* CPUID 7, EDX */
#define AMX_TILE (1u << 24)
#define AMX_INT8 (1u << 25)

/* ---- The processor and the kernel ------------------------------------------------------------ */

/* The states saved by the kernel. */
static uint64_t saved_states(void)
{
    uint32_t low, high;

    __asm__ volatile("xgetbv" : "=a"(low), "=d"(high) : "c"(0));
    return (uint64_t)high << 32 | low;
}

static bool processor_has_tiles(void)
{
    unsigned eax, ebx, ecx, edx;

    return __get_cpuid_count(7, 0, &eax, &ebx, &ecx, &edx) && edx & AMX_TILE && edx & AMX_INT8;
}

static bool kernel_saves_tiles(void)
{
    const uint64_t needed = 1u << TILE_CONFIG_STATE | 1u << TILE_DATA_STATE;
    unsigned eax, ebx, ecx, edx;

    return __get_cpuid(1, &eax, &ebx, &ecx, &edx) && ecx & bit_OSXSAVE &&
           (saved_states() & needed) == needed;
}

static int ask_kernel(int code, uintptr_t argument)
{
    return syscall(SYS_arch_prctl, code, argument) == 0 ? 0 : errno;
}

/* ---- Requests -------------------------------------------------------------------------------- */

const char *hy_tiles_missing(const struct hy_tile_system *system)
{
    uint64_t states = 0;

    if (!system->kernel_saves())
        return "no AMX: the kernel does not save tiles";
    if (system->arch_prctl(GET_XCOMP_SUPP, (uintptr_t)&states) != 0 ||
        !(states & 1u << TILE_DATA_STATE))
        return "no AMX: the kernel does not offer AMX to processes (needs Linux 5.16)";
    return NULL;
}

const char *hy_tiles_refused(const struct hy_tile_system *system)
{
    uint64_t states = 0;

    switch (system->arch_prctl(REQ_XCOMP_PERM, TILE_DATA_STATE)) {
    case 0:
        break;
    case ENOSPC:
        return "no AMX: a thread has an alternate signal stack of less than 11,952 bytes";
    case EPERM:
        return "no AMX: a filter of system calls forbids the request";
    default:
        return "no AMX: the kernel refuses the request";
    }
    if (system->arch_prctl(GET_XCOMP_PERM, (uintptr_t)&states) != 0 ||
        !(states & 1u << TILE_DATA_STATE))
        return "no AMX: the kernel accepted the request without effect";
    if (!system->compute())
        return "no AMX: products of tiles were wrong, as in guests that lose tiles of waiting "
               "threads";
    return NULL;
}

/* ---- Once per process ------------------------------------------------------------------------ */

static const struct hy_tile_system host_system = {kernel_saves_tiles, ask_kernel, hy_tiles_compute};

static bool processor_has;
static const char *missing;
static _Atomic(const char *) refused;
static atomic_bool is_granted;

static void look(void)
{
    processor_has = processor_has_tiles();
    missing = processor_has ? hy_tiles_missing(&host_system) : NULL;
}

bool hy_tiles_exist(void)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;

    (void)pthread_once(&once, look);
    return processor_has && !missing;
}

static void ask(void)
{
    if (!hy_tiles_exist())
        return;
    const char *reason = hy_tiles_refused(&host_system);
    atomic_store(&refused, reason);
    atomic_store(&is_granted, reason == NULL);
}

int hy_tiles_ask(void)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;

    (void)pthread_once(&once, ask);
    return atomic_load(&is_granted);
}

const char *hy_tiles_refusal(void)
{
    return hy_tiles_exist() ? atomic_load(&refused) : missing;
}

#else

bool hy_tiles_exist(void)
{
    return false;
}

int hy_tiles_ask(void)
{
    return 0;
}

const char *hy_tiles_refusal(void)
{
    return NULL;
}

#endif
