/**
 * The Neural Networks API: build a model, compile it for devices, execute it.
 *
 * - model: create, addOperand, setOperandValue, addOperation, identifyInputsAndOutputs, finish
 * - compilation: create or createForDevices, settings, finish
 * - execution: create, setInput, setOutput, compute
 *
 * Binary and source compatible with Android's header of this name, feature levels 1 to 8.
 *
 * Rules for every call, not repeated below:
 * - NULL for an object, an out-pointer or a required pointer is UNEXPECTED_NULL, before any other
 *   check. Then the object's state is checked (BAD_STATE), then the arguments (BAD_DATA), unless a
 *   call says otherwise. An index that is out of range, negative included, is BAD_DATA.
 * - A (buffer, length) pair is NULL and 0, or neither.
 * - A call that fails leaves the object as it was. An out-pointer to an object is NULL after a
 *   failure. Any call may also give OUT_OF_MEMORY.
 * - Freeing NULL does nothing. The app frees what it creates, in any order that keeps an object
 *   alive while another one uses it: memories, buffers and sub-models outlive the models and
 *   executions that refer to them; a model outlives its compilations; a compilation its
 *   executions, bursts and memory descriptors; an execution its running computation.
 * - An object that is being built or configured belongs to one thread at a time. Finished models,
 *   compilations and memory descriptors, and devices, may be used by any number of threads.
 * - Names, versions and devices live as long as the process.
 * - Durations are nanoseconds.
 * "FL n" is the feature level of a call; what says nothing is FL 1.
 */
#ifndef ANDROID_NEURAL_NETWORKS_H
#define ANDROID_NEURAL_NETWORKS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "NeuralNetworksTypes.h"

