#include "cpu_fallback/kernels/tile_permission.h"

#if defined(HY_KERNELS_X86)

#include <cpuid.h>
#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "cpu_fallback/kernels/fast/simd/tiles.h"

/* Documentation/arch/x86/xstate.rst */
#define GET_XCOMP_SUPP 0x1021
#define REQ_XCOMP_PERM 0x1023
#define GET_XCOMP_PERM 0x1022

#define TILE_CONFIG_STATE 17
#define TILE_DATA_STATE   18

/* CPUID 7, EDX */
#define AMX_TILE (1u << 24)
#define AMX_INT8 (1u << 25)

/* ---- The machine ----------------------------------------------------------------------------- */

/* The states that the kernel saves. */
static uint64_t saved_states(void)
{
    uint32_t low, high;

    __asm__ volatile("xgetbv" : "=a"(low), "=d"(high) : "c"(0));
    return (uint64_t)high << 32 | low;
}

static bool processor_has_tiles(void)
{
    const uint64_t needed = 1u << TILE_CONFIG_STATE | 1u << TILE_DATA_STATE;
    unsigned eax, ebx, ecx, edx;

    if (!__get_cpuid(1, &eax, &ebx, &ecx, &edx) || !(ecx & bit_OSXSAVE))
        return false;
    if (!__get_cpuid_count(7, 0, &eax, &ebx, &ecx, &edx) || !(edx & AMX_TILE) || !(edx & AMX_INT8))
        return false;
    return (saved_states() & needed) == needed;
}

static int ask_kernel(int code, uintptr_t argument)
{
    return syscall(SYS_arch_prctl, code, argument) == 0 ? 0 : errno;
}

/*
 * Some guests lose what is in tiles when a thread leaves its processor. Sums of 64 products each
 * are begun, the thread offers its processor to others, and the sums are compared.
 */
#define CHECKED_SUMS 256 /* of a tile */

static bool tiles_compute(void)
{
    static const struct tile_config config = {
        .palette = 1, .row_bytes = {64, 64, 64}, .rows = {16, 16, 16}};
    int8_t left[TILE_ROWS][TILE_ROW_BYTES], right[TILE_ROWS][TILE_ROW_BYTES];
    int32_t sums[CHECKED_SUMS];
    struct tile_config before;
    bool are_right = true;

    for (int i = 0; i < TILE_ROWS * TILE_ROW_BYTES; i++) {
        left[i / TILE_ROW_BYTES][i % TILE_ROW_BYTES] = (int8_t)(i / TILE_ROW_BYTES - 7);
        right[i / TILE_ROW_BYTES][i % TILE_ROW_BYTES] = (int8_t)(i % TILE_ROW_BYTES / 4 + 1);
    }
    tiles_hold(&config, &before);
    tile_zero(0);
    tile_load(1, left, TILE_ROW_BYTES);
    tile_load(2, right, TILE_ROW_BYTES);
    tile_dot_ss(0, 1, 2);
    sched_yield();
    tile_dot_ss(0, 1, 2);
    tile_store(0, sums, TILE_ROW_BYTES);
    tiles_give_back(&before);
    for (int i = 0; i < CHECKED_SUMS; i++)
        are_right = are_right && sums[i] == 2 * 64 * (i / 16 - 7) * (i % 16 + 1);
    return are_right;
}

/* ---- What is asked --------------------------------------------------------------------------- */

const char *hy_tiles_missing(const struct hy_tile_system *system)
{
    uint64_t states = 0;

    if (!system->processor_has())
        return "the processor has no AMX, or its kernel does not save the tiles";
    if (system->arch_prctl(GET_XCOMP_SUPP, (uintptr_t)&states) != 0 ||
        !(states & 1u << TILE_DATA_STATE))
        return "the kernel gives no process AMX: Linux 5.16 and later do";
    return NULL;
}

const char *hy_tiles_refused(const struct hy_tile_system *system)
{
    uint64_t states = 0;

    switch (system->arch_prctl(REQ_XCOMP_PERM, TILE_DATA_STATE)) {
    case 0:
        break;
    case ENOSPC:
        return "AMX is refused: a thread has an alternate signal stack of less than 11,952 bytes";
    case EPERM:
        return "AMX is refused: a system call filter forbids to ask for it";
    default:
        return "AMX is refused by the kernel";
    }
    if (system->arch_prctl(GET_XCOMP_PERM, (uintptr_t)&states) != 0 ||
        !(states & 1u << TILE_DATA_STATE))
        return "AMX is refused: the kernel grants it and does not give it";
    if (!system->compute())
        return "AMX is left alone: tiles lose their content when a thread waits, as in some guests";
    return NULL;
}

/* ---- Once ------------------------------------------------------------------------------------ */

static const struct hy_tile_system machine = {processor_has_tiles, ask_kernel, tiles_compute};

static const char *missing;
static _Atomic(const char *) refused;
static atomic_bool is_granted;

static void look(void)
{
    missing = hy_tiles_missing(&machine);
}

bool hy_tiles_exist(void)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;

    (void)pthread_once(&once, look);
    return !missing;
}

static void ask(void)
{
    const char *reason = hy_tiles_exist() ? hy_tiles_refused(&machine) : missing;

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
    return "the processor has no AMX";
}

#endif
