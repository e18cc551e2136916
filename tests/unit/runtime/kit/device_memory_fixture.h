#ifndef HY_TESTS_UNIT_RUNTIME_KIT_DEVICE_MEMORY_FIXTURE_H
#define HY_TESTS_UNIT_RUNTIME_KIT_DEVICE_MEMORY_FIXTURE_H

/* Two devices with their own memory, and a CPU device. */
#include "domain_fixture.h"

static const float input[EXTENT] = {1, -2, 3.25f, 0};
static const float result[EXTENT] = {3, 0, 10, 0}; /* of chain_model */
static struct buffer_device npu, gpu;
static struct fake_device cpu;

static inline void init_devices(uint32_t npu_operations)
{
    buffer_device_init(&npu, "acme-npu", HALYARD_DEVICE_IN_PROCESS, .5f, npu_operations);
    buffer_device_init(&gpu, "acme-gpu", HALYARD_DEVICE_IN_PROCESS, .7f, FAKE_ALL);
    fake_device_init(&cpu, "halyard-cpu", HALYARD_DEVICE_BUILT_IN, 1, FAKE_ALL);
}

/* Compiles for the npu and the cpu, with explicit or implicit devices. */
static inline struct hy_compilation *compiled(struct hy_app_model *model, bool explicit_devices)
{
    struct fake_device *const both[] = {&npu.fake, &cpu};
    return compile(model, both, 2, explicit_devices, NULL);
}

static inline struct hy_compilation *compiled_for(struct hy_app_model *model,
                                                  struct buffer_device *device)
{
    struct fake_device *const one[] = {&device->fake};
    return compile(model, one, 1, true, NULL);
}

static inline uint32_t kind_of(const struct hy_memory *memory)
{
    return memory ? hy_memory_pool(memory)->kind : 0;
}

#endif
