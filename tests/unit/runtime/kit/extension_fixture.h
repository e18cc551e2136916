#ifndef HY_TESTS_RUNTIME_EXTENSION_FIXTURE_H
#define HY_TESTS_RUNTIME_EXTENSION_FIXTURE_H

/* Devices with an extension, and models with the extension's operations. */
#include "runtime/extension/extension.h"
#include "tests/kit/test.h"
#include "tests/unit/runtime/kit/plan_fixture.h"

enum { PAIR = 1, KEY = 2, DOUBLE_IT = 3 }; /* codes in the test extensions */

/* Operand types: a tensor of 8-byte elements, a scalar of 6 bytes. */
static const struct hy_extension_operand_type pair_and_key[] = {
    {.code = KEY, .is_tensor = 0, .byte_size = 6},
    {.code = PAIR, .is_tensor = 1, .byte_size = 8},
};

static inline int32_t code_of(const char *name, uint16_t code)
{
    uint32_t prefix;
    return hy_extension_prefix(name, &prefix, NULL) == HY_OK ? (int32_t)(prefix << 16 | code) : -1;
}

/* Adds an extension to a device; `extension` must outlive the device. */
static inline void offer(struct fake_device *fake, struct hy_extension *extension, const char *name)
{
    *extension =
        (struct hy_extension){.name = name, .operand_types = pair_and_key, .operand_type_count = 2};
    fake->device.info.extensions = extension;
    fake->device.info.extension_count = 1;
    fake->extension_operation = code_of(name, DOUBLE_IT);
    EXPECT_INT(hy_extensions_learn(&fake->device.info, NULL), HY_OK);
}

static inline void init_npu(struct fake_device *fake, uint32_t operations)
{
    fake_device_init(fake, "acme-npu", HALYARD_DEVICE_IN_PROCESS, 1, operations);
}

/* Adds an extension to a device. The extension has a single operand type and a single operation. */
static inline void offer_one(struct fake_device *fake, struct hy_extension *extension,
                             const char *name, const struct hy_extension_operand_type *type,
                             uint16_t operation)
{
    *extension =
        (struct hy_extension){.name = name, .operand_types = type, .operand_type_count = 1};
    fake->device.info.extensions = extension;
    fake->device.info.extension_count = 1;
    fake->extension_operation = code_of(name, operation);
    EXPECT_INT(hy_extensions_learn(&fake->device.info, NULL), HY_OK);
}

/* y = DOUBLE_IT(RELU(x)), with DOUBLE_IT from the extension. */
static inline struct hy_app_model *double_model(const char *name)
{
    struct fixture f = fixture_create();
    uint32_t x = floats(&f, EXTENT), a = floats(&f, EXTENT), y = floats(&f, EXTENT);
    bool ok = relu(&f, x, a) == HY_OK && op(&f, code_of(name, DOUBLE_IT), 1, &a, y) == HY_OK &&
              identify(&f, x, y) == HY_OK && finish(&f) == HY_OK;
    if (!ok)
        fixture_free(&f);
    return f.model;
}

#endif
