#ifndef HY_TESTS_SCENARIOS_CONTRACT_KIT_ARGUMENT_CALLS_H
#define HY_TESTS_SCENARIOS_CONTRACT_KIT_ARGUMENT_CALLS_H

/* The four calls for setting an argument, behind a common interface. */
#include "fake_setup.h"

enum argument_call { INPUT, OUTPUT, INPUT_MEMORY, OUTPUT_MEMORY, ARGUMENT_CALLS };

/* INPUT and OUTPUT use `buffer`; the other setters use `memory` and `offset`. */
struct argument {
    int32_t index;
    const ANeuralNetworksOperandType *type;
    void *buffer;
    const ANeuralNetworksMemory *memory;
    size_t offset;
    size_t length;
};

/* Checks the contract of the call. The error text must contain `expected`. */
#define EXPECT_SET(argument_call, execution, argument, code, expected) \
    expect_set(__FILE__, __LINE__, argument_call, execution, argument, code, expected)
void expect_set(const char *file, int line, enum argument_call argument_call,
                ANeuralNetworksExecution *execution, const struct argument *argument, int code,
                const char *expected);

/* Memory backed by a file of zeros. */
ANeuralNetworksMemory *file_memory(int protect, size_t size);

/* Types of arguments: floats, and EXTENT quantised bytes. */
#define FLOATS(rank, dims) \
    &(const ANeuralNetworksOperandType) \
    { \
        ANEURALNETWORKS_TENSOR_FLOAT32, rank, dims, 0, 0 \
    }
#define QUANTISED(scale, zero) \
    &(const ANeuralNetworksOperandType) \
    { \
        ANEURALNETWORKS_TENSOR_QUANT8_ASYMM, 1, &(const uint32_t){EXTENT}, scale, zero \
    }

#endif
