#ifndef HY_CPU_FALLBACK_DEVICE_H
#define HY_CPU_FALLBACK_DEVICE_H

#include <stdatomic.h>
#include <stdbool.h>

#include "cpu_fallback/buffers/buffers.h"
#include "cpu_fallback/kernels/kernels.h"
#include "halyard/driver.h"

#define HY_CPU_TYPES 15u /* operand types FLOAT32 (0) to TENSOR_QUANT8_ASYMM_SIGNED (14) */

/* One device of the CPU driver. */
struct hy_cpu_device {
    const char *name;
    char build_id[64]; /* of the driver, and which kernels */
    const struct hy_host *host;
    const struct hy_kernel_table *kernels;
    uint32_t threads;                                  /* the most that one execution uses */
    uint64_t l2_bytes;                                 /* of one processor's second cache */
    bool is_caching;                                   /* it writes cache files if the host can */
    bool is_tuning;                                    /* it tunes models if the host can */
    atomic_bool has_told_note;                         /* hy_cpu_device_note(), to the log */
    struct hy_cpu_buffers buffers;                     /* that live, if it offers any */
    struct hy_performance performance;                 /* of everything */
    struct hy_operand_performance types[HY_CPU_TYPES]; /* the same, by operand type */
};

/* Sets all members but is_caching and is_tuning, which are off. `slowness` is time and energy
 * relative to halyard-cpu. */
void hy_cpu_device_init(struct hy_cpu_device *device, const char *name, const struct hy_host *host,
                        const struct hy_kernel_table *kernels, uint32_t threads, float slowness);

/* The table that serves all of them, and the same with buffers. */
extern const struct hy_device hy_cpu_device_table;
extern const struct hy_device hy_cpu_device_table_with_buffers;

#endif
