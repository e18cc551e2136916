#ifndef HY_CPU_FALLBACK_CPU_DEVICE_H
#define HY_CPU_FALLBACK_CPU_DEVICE_H

#include <stdatomic.h>
#include <stdbool.h>

#include "cpu_fallback/buffers/buffers.h"
#include "cpu_fallback/kernels/kernels.h"
#include "halyard/driver.h"

#define HY_CPU_TYPES 15u

/* One device of the CPU driver. */
struct hy_cpu_device {
    const char *name;
    char build_id[64]; /* build of the driver and name of the kernels */
    const struct hy_host *host;
    const struct hy_kernel_table *kernels;
    uint32_t threads;                  /* maximum per execution */
    uint64_t l2_bytes;                 /* L2 cache of one core */
    bool is_caching;                   /* writes cache files if the host can */
    bool is_tuning;                    /* tunes models if the host can */
    atomic_bool has_reported_note;     /* hy_cpu_device_note() has been logged */
    struct hy_cpu_buffers buffers;     /* live buffers, if the device offers buffers */
    struct hy_performance performance; /* for every operand type */
    struct hy_operand_performance types[HY_CPU_TYPES]; /* the same values per operand type */
};

/* Sets all members; is_caching and is_tuning are off. `slowness` is time and energy relative to
 * halyard-cpu. */
void hy_cpu_device_init(struct hy_cpu_device *device, const char *name, const struct hy_host *host,
                        const struct hy_kernel_table *kernels, uint32_t threads, float slowness);

/* The function tables of all CPU devices, without and with buffers. */
extern const struct hy_device hy_cpu_device_table;
extern const struct hy_device hy_cpu_device_table_with_buffers;

#endif