#ifdef __cplusplus
extern "C" {
#endif

/* The library is built with hidden symbols; what is declared here is its interface. */
#if defined(__GNUC__)
#pragma GCC visibility push(default)
#endif

/*
 * Runtime and devices
 */

/** The feature level of this runtime, one of FeatureLevelCode. FL 5. */
int64_t ANeuralNetworks_getRuntimeFeatureLevel(void);

/** How long a WHILE may run when ANeuralNetworksExecution_setLoopTimeout was not called. FL 4. */
uint64_t ANeuralNetworks_getDefaultLoopTimeout(void);

/** The longest loop timeout there is; longer wishes are cut to it. FL 4. */
uint64_t ANeuralNetworks_getMaximumLoopTimeout(void);

/**
 * Count the devices: one per driver instance, then the built-in ones. The list is made once and
 * stays the same while the process lives. FL 3.
 */
int ANeuralNetworks_getDeviceCount(uint32_t *numDevices);

/**
 * Get a device by its place in the list. The same index gives the same pointer each time; nothing
 * frees it. BAD_DATA: devIndex is not below the count. FL 3.
 */
int ANeuralNetworks_getDevice(uint32_t devIndex, ANeuralNetworksDevice **device);

/** The device's name, UTF-8, unique on this machine. FL 3. */
int ANeuralNetworksDevice_getName(const ANeuralNetworksDevice *device, const char **name);

/**
 * The kind of hardware, one of DeviceTypeCode. OP_FAILED: the driver's answer makes no sense.
 * FL 3.
 */
int ANeuralNetworksDevice_getType(const ANeuralNetworksDevice *device, int32_t *type);

/**
 * The version of the driver, UTF-8. Versions have no order, but a driver that changes has another
 * one. FL 3.
 */
int ANeuralNetworksDevice_getVersion(const ANeuralNetworksDevice *device, const char **version);

/**
 * The feature level of the device, one of FeatureLevelCode; never above the runtime's.
 * BAD_STATE: the driver does not tell. FL 3.
 */
int ANeuralNetworksDevice_getFeatureLevel(const ANeuralNetworksDevice *device,
                                          int64_t *featureLevel);

/**
 * Block until the device answers (again), as after its driver died. A failure is the driver's own
 * code. FL 4.
 */
int ANeuralNetworksDevice_wait(const ANeuralNetworksDevice *device);

/** Tell whether the device supports the extension of that name, all of it. FL 3. */
int ANeuralNetworksDevice_getExtensionSupport(const ANeuralNetworksDevice *device,
                                              const char *extensionName,
                                              bool *isExtensionSupported);

/*
 * Memory
 */

/**
 * Make a memory object of a file: POSIX shared memory, a memfd or a regular file.
 *   size     length in bytes, above 0, inside the file
 *   protect  PROT_READ, PROT_WRITE or both. Constants, inputs and sources of copies need PROT_READ,
 *            outputs and destinations of copies need PROT_WRITE
 *   fd       duplicated; the caller may close his
 *   offset   start inside the file, a multiple of the page size
 * Serves as constants, inputs and outputs. What is written becomes visible in other mappings of
 * the file, which must not shrink while the object lives.
 * OP_FAILED: fd cannot be duplicated. BAD_DATA: size, protect or offset is not valid for the file,
 * or fd is not open for protect.
 * UNMAPPABLE: the file cannot be mapped this way.
 */
int ANeuralNetworksMemory_createFromFd(size_t size, int protect, int fd, size_t offset,
                                       ANeuralNetworksMemory **memory);

/**
 * Make a memory object of a hardware buffer. Android does not retain the buffer, so there it must
 * outlive the object; here the object keeps the memory itself, and the buffer may go. A buffer of
 * BLOB format serves as memory of a file does, and is as long as it is wide; one of another format
 * only as an input or output, as a whole (offset and length 0), and a device may refuse it.
 * UNMAPPABLE: it cannot be mapped. FL 3.
 */
int ANeuralNetworksMemory_createFromAHardwareBuffer(const AHardwareBuffer *ahwb,
                                                    ANeuralNetworksMemory **memory);

/**
 * Allocate the memory a descriptor asks for, on the device where all roles lead to one and it can.
 * The descriptor must be finished (BAD_STATE), may be used any number of times, and may be freed
 * before the memory. OP_FAILED or a driver's code: it cannot be allocated.
 *
 * The memory has no contents until an execution wrote it or a copy into it succeeded; using it as
 * an input earlier makes the execution fail with OP_FAILED. Its shape is that of its contents. It
 * is passed whole (offset and length 0), and only in the roles of its descriptor. FL 4.
 */
int ANeuralNetworksMemory_createFromDesc(const ANeuralNetworksMemoryDesc *desc,
                                         ANeuralNetworksMemory **memory);

/**
 * Copy the contents of one memory to another, and wait for it. At least the size must agree; two
 * memories made from descriptors must agree in type and shape, and dst takes on the shape of src.
 * src and dst the same: nothing to do.
 * BAD_DATA: src has no contents yet, or the two do not fit. UNMAPPABLE: one cannot be mapped.
 * OP_FAILED: there is no way to copy. A failed copy leaves a dst made from a descriptor without
 * contents. FL 4.
 */
int ANeuralNetworksMemory_copy(const ANeuralNetworksMemory *src, const ANeuralNetworksMemory *dst);

/** Free a memory object. No model, execution or burst may be using it. */
void ANeuralNetworksMemory_free(ANeuralNetworksMemory *memory);

/*
 * Memory descriptors
 */

/** Make an empty descriptor: add roles, set dimensions if they are not known, finish. FL 4. */
int ANeuralNetworksMemoryDesc_create(ANeuralNetworksMemoryDesc **desc);

/** Free a descriptor. Memory made from it lives on. FL 4. */
void ANeuralNetworksMemoryDesc_free(ANeuralNetworksMemoryDesc *desc);

/**
 * Say that the memory will be an input of executions of a compilation.
 *   index      position in the model's list of inputs
 *   frequency  how probable the use is: above 0, at most 1
 * All roles of one descriptor must agree in type, scale, zero point, scales per channel, and in
 * dimensions where they are known.
 * BAD_STATE: the descriptor is finished. BAD_DATA: the compilation is not finished or failed, the
 * role is there already, it does not agree with the others, or index or frequency is out of range.
 * FL 4.
 */
int ANeuralNetworksMemoryDesc_addInputRole(ANeuralNetworksMemoryDesc *desc,
                                           const ANeuralNetworksCompilation *compilation,
                                           uint32_t index, float frequency);

/** As ANeuralNetworksMemoryDesc_addInputRole, for an output. FL 4. */
int ANeuralNetworksMemoryDesc_addOutputRole(ANeuralNetworksMemoryDesc *desc,
                                            const ANeuralNetworksCompilation *compilation,
                                            uint32_t index, float frequency);

/**
 * Give the shape of the memory where the roles leave it open. An extent of 0 stays open.
 * UNEXPECTED_NULL: dimensions is NULL with a rank above 0. BAD_STATE: finished. BAD_DATA: the shape
 * contradicts a role, or the roles are of scalars. FL 4.
 */
int ANeuralNetworksMemoryDesc_setDimensions(ANeuralNetworksMemoryDesc *desc, uint32_t rank,
                                            const uint32_t *dimensions);

/** End the description. BAD_STATE: finished already. BAD_DATA: there is no role. FL 4. */
int ANeuralNetworksMemoryDesc_finish(ANeuralNetworksMemoryDesc *desc);

/*
 * Models. All calls that change a model are BAD_STATE once finish was called and either succeeded
 * or found the model invalid.
 */

/** Make an empty model. */
int ANeuralNetworksModel_create(ANeuralNetworksModel **model);

/** Free a model. No compilation, and no model that refers to it, may still be in use. */
void ANeuralNetworksModel_free(ANeuralNetworksModel *model);

/**
 * Check the whole model and close it. Each operand must be exactly one of: an input, a constant or
 * omitted value, a sub-model, the output of one operation; operations may have been added in any
 * order but must not form a cycle.
 * BAD_DATA: the model is not valid; from then on it can only be freed. A failure to gather memory
 * leaves it open for another try. BAD_STATE: finished already.
 */
int ANeuralNetworksModel_finish(ANeuralNetworksModel *model);

/**
 * Add an operand. Its index is the number of operands added before.
 * BAD_DATA: type is not known; dimensionCount and dimensions disagree; scale or zeroPoint does not
 * suit the type; the size does not fit in 32 bits.
 */
int ANeuralNetworksModel_addOperand(ANeuralNetworksModel *model,
                                    const ANeuralNetworksOperandType *type);

/**
 * Set a constant, or omit an optional operand (NULL and 0). length is the exact size of the
 * operand, whose dimensions are all known. Setting again replaces the value.
 *
 * Up to MAX_SIZE_OF_IMMEDIATELY_COPIED_VALUES bytes are copied. A longer buffer is only referred
 * to: it must outlive the model and not change.
 */
int ANeuralNetworksModel_setOperandValue(ANeuralNetworksModel *model, int32_t index,
                                         const void *buffer, size_t length);

/**
 * Give the scales of a TENSOR_QUANT8_SYMM_PER_CHANNEL operand. Needed before finish for each
 * operand of that type. Everything is copied.
 * BAD_DATA: another type, channelDim not below the rank, scaleCount not the extent of that
 * dimension, or a scale that is not above 0. FL 3.
 */
int ANeuralNetworksModel_setOperandSymmPerChannelQuantParams(
    ANeuralNetworksModel *model, int32_t index,
    const ANeuralNetworksSymmPerChannelQuantParams *channelQuant);

/**
 * Set a constant that lies in a memory object. Nothing is copied: the memory outlives the model and
 * that part of it does not change. offset is a multiple of the element size.
 * BAD_DATA: the part is not inside the memory, is not of the operand's exact size, or the memory
 * was made from a descriptor or a hardware buffer that is not a BLOB.
 */
int ANeuralNetworksModel_setOperandValueFromMemory(ANeuralNetworksModel *model, int32_t index,
                                                   const ANeuralNetworksMemory *memory,
                                                   size_t offset, size_t length);

/**
 * Make a MODEL operand refer to another model, which must outlive this one.
 * BAD_STATE: value is not a finished, valid model. BAD_DATA: the operand is of another type. FL 4.
 */
int ANeuralNetworksModel_setOperandValueFromModel(ANeuralNetworksModel *model, int32_t index,
                                                  const ANeuralNetworksModel *value);

/**
 * Add an operation between operands that were added before. Count, types, ranks and sub-models are
 * checked at once against the operation's signatures, scales when the model is compiled; extension
 * operations are checked for indices alone. The index arrays are copied; neither may be empty.
 * BAD_DATA: the code is not known, or the operands do not suit it.
 */
int ANeuralNetworksModel_addOperation(ANeuralNetworksModel *model,
                                      ANeuralNetworksOperationType type, uint32_t inputCount,
                                      const uint32_t *inputs, uint32_t outputCount,
                                      const uint32_t *outputs);

/**
 * Name the model's inputs and outputs; executions count them in this order. Call it once. The index
 * arrays are copied; neither may be empty.
 * BAD_DATA: an operand appears twice, in both lists, or has a value.
 */
int ANeuralNetworksModel_identifyInputsAndOutputs(ANeuralNetworksModel *model, uint32_t inputCount,
                                                  const uint32_t *inputs, uint32_t outputCount,
                                                  const uint32_t *outputs);

/**
 * Permit float32 tensors to be computed with the range and precision of float16. Not permitted by
 * default. Of nested models only the outermost one's choice counts. FL 2.
 */
int ANeuralNetworksModel_relaxComputationFloat32toFloat16(ANeuralNetworksModel *model, bool allow);

/**
 * Ask which operations of a finished model the devices can run between them.
 *   devices       numDevices of them, above 0, no two the same
 *   supportedOps  room for one bool per operation, in the order of addOperation
 * BAD_STATE: the model is not finished or not valid. BAD_DATA: the list is empty or repeats a
 * device. UNEXPECTED_NULL: also for a NULL in the list. FL 3.
 */
int ANeuralNetworksModel_getSupportedOperationsForDevices(
    const ANeuralNetworksModel *model, const ANeuralNetworksDevice *const *devices,
    uint32_t numDevices, bool *supportedOps);

/**
 * The type code of an extension's operand type, for addOperand. Codes hold for this process only.
 * Asking is possible in every state of the model and for every name; a name that no device knows
 * fails in addOperand. BAD_DATA: no more extensions can be numbered. FL 3.
 */
int ANeuralNetworksModel_getExtensionOperandType(ANeuralNetworksModel *model,
                                                 const char *extensionName,
                                                 uint16_t operandCodeWithinExtension,
                                                 int32_t *type);

/**
 * The code of an extension's operation, for addOperation; as
 * ANeuralNetworksModel_getExtensionOperandType, but a name that no device knows fails in the
 * compilation. FL 3.
 */
int ANeuralNetworksModel_getExtensionOperationType(ANeuralNetworksModel *model,
                                                   const char *extensionName,
                                                   uint16_t operationCodeWithinExtension,
                                                   ANeuralNetworksOperationType *type);

/**
 * Attach bytes to an operand of an extension type, for the driver. Copied; NULL and 0 removes them.
 * BAD_DATA: the operand is not of an extension type. FL 3.
 */
int ANeuralNetworksModel_setOperandExtensionData(ANeuralNetworksModel *model, int32_t index,
                                                 const void *data, size_t length);

/*
 * Compilations. All set* and add* calls are BAD_STATE once finish was called.
 */

/**
 * Make a compilation for all devices; the runtime splits the model over them and falls back to the
 * CPU where a driver fails. BAD_STATE: the model is not finished or not valid.
 */
int ANeuralNetworksCompilation_create(ANeuralNetworksModel *model,
                                      ANeuralNetworksCompilation **compilation);

/**
 * Make a compilation for these devices and no others. What none of them can run fails in finish.
 * BAD_DATA: the list is empty, repeats a device or holds a pointer that is none. BAD_STATE: the
 * model is not finished or not valid. UNEXPECTED_NULL: also for a NULL in the list. FL 3.
 */
int ANeuralNetworksCompilation_createForDevices(ANeuralNetworksModel *model,
                                                const ANeuralNetworksDevice *const *devices,
                                                uint32_t numDevices,
                                                ANeuralNetworksCompilation **compilation);

/** Free a compilation. No execution or burst of it may still be in use. */
void ANeuralNetworksCompilation_free(ANeuralNetworksCompilation *compilation);

/**
 * Let finish look for compiled artefacts in a folder, and store them there.
 *   cacheDir  path of the folder; "" is the working directory
 *   token     BYTE_SIZE_OF_CACHE_TOKEN bytes, different for each model of the app; copied
 * A cache that is missing, damaged or not writable costs time but is never an error. FL 3.
 */
int ANeuralNetworksCompilation_setCaching(ANeuralNetworksCompilation *compilation,
                                          const char *cacheDir, const uint8_t *token);

/**
 * Say what to favour, one of PreferenceCode; PREFER_FAST_SINGLE_ANSWER by default. BAD_DATA:
 * another value.
 */
int ANeuralNetworksCompilation_setPreference(ANeuralNetworksCompilation *compilation,
                                             int32_t preference);

/**
 * Plan the model and prepare it on its devices. May be called once (BAD_STATE); a compilation that
 * failed can only be freed.
 * BAD_DATA: an operation is not supported by any of the devices given. MISSED_DEADLINE_*: see
 * setTimeout. Other codes come from the driver.
 */
int ANeuralNetworksCompilation_finish(ANeuralNetworksCompilation *compilation);

/**
 * Set the priority of this compilation's executions, one of PriorityCode; PRIORITY_DEFAULT when not
 * called. BAD_DATA: another value. FL 4.
 */
int ANeuralNetworksCompilation_setPriority(ANeuralNetworksCompilation *compilation, int priority);

/**
 * Set how long finish may take, in nanoseconds from its call; 0, the default, is without end. A
 * hint: finish may still come late, or give MISSED_DEADLINE_*.
 * BAD_DATA: the compilation was not made by createForDevices with exactly one device. FL 4.
 */
int ANeuralNetworksCompilation_setTimeout(ANeuralNetworksCompilation *compilation,
                                          uint64_t duration);

/**
 * The alignment of an input's address, or of its offset in a memory, that saves the driver a copy;
 * a power of two. A hint only. BAD_STATE: not finished, or finish failed. FL 5.
 */
int ANeuralNetworksCompilation_getPreferredMemoryAlignmentForInput(
    const ANeuralNetworksCompilation *compilation, uint32_t index, uint32_t *alignment);

/**
 * What the length of an input should be rounded up to, a power of two; needs
 * ANeuralNetworksExecution_enableInputAndOutputPadding. A hint only. BAD_STATE: not finished, or
 * finish failed. FL 5.
 */
int ANeuralNetworksCompilation_getPreferredMemoryPaddingForInput(
    const ANeuralNetworksCompilation *compilation, uint32_t index, uint32_t *padding);

/** As ANeuralNetworksCompilation_getPreferredMemoryAlignmentForInput, for an output. FL 5. */
int ANeuralNetworksCompilation_getPreferredMemoryAlignmentForOutput(
    const ANeuralNetworksCompilation *compilation, uint32_t index, uint32_t *alignment);

/** As ANeuralNetworksCompilation_getPreferredMemoryPaddingForInput, for an output. FL 5. */
int ANeuralNetworksCompilation_getPreferredMemoryPaddingForOutput(
    const ANeuralNetworksCompilation *compilation, uint32_t index, uint32_t *padding);

/**
 * Hand an attribute of an extension to the driver when it compiles. The data is copied; a driver
 * ignores what it does not understand.
 * BAD_DATA: not exactly one device was given, or the attribute was added before. FL 8.
 */
int ANeuralNetworksCompilation_addExtensionAttribute(ANeuralNetworksCompilation *compilation,
                                                     const char *extensionName,
                                                     uint16_t attributeCodeWithinExtension,
                                                     const void *data, size_t length);

/*
 * Bursts
 */

/**
 * Make a burst, which says that executions of this compilation follow each other quickly, and lets
 * drivers keep memory mapped and clocks up. BAD_STATE: the compilation is not finished, or failed.
 * FL 3.
 */
int ANeuralNetworksBurst_create(ANeuralNetworksCompilation *compilation,
                                ANeuralNetworksBurst **burst);

/** Free a burst. No execution may be running on it. FL 3. */
void ANeuralNetworksBurst_free(ANeuralNetworksBurst *burst);

/*
 * Executions. All set*, add* and enable* calls are BAD_STATE once a computation was started.
 */

/**
 * Make an execution of a finished compilation. Set every input and output, then compute.
 * BAD_STATE: the compilation is not finished, or failed.
 */
int ANeuralNetworksExecution_create(ANeuralNetworksCompilation *compilation,
                                    ANeuralNetworksExecution **execution);

/**
 * Free an execution. One that computes stays as it is, with a warning in the log: free it when the
 * computation has returned or its event was waited for.
 */
void ANeuralNetworksExecution_free(ANeuralNetworksExecution *execution);

/**
 * Give an input in a buffer of the app, or omit an optional one (NULL and 0).
 *   index   position in the model's list of inputs
 *   type    the shape, where the model leaves it open; NULL: as in the model. Copied
 *   buffer  not copied: stays, unchanged, until the computation ended
 *   length  the exact size, or more with padding enabled
 * BAD_DATA: the shape contradicts the model or is not fully known, or length does not suit it.
 * BAD_STATE: also when the input was set before. After a failure the call can be repeated.
 */
int ANeuralNetworksExecution_setInput(ANeuralNetworksExecution *execution, int32_t index,
                                      const ANeuralNetworksOperandType *type, const void *buffer,
                                      size_t length);

/**
 * Give an input that lies in a memory object. Offset and length 0 mean all of it: required for
 * memory made from a descriptor or a hardware buffer that is not a BLOB, not allowed for others.
 * BAD_DATA: as for setInput, and when the part is not inside the memory, or the memory was not
 * made for this role. BAD_STATE: also when the input was set before.
 */
int ANeuralNetworksExecution_setInputFromMemory(ANeuralNetworksExecution *execution, int32_t index,
                                                const ANeuralNetworksOperandType *type,
                                                const ANeuralNetworksMemory *memory, size_t offset,
                                                size_t length);

/**
 * Give room for an output; as ANeuralNetworksExecution_setInput, but dimensions may remain unknown:
 * length is then the room there is. Outputs must not overlap each other, an input or a constant,
 * and are not to be touched until the computation ended.
 */
int ANeuralNetworksExecution_setOutput(ANeuralNetworksExecution *execution, int32_t index,
                                       const ANeuralNetworksOperandType *type, void *buffer,
                                       size_t length);

/** Give room for an output in a memory object; rules of setOutput and setInputFromMemory. */
int ANeuralNetworksExecution_setOutputFromMemory(ANeuralNetworksExecution *execution, int32_t index,
                                                 const ANeuralNetworksOperandType *type,
                                                 const ANeuralNetworksMemory *memory, size_t offset,
                                                 size_t length);

/**
 * Permit lengths above the exact size; the surplus is padding that a driver may read or write. To
 * be called before any input or output is set (BAD_STATE). Off by default. FL 5.
 */
int ANeuralNetworksExecution_enableInputAndOutputPadding(ANeuralNetworksExecution *execution,
                                                         bool enable);

/**
 * Permit any number of computations, of any kind, one after the other, with the same arguments. Off
 * by default: one computation only. FL 5.
 */
int ANeuralNetworksExecution_setReusable(ANeuralNetworksExecution *execution, bool reusable);

/**
 * Set how long a computation may take, from its start; 0, the default, is without end. A hint: it
 * may end late, or with MISSED_DEADLINE_*.
 * BAD_DATA, checked before the state: the compilation was not made by createForDevices with
 * exactly one device. FL 4.
 */
int ANeuralNetworksExecution_setTimeout(ANeuralNetworksExecution *execution, uint64_t duration);

/**
 * Set how long each WHILE may run, at most ANeuralNetworks_getMaximumLoopTimeout, to which longer
 * values are cut. A loop that wants to go on afterwards ends the computation with
 * MISSED_DEADLINE_*. 0 is no time at all, not without end. FL 4.
 */
int ANeuralNetworksExecution_setLoopTimeout(ANeuralNetworksExecution *execution, uint64_t duration);

/**
 * Ask for times to be measured. Off by default.
 * BAD_DATA, checked before the state: the compilation was not made by createForDevices with
 * exactly one device. FL 3.
 */
int ANeuralNetworksExecution_setMeasureTiming(ANeuralNetworksExecution *execution, bool measure);

/**
 * Hand an attribute of an extension to the driver with each computation. The data is copied.
 * BAD_DATA: not exactly one device was given (checked before the state), or the attribute was
 * added before. FL 8.
 */
int ANeuralNetworksExecution_addExtensionAttribute(ANeuralNetworksExecution *execution,
                                                   const char *extensionName,
                                                   uint16_t attributeCodeWithinExtension,
                                                   const void *data, size_t length);

/**
 * Compute and wait for the end.
 * BAD_DATA: an input or output was not set. BAD_STATE: a computation is running, or ran and the
 * execution is not reusable. OP_FAILED: also for an input without contents.
 * OUTPUT_INSUFFICIENT_SIZE: an output has too little room; its shape can be asked for.
 * MISSED_DEADLINE_*: see setTimeout and setLoopTimeout. After a failure the outputs hold anything.
 * FL 3.
 */
int ANeuralNetworksExecution_compute(ANeuralNetworksExecution *execution);

/**
 * As ANeuralNetworksExecution_compute, as part of a burst of the same compilation (else BAD_DATA).
 * BAD_STATE: also when another execution is running on the burst. FL 3.
 */
int ANeuralNetworksExecution_burstCompute(ANeuralNetworksExecution *execution,
                                          ANeuralNetworksBurst *burst);

/**
 * Start a computation and return. The code is about the start; ANeuralNetworksEvent_wait gives the
 * computation's own. The caller frees the event. BAD_DATA, BAD_STATE: as for compute.
 */
int ANeuralNetworksExecution_startCompute(ANeuralNetworksExecution *execution,
                                          ANeuralNetworksEvent **event);

/**
 * Start a computation that begins when all events in dependencies have signalled; if one of them
 * fails, so does the computation.
 *   dependencies      num_dependencies events; NULL when there are none
 *   duration          how long it may take from then on; 0 is without end
 *   event             the caller frees it; may carry a sync fence
 * Returns at once, also while the dependencies wait. The execution completes, for all calls that
 * ask for it, when the event is waited for or freed. UNEXPECTED_NULL: also for a NULL in the list.
 * BAD_STATE: as for compute. BAD_DATA: also when the shape of an output is not fully known, or
 * duration is not 0 and the compilation was not made by createForDevices with exactly one device.
 * FL 4.
 */
int ANeuralNetworksExecution_startComputeWithDependencies(
    ANeuralNetworksExecution *execution, const ANeuralNetworksEvent *const *dependencies,
    uint32_t num_dependencies, uint64_t duration, ANeuralNetworksEvent **event);

/**
 * The rank of an output, once the computation succeeded or ended with OUTPUT_INSUFFICIENT_SIZE
 * (else BAD_STATE). OUTPUT_INSUFFICIENT_SIZE: the value is given, but this output had too little
 * room. FL 3.
 */
int ANeuralNetworksExecution_getOutputOperandRank(ANeuralNetworksExecution *execution,
                                                  int32_t index, uint32_t *rank);

/**
 * The extents of an output; dimensions has room for as many as its rank. As
 * ANeuralNetworksExecution_getOutputOperandRank. BAD_DATA: also for a scalar, an omitted output, or
 * one of unknown rank. FL 3.
 */
int ANeuralNetworksExecution_getOutputOperandDimensions(ANeuralNetworksExecution *execution,
                                                        int32_t index, uint32_t *dimensions);

/**
 * A time of the latest computation, by DurationCode; UINT64_MAX if the device does not measure it.
 * BAD_STATE: no computation succeeded, or timing was not asked for; *duration is then UINT64_MAX.
 * BAD_DATA: no such code. FL 3.
 */
int ANeuralNetworksExecution_getDuration(const ANeuralNetworksExecution *execution,
                                         int32_t durationCode, uint64_t *duration);

/*
 * Events
 */

/**
 * Make an event of a sync fence: any descriptor that polls readable when it has signalled. The
 * descriptor is duplicated; the caller may close his. A fence fails when it polls in error, and a
 * sync_file of the kernel when its status is an error: waiting for the event is OP_FAILED then.
 * BAD_DATA: sync_fence_fd is no open descriptor. FL 4.
 */
int ANeuralNetworksEvent_createFromSyncFenceFd(int sync_fence_fd, ANeuralNetworksEvent **event);

/**
 * Get the sync fence of an event, as a descriptor that the caller closes. BAD_DATA: the event has
 * none (any more). On failure *sync_fence_fd is -1. FL 4.
 */
int ANeuralNetworksEvent_getSyncFenceFd(const ANeuralNetworksEvent *event, int *sync_fence_fd);

/**
 * Wait for the end of the work and give its result. Required before outputs are read. Any number of
 * threads may wait, any number of times.
 */
int ANeuralNetworksEvent_wait(ANeuralNetworksEvent *event);

/** Wait for the end of the work, without cancelling it, and free the event. */
void ANeuralNetworksEvent_free(ANeuralNetworksEvent *event);

#if defined(__GNUC__)
#pragma GCC visibility pop
#endif

#ifdef __cplusplus
}
#endif

#endif
