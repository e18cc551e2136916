#include "libhalyard/tflite/tflite_foreign.h"

#include <stddef.h>
#include <string.h>

#define USE_ORIGINAL "open the .tflite file that was compiled"

/* Operators whose options are programs for the processor of one vendor. */
static const struct {
    const char *name;
    const char *reason;
} compiled[] = {
    {"edgetpu-custom-op", "the file was compiled for Coral's Edge TPU; " USE_ORIGINAL},
    {"ethos-u", "the file was compiled for Arm's Ethos-U; " USE_ORIGINAL},
    {"NeutronGraph", "the file was compiled for NXP's Neutron; " USE_ORIGINAL},
    {"vsi-npu", "the file was compiled for VeriSilicon's processors; " USE_ORIGINAL},
    {"DISPATCH_OP", "the file was compiled for the processor of one vendor; " USE_ORIGINAL},
};

static const char *custom_reason(const char *name)
{
    for (size_t i = 0; i < sizeof compiled / sizeof *compiled; i++) {
        if (strcmp(name, compiled[i].name) == 0)
            return compiled[i].reason;
    }
    if (strstr(name, "Grad") || strstr(name, "Backprop"))
        return "an operator of training; convert the network for inference";
    if (strncmp(name, "Flex", 4) == 0)
        return "an operator of TensorFlow itself; convert with TFLITE_BUILTINS only";
    return "a custom operator of an unknown library";
}

#define NO_MARK "a marker for interpreters, not an operator of files"
#define NO_TEXT "strings are supported only in lookups in tables"

/* Unsupported built-in operators, with the same texts as docs/tflite.md. */
static const char *const builtin[HY_TFLITE_OP_COUNT] = {
    [HY_TFLITE_OP_CONCAT_EMBEDDINGS] = "an operator that no interpreter supports",
    [HY_TFLITE_OP_DELEGATE] = NO_MARK,
    [HY_TFLITE_OP_PLACEHOLDER_FOR_GREATER_OP_CODES] = NO_MARK,
    [HY_TFLITE_OP_SKIP_GRAM] = NO_TEXT,
};

const char *hy_tflite_foreign_reason(enum hy_tflite_op op, const char *custom_name)
{
    if (custom_name)
        return custom_reason(custom_name);
    if (strncmp(hy_tflite_op_name(op), "STABLEHLO_", 10) == 0)
        return "an operator of StableHLO; convert the network with the built-in operators of "
               "TensorFlow Lite";
    return builtin[op];
}
