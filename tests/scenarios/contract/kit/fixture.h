#ifndef HY_TESTS_SCENARIOS_CONTRACT_KIT_FIXTURE_H
#define HY_TESTS_SCENARIOS_CONTRACT_KIT_FIXTURE_H

/* Objects in each state, created through the API. A failed creation returns NULL and records a test
 * failure. */
#include "contract.h"

#include <stddef.h>

#define EXTENT      4u /* of the tensors below */
#define TENSOR_SIZE (EXTENT * sizeof(float))

extern const ANeuralNetworksOperandType float_tensor; /* FLOAT32 [EXTENT] */
extern const ANeuralNetworksOperandType open_tensor;  /* FLOAT32 [0] */
extern const ANeuralNetworksOperandType int32_scalar;

/* ---- Models ---------------------------------------------------------------------------------- */

enum model_state {
    MODEL_BUILDING,
    MODEL_FINISHED,
    MODEL_INVALID,
};

/* An unfinished model with the given operands and no operations. */
ANeuralNetworksModel *model_of(uint32_t count, const ANeuralNetworksOperandType *operands);

/* A model with one RELU from operand 0 to operand 1, with inputs and outputs identified.
 * MODEL_INVALID models have an additional unused operand. */
ANeuralNetworksModel *relu_model(enum model_state state);

/* A finished RELU model for tensors of the given type. */
ANeuralNetworksModel *relu_of(const ANeuralNetworksOperandType *tensor);

/* ---- Devices --------------------------------------------------------------------------------- */

uint32_t device_count(void);
ANeuralNetworksDevice *device_named(const char *name);

/* ---- Compilations ---------------------------------------------------------------------------- */

enum compilation_state {
    COMPILATION_BUILDING,
    COMPILATION_FINISHED,
    COMPILATION_FAILED,
};

enum device_selection {
    ALL_DEVICES, /* Compilation_create */
    ONE_DEVICE,  /* createForDevices: halyard-cpu */
    TWO_DEVICES, /* createForDevices: halyard-cpu, nnapi-reference */
};

/* A compilation with its model, since the model must live longer. */
struct compiled {
    ANeuralNetworksModel *model;
    ANeuralNetworksCompilation *compilation;
};

/* Takes ownership of the finished model. */
struct compiled compiled_start(ANeuralNetworksModel *model, enum device_selection selection);

/* A compilation of a RELU model. COMPILATION_FAILED uses a model with an unsupported extension
 * operation. */
struct compiled compiled_in(enum compilation_state state, enum device_selection selection);

/* A finished compilation for all devices, of a RELU of tensors like `tensor`. */
struct compiled compiled_of(const ANeuralNetworksOperandType *tensor);

void compiled_free(struct compiled *compiled);

/* ---- Memory ---------------------------------------------------------------------------------- */

/* A file of `size` zero bytes; -1 on failure. */
int file_of(size_t size);

ANeuralNetworksMemory *memory_of(size_t size, int protect);

ANeuralNetworksMemoryDesc *open_desc(void);

/* Finishes the descriptor, creates the memory and frees the descriptor. */
ANeuralNetworksMemory *made_from(ANeuralNetworksMemoryDesc *desc);

/* Memory for input 0 of a finished compilation. */
ANeuralNetworksMemory *input_memory(const struct compiled *compiled);

#endif
