#ifndef HY_TESTS_CONTRACT_KIT_FIXTURE_H
#define HY_TESTS_CONTRACT_KIT_FIXTURE_H

/* Objects in each state of their lives, made through the API. What cannot be made is NULL, and a
 * recorded failure. */
#include "contract.h"

#include <stddef.h>

#define EXTENT      4u /* of the tensors of the models below */
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

/* Open, with these operands and nothing else. */
ANeuralNetworksModel *model_of(uint32_t count, const ANeuralNetworksOperandType *operands);

/* One operation RELU, from operand 0 to operand 1, with input and output identified; those that are
 * invalid have an operand more. */
ANeuralNetworksModel *relu_model(enum model_state state);

/* The finished RELU of tensors like this one. */
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

enum device_choice {
    ALL_DEVICES, /* Compilation_create */
    ONE_DEVICE,  /* createForDevices: halyard-cpu */
    TWO_DEVICES, /* createForDevices: halyard-cpu, nnapi-reference */
};

/* With the model that it must not outlive. */
struct compiled {
    ANeuralNetworksModel *model;
    ANeuralNetworksCompilation *compilation;
};

/* Takes the finished model over. */
struct compiled compiled_start(ANeuralNetworksModel *model, enum device_choice choice);

/* Of a RELU; one that has failed holds an operation of an extension that no device has, too. */
struct compiled compiled_in(enum compilation_state state, enum device_choice choice);

/* Finished, of the RELU of tensors like this one, for all devices. */
struct compiled compiled_of(const ANeuralNetworksOperandType *tensor);

void compiled_free(struct compiled *compiled);

/* ---- Memory ---------------------------------------------------------------------------------- */

/* A file of `size` zero bytes; -1: none. */
int file_of(size_t size);

ANeuralNetworksMemory *memory_of(size_t size, int protect);

ANeuralNetworksMemoryDesc *open_desc(void);

/* Finishes the descriptor, and frees it. */
ANeuralNetworksMemory *made_from(ANeuralNetworksMemoryDesc *desc);

/* For input 0 of a finished compilation. */
ANeuralNetworksMemory *input_memory(const struct compiled *compiled);

#endif
