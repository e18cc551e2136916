/* Models, compilations, and what they are made from. */
#include "fake_sl.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

/* ---- Models ---------------------------------------------------------------------------------- */

int fake_Model_create(ANeuralNetworksModel **model)
{
    CALL("Model_create", "");
    *model = (ANeuralNetworksModel *)fake_make('m');
    return 0;
}

void fake_Model_free(ANeuralNetworksModel *model)
{
    fake_drop("Model_free", model, 'm');
}

int fake_Model_addOperand(ANeuralNetworksModel *model, const ANeuralNetworksOperandType *type)
{
    fake_note("Model_addOperand m%u", fake_number(model, 'm'));
    fake_note_type(type);
    fake_note("\n");
    return fake_is_faulty("Model_addOperand") ? fake_state.result : 0;
}

int fake_Model_setOperandValue(ANeuralNetworksModel *model, int32_t index, const void *buffer,
                               size_t length)
{
    CALL("Model_setOperandValue", " m%u %d %s %zu", fake_number(model, 'm'), index,
         buffer ? "value" : "null", length);
    fake_state.value = buffer;
    return 0;
}

int fake_Model_setOperandValueFromMemory(ANeuralNetworksModel *model, int32_t index,
                                         const ANeuralNetworksMemory *memory, size_t offset,
                                         size_t length)
{
    CALL("Model_setOperandValueFromMemory", " m%u %d s%u %zu %zu", fake_number(model, 'm'), index,
         fake_number(memory, 's'), offset, length);
    return 0;
}

int fake_Model_setOperandValueFromModel(ANeuralNetworksModel *model, int32_t index,
                                        const ANeuralNetworksModel *value)
{
    CALL("Model_setOperandValueFromModel", " m%u %d m%u", fake_number(model, 'm'), index,
         fake_number(value, 'm'));
    return 0;
}

int fake_Model_setOperandSymmPerChannelQuantParams(
    ANeuralNetworksModel *model, int32_t index,
    const ANeuralNetworksSymmPerChannelQuantParams *params)
{
    CALL("Model_setOperandSymmPerChannelQuantParams", " m%u %d dim %u scales %u: %g ...",
         fake_number(model, 'm'), index, params->channelDim, params->scaleCount,
         (double)params->scales[0]);
    return 0;
}

int fake_Model_setOperandExtensionData(ANeuralNetworksModel *model, int32_t index, const void *data,
                                       size_t length)
{
    CALL("Model_setOperandExtensionData", " m%u %d %zu: %d ...", fake_number(model, 'm'), index,
         length, *(const unsigned char *)data);
    return 0;
}

int fake_Model_getExtensionOperandType(ANeuralNetworksModel *model, const char *name, uint16_t code,
                                       int32_t *type)
{
    CALL("Model_getExtensionOperandType", " m%u %s %u", fake_number(model, 'm'), name, code);
    *type = 77 << 16 | code;
    return 0;
}

int fake_Model_getExtensionOperationType(ANeuralNetworksModel *model, const char *name,
                                         uint16_t code, ANeuralNetworksOperationType *type)
{
    CALL("Model_getExtensionOperationType", " m%u %s %u", fake_number(model, 'm'), name, code);
    *type = 77 << 16 | code;
    return 0;
}

int fake_Model_addOperation(ANeuralNetworksModel *model, ANeuralNetworksOperationType type,
                            uint32_t input_count, const uint32_t *inputs, uint32_t output_count,
                            const uint32_t *outputs)
{
    fake_note("Model_addOperation m%u %d in ", fake_number(model, 'm'), type);
    fake_note_list(input_count, inputs);
    fake_note(" out ");
    fake_note_list(output_count, outputs);
    fake_note("\n");
    return fake_is_faulty("Model_addOperation") ? fake_state.result : 0;
}

int fake_Model_identifyInputsAndOutputs(ANeuralNetworksModel *model, uint32_t input_count,
                                        const uint32_t *inputs, uint32_t output_count,
                                        const uint32_t *outputs)
{
    fake_note("Model_identifyInputsAndOutputs m%u in ", fake_number(model, 'm'));
    fake_note_list(input_count, inputs);
    fake_note(" out ");
    fake_note_list(output_count, outputs);
    fake_note("\n");
    return fake_is_faulty("Model_identifyInputsAndOutputs") ? fake_state.result : 0;
}

int fake_Model_relaxComputationFloat32toFloat16(ANeuralNetworksModel *model, bool allow)
{
    CALL("Model_relaxComputationFloat32toFloat16", " m%u %d", fake_number(model, 'm'), allow);
    return 0;
}

int fake_Model_finish(ANeuralNetworksModel *model)
{
    CALL("Model_finish", " m%u", fake_number(model, 'm'));
    return 0;
}

int fake_Model_getSupportedOperationsForDevices(const ANeuralNetworksModel *model,
                                                const ANeuralNetworksDevice *const *list,
                                                uint32_t count, bool *supported)
{
    CALL("Model_getSupportedOperationsForDevices", " m%u %u %s", fake_number(model, 'm'), count,
         fake_device_name(list[0]));
    for (unsigned i = 0; i < 2; i++) {
        const uint8_t flag =
            fake_state.supported[i] > 1 ? fake_state.supported[i] : !fake_state.supported[i];
        memcpy(&supported[i], &flag, 1); /* what a bool cannot hold, too */
    }
    return 0;
}

/* ---- Memory ---------------------------------------------------------------------------------- */

int fake_Memory_createFromFd(size_t size, int protect, int fd, size_t offset,
                             ANeuralNetworksMemory **memory)
{
    CALL("Memory_createFromFd", " %zu prot %d at %zu", size, protect, offset);
    struct fake_object *object = fake_make('s');
    object->fd = fcntl(fd, F_DUPFD_CLOEXEC, 0);
    object->size = size;
    object->address = mmap(NULL, size, protect, MAP_SHARED, object->fd, (off_t)offset);
    if (object->address == MAP_FAILED)
        abort();
    *memory = (ANeuralNetworksMemory *)object;
    return 0;
}

void fake_Memory_free(ANeuralNetworksMemory *memory)
{
    fake_drop("Memory_free", memory, 's');
}

/* ---- Compilations ---------------------------------------------------------------------------- */

int fake_Compilation_createForDevices(ANeuralNetworksModel *model,
                                      const ANeuralNetworksDevice *const *list, uint32_t count,
                                      ANeuralNetworksCompilation **compilation)
{
    CALL("Compilation_createForDevices", " m%u %u %s", fake_number(model, 'm'), count,
         fake_device_name(list[0]));
    *compilation = (ANeuralNetworksCompilation *)fake_make('c');
    return 0;
}

void fake_Compilation_free(ANeuralNetworksCompilation *compilation)
{
    fake_drop("Compilation_free", compilation, 'c');
}

int fake_Compilation_setPreference(ANeuralNetworksCompilation *compilation, int32_t preference)
{
    CALL("Compilation_setPreference", " c%u %d", fake_number(compilation, 'c'), preference);
    return 0;
}

int fake_Compilation_setPriority(ANeuralNetworksCompilation *compilation, int priority)
{
    CALL("Compilation_setPriority", " c%u %d", fake_number(compilation, 'c'), priority);
    return 0;
}

int fake_Compilation_setTimeout(ANeuralNetworksCompilation *compilation, uint64_t duration)
{
    CALL("Compilation_setTimeout", " c%u", fake_number(compilation, 'c'));
    fake_state.timeout = duration;
    return 0;
}

int fake_Compilation_setCachingFromFds(ANeuralNetworksCompilation *compilation, const int *models,
                                       const uint32_t model_count, const int *data,
                                       const uint32_t data_count, const uint8_t *token)
{
    CALL("Compilation_setCachingFromFds", " c%u %u: %d ... %u: %d ... token %u",
         fake_number(compilation, 'c'), model_count, models[0], data_count, data[0], token[0]);
    return 0;
}

int fake_Compilation_addExtensionAttribute(ANeuralNetworksCompilation *compilation,
                                           const char *name, uint16_t code, const void *data,
                                           size_t length)
{
    CALL("Compilation_addExtensionAttribute", " c%u %s %u %zu: %d", fake_number(compilation, 'c'),
         name, code, length, *(const unsigned char *)data);
    return 0;
}

int fake_Compilation_finish(ANeuralNetworksCompilation *compilation)
{
    CALL("Compilation_finish", " c%u", fake_number(compilation, 'c'));
    return 0;
}

int fake_Burst_create(ANeuralNetworksCompilation *compilation, ANeuralNetworksBurst **burst)
{
    CALL("Burst_create", " c%u", fake_number(compilation, 'c'));
    *burst = (ANeuralNetworksBurst *)fake_make('b');
    return 0;
}

void fake_Burst_free(ANeuralNetworksBurst *burst)
{
    fake_drop("Burst_free", burst, 'b');
}
