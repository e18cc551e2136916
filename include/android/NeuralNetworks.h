/**
 * The Neural Networks API: build a model, compile it for devices, execute it.
 *
 * - model: create, addOperand, setOperandValue, addOperation, identifyInputsAndOutputs, finish
 * - compilation: create or createForDevices, settings, finish
 * - execution: create, setInput, setOutput, compute
 *
 * Binary and source compatible with Android's header of the same name, feature levels 1 to 8.
 *
 * Rules for every call, not repeated below:
 * - NULL for an object, an out-pointer or a required pointer is UNEXPECTED_NULL, before any other
 *   check. Next the object's state is checked (BAD_STATE), and last the arguments (BAD_DATA),
 *   unless the comment of a call states another order. An index out of range, negative included, is
 *   BAD_DATA.
 * - A (buffer, length) pair is NULL and 0, or neither.
 * - A call that fails leaves the object unchanged. An out-pointer to an object is NULL after a
 *   failure. Any call may also return OUT_OF_MEMORY.
 * - Freeing NULL does nothing. The app frees every object it creates, and keeps an object alive
 *   while another object uses it: memories, buffers and sub-models outlive the models and
 *   executions that refer to them; a model outlives its compilations; a compilation outlives its
 *   executions, bursts and memory descriptors; an execution outlives its running computation.
 * - An object under construction belongs to one thread at a time. Finished models, compilations and
 *   memory descriptors, and devices, may be used by any number of threads.
 * - Names, versions and devices live as long as the process.
 * - Durations are nanoseconds.
 * "FL n" is the feature level of a call; calls without a note are FL 1.
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

/* The library is built with hidden symbols; the declarations of this header are its interface. */
#if defined(__GNUC__)
#pragma GCC visibility push(default)
#endif

/*
 * Runtime and devices
 */

/** The feature level of this runtime, one of FeatureLevelCode. FL 5. */
int64_t ANeuralNetworks_getRuntimeFeatureLevel(void);

/** The time limit of a WHILE in nanoseconds without a call of
 * ANeuralNetworksExecution_setLoopTimeout. FL 4. */
uint64_t ANeuralNetworks_getDefaultLoopTimeout(void);

/** The longest possible loop timeout in nanoseconds; longer values are cut to it. FL 4. */
uint64_t ANeuralNetworks_getMaximumLoopTimeout(void);

/**
 * Count the devices: one per driver instance, followed by the built-in devices. The list is made
 * once and stays the same while the process lives. FL 3.
 */
int ANeuralNetworks_getDeviceCount(uint32_t *numDevices);

/**
 * Get a device by its index in the list. The same index gives the same pointer each time; the
 * pointer is never freed. BAD_DATA: devIndex is not below the count. FL 3.
 */
int ANeuralNetworks_getDevice(uint32_t devIndex, ANeuralNetworksDevice **device);

/** The device's name, UTF-8, unique on this machine. FL 3. */
int ANeuralNetworksDevice_getName(const ANeuralNetworksDevice *device, const char **name);

/**
 * The kind of hardware, one of DeviceTypeCode. OP_FAILED: the driver's reply is invalid. FL 3.
 */
int ANeuralNetworksDevice_getType(const ANeuralNetworksDevice *device, int32_t *type);

/**
 * The version of the driver, UTF-8. Versions have no order; a changed driver has a different
 * version. FL 3.
 */
int ANeuralNetworksDevice_getVersion(const ANeuralNetworksDevice *device, const char **version);

/**
 * The feature level of the device, one of FeatureLevelCode; never above the runtime's. BAD_STATE:
 * the driver does not report its level. FL 3.
 */
int ANeuralNetworksDevice_getFeatureLevel(const ANeuralNetworksDevice *device,
                                          int64_t *featureLevel);

/**
 * Block until the device responds, for example after a driver's death. A failure is the driver's
 * own code. FL 4.
 */
int ANeuralNetworksDevice_wait(const ANeuralNetworksDevice *device);

/** Report whether the device supports all of the named extension. FL 3. */
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
 *   fd       duplicated; the caller may close fd after the call
 *   offset   start inside the file in bytes, a multiple of the page size
 * The memory serves as constants, inputs and outputs. Writes become visible in other mappings of
 * the file. The file must not shrink while the object lives.
 * OP_FAILED: fd cannot be duplicated. BAD_DATA: size, protect or offset is not valid for the file,
 * or fd is not open for protect.
 * UNMAPPABLE: the file cannot be mapped this way.
 */
int ANeuralNetworksMemory_createFromFd(size_t size, int protect, int fd, size_t offset,
                                       ANeuralNetworksMemory **memory);

/**
 * Make a memory object of a hardware buffer. The object holds a reference to the memory, and the
 * caller may release the buffer at any time. On Android the buffer must outlive the object, because
 * Android does not retain the buffer. A buffer of BLOB format serves like memory of a file, with
 * its width as the length in bytes. A buffer of another format serves only as a whole input or
 * output (offset and length 0), and a device may refuse the buffer.
 * UNMAPPABLE: the buffer cannot be mapped. FL 3.
 */
int ANeuralNetworksMemory_createFromAHardwareBuffer(const AHardwareBuffer *ahwb,
                                                    ANeuralNetworksMemory **memory);

/**
 * Allocate the memory of a descriptor, on the device of its roles if all roles lead to one device
 * and the device can allocate. The descriptor must be finished (BAD_STATE), may be used any number
 * of times, and may be freed before the memory. OP_FAILED or a driver's code: the allocation
 * failed.
 *
 * The memory has no contents until an execution or a copy has written to it; an execution with the
 * memory as an input fails with OP_FAILED before. The shape of the memory is the shape of its
 * contents. The memory is passed whole (offset and length 0), and only in the roles of its
 * descriptor. FL 4.
 */
int ANeuralNetworksMemory_createFromDesc(const ANeuralNetworksMemoryDesc *desc,
                                         ANeuralNetworksMemory **memory);

/**
 * Copy the contents of one memory to another, and wait for the end of the copy. The sizes must
 * agree; two memories made from descriptors must agree in type and shape, and dst takes on the
 * shape of src. If src and dst are the same, the call does nothing.
 * BAD_DATA: src has no contents yet, or the two memories do not agree. UNMAPPABLE: a memory cannot
 * be mapped. OP_FAILED: no way to copy exists. A failed copy leaves a dst made from a descriptor
 * without contents. FL 4.
 */
int ANeuralNetworksMemory_copy(const ANeuralNetworksMemory *src, const ANeuralNetworksMemory *dst);

/** Free a memory object. No model, execution or burst may be using it. */
void ANeuralNetworksMemory_free(ANeuralNetworksMemory *memory);

/*
 * Memory descriptors
 */

/** Make an empty descriptor: add roles, set dimensions if roles leave them open, finish. FL 4. */
int ANeuralNetworksMemoryDesc_create(ANeuralNetworksMemoryDesc **desc);

/** Free a descriptor. Memory made from it lives on. FL 4. */
void ANeuralNetworksMemoryDesc_free(ANeuralNetworksMemoryDesc *desc);

/**
 * Declare the memory as an input of executions of a compilation.
 *   index      position in the model's list of inputs
 *   frequency  probability of the use: above 0, at most 1
 * All roles of one descriptor must agree in type, scale, zero point, scales per channel, and in the
 * known dimensions.
 * BAD_STATE: the descriptor is finished. BAD_DATA: the compilation is not finished or failed, the
 * role exists already, the role disagrees with another role, or index or frequency is out of range.
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
 * Set the shape of the memory if the roles leave dimensions open. An extent of 0 stays open.
 * UNEXPECTED_NULL: dimensions is NULL with a rank above 0. BAD_STATE: finished. BAD_DATA: the shape
 * contradicts a role, or the roles are of scalars. FL 4.
 */
int ANeuralNetworksMemoryDesc_setDimensions(ANeuralNetworksMemoryDesc *desc, uint32_t rank,
                                            const uint32_t *dimensions);

/** End the description. BAD_STATE: finished already. BAD_DATA: the descriptor has no role. FL 4. */
int ANeuralNetworksMemoryDesc_finish(ANeuralNetworksMemoryDesc *desc);

/*
 * Models. Every call to change a model is BAD_STATE after finish has succeeded or found the model
 * invalid.
 */

/** Make an empty model. */
int ANeuralNetworksModel_create(ANeuralNetworksModel **model);

/** Free a model. No compilation, and no model that refers to the model, may still be in use. */
void ANeuralNetworksModel_free(ANeuralNetworksModel *model);

/**
 * Check the whole model and close it. Each operand must be exactly one of: an input, a constant or
 * omitted value, a sub-model, the output of one operation; operations may have been added in any
 * order but must not form a cycle.
 * BAD_DATA: the model is not valid, and can only be freed. After OUT_OF_MEMORY the model stays open
 * for another attempt. BAD_STATE: finished already.
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
 * Set a constant, or omit an optional operand (NULL and 0). length is the exact size of the operand
 * in bytes; all dimensions of the operand must be known. Another call replaces the value.
 *
 * Up to MAX_SIZE_OF_IMMEDIATELY_COPIED_VALUES bytes are copied. A longer buffer is referenced: the
 * buffer must outlive the model and must not change.
 */
int ANeuralNetworksModel_setOperandValue(ANeuralNetworksModel *model, int32_t index,
                                         const void *buffer, size_t length);

/**
 * Set the scales of a TENSOR_QUANT8_SYMM_PER_CHANNEL operand, required before finish for each
 * operand of the type. Everything is copied.
 * BAD_DATA: another type, channelDim not below the rank, scaleCount not the extent of channelDim,
 * or a scale that is not above 0. FL 3.
 */
int ANeuralNetworksModel_setOperandSymmPerChannelQuantParams(
    ANeuralNetworksModel *model, int32_t index,
    const ANeuralNetworksSymmPerChannelQuantParams *channelQuant);

/**
 * Set a constant by reference to a memory object. Nothing is copied: the memory outlives the model,
 * and the referenced part does not change. offset is a multiple of the element size in bytes.
 * BAD_DATA: the part is not inside the memory, is not of the operand's exact size, or the memory
 * was made from a descriptor or from a hardware buffer of another format than BLOB.
 */
int ANeuralNetworksModel_setOperandValueFromMemory(ANeuralNetworksModel *model, int32_t index,
                                                   const ANeuralNetworksMemory *memory,
                                                   size_t offset, size_t length);

/**
 * Make a MODEL operand refer to another model, `value`, which must outlive `model`.
 * BAD_STATE: value is not a finished, valid model. BAD_DATA: the operand is of another type. FL 4.
 */
int ANeuralNetworksModel_setOperandValueFromModel(ANeuralNetworksModel *model, int32_t index,
                                                  const ANeuralNetworksModel *value);

/**
 * Add an operation between existing operands. Count, types, ranks and sub-models are checked
 * immediately against the operation's signatures, scales when the model is compiled; extension
 * operations are checked for indices alone. The index arrays are copied; neither may be empty.
 * BAD_DATA: the code is not known, or the operands do not suit the operation.
 */
int ANeuralNetworksModel_addOperation(ANeuralNetworksModel *model,
                                      ANeuralNetworksOperationType type, uint32_t inputCount,
                                      const uint32_t *inputs, uint32_t outputCount,
                                      const uint32_t *outputs);

/**
 * Name the model's inputs and outputs; executions number inputs and outputs in this order. The call
 * is made once. The index arrays are copied; neither may be empty.
 * BAD_DATA: an operand appears twice, in both lists, or has a value.
 */
int ANeuralNetworksModel_identifyInputsAndOutputs(ANeuralNetworksModel *model, uint32_t inputCount,
                                                  const uint32_t *inputs, uint32_t outputCount,
                                                  const uint32_t *outputs);

/**
 * Permit float32 tensors to be computed with the range and precision of float16. The default is
 * false. The setting of the main model also applies to its sub-models. FL 2.
 */
int ANeuralNetworksModel_relaxComputationFloat32toFloat16(ANeuralNetworksModel *model, bool allow);

/**
 * Report the operations of a finished model that at least one of the devices supports.
 *   devices       numDevices devices, above 0, no two the same
 *   supportedOps  array of one bool per operation, in the order of addOperation
 * BAD_STATE: the model is not finished or not valid. BAD_DATA: the list is empty or repeats a
 * device. UNEXPECTED_NULL: also for a NULL in the list. FL 3.
 */
int ANeuralNetworksModel_getSupportedOperationsForDevices(
    const ANeuralNetworksModel *model, const ANeuralNetworksDevice *const *devices,
    uint32_t numDevices, bool *supportedOps);

/**
 * The type code of an extension's operand type, for addOperand. Codes are valid in this process
 * only. The call works in every state of the model and for every name; a name unknown to all
 * devices fails in addOperand. BAD_DATA: no more extensions can be numbered. FL 3.
 */
int ANeuralNetworksModel_getExtensionOperandType(ANeuralNetworksModel *model,
                                                 const char *extensionName,
                                                 uint16_t operandCodeWithinExtension,
                                                 int32_t *type);

/**
 * The code of an extension's operation, for addOperation; as
 * ANeuralNetworksModel_getExtensionOperandType, but a name unknown to all devices fails in the
 * compilation. FL 3.
 */
int ANeuralNetworksModel_getExtensionOperationType(ANeuralNetworksModel *model,
                                                   const char *extensionName,
                                                   uint16_t operationCodeWithinExtension,
                                                   ANeuralNetworksOperationType *type);

/**
 * Attach bytes to an operand of an extension type, for the driver. The bytes are copied; NULL and 0
 * removes them. BAD_DATA: the operand is not of an extension type. FL 3.
 */
int ANeuralNetworksModel_setOperandExtensionData(ANeuralNetworksModel *model, int32_t index,
                                                 const void *data, size_t length);

/*
 * Compilations. All set* and add* calls are BAD_STATE after a call of finish.
 */

/**
 * Make a compilation for all devices. The runtime splits the model over the devices, and falls back
 * to the CPU when a driver fails. BAD_STATE: the model is not finished or not valid.
 */
int ANeuralNetworksCompilation_create(ANeuralNetworksModel *model,
                                      ANeuralNetworksCompilation **compilation);

/**
 * Make a compilation for the given devices only. An operation without a supporting device fails in
 * finish. BAD_DATA: the list is empty, repeats a device or holds an invalid pointer. BAD_STATE: the
 * model is not finished or not valid. UNEXPECTED_NULL: also for a NULL in the list. FL 3.
 */
int ANeuralNetworksCompilation_createForDevices(ANeuralNetworksModel *model,
                                                const ANeuralNetworksDevice *const *devices,
                                                uint32_t numDevices,
                                                ANeuralNetworksCompilation **compilation);

/** Free a compilation. No execution or burst of it may still be in use. */
void ANeuralNetworksCompilation_free(ANeuralNetworksCompilation *compilation);

/**
 * Set the directory in which finish looks for compiled artefacts and stores new ones.
 *   cacheDir  path of the directory; "" is the working directory
 *   token     BYTE_SIZE_OF_CACHE_TOKEN bytes, different for each model of the app; copied
 * A missing, damaged or read-only cache costs time but is never an error. FL 3.
 */
int ANeuralNetworksCompilation_setCaching(ANeuralNetworksCompilation *compilation,
                                          const char *cacheDir, const uint8_t *token);

/**
 * Set the optimisation goal, one of PreferenceCode; PREFER_FAST_SINGLE_ANSWER by default. BAD_DATA:
 * another value.
 */
int ANeuralNetworksCompilation_setPreference(ANeuralNetworksCompilation *compilation,
                                             int32_t preference);

/**
 * Plan the model and prepare it on its devices. May be called once (BAD_STATE); after a failure the
 * compilation can only be freed.
 * BAD_DATA: an operation is not supported by any of the given devices. MISSED_DEADLINE_*: see
 * setTimeout. Other codes come from the driver.
 */
int ANeuralNetworksCompilation_finish(ANeuralNetworksCompilation *compilation);

/**
 * Set the priority of the compilation's executions, a PriorityCode; PRIORITY_DEFAULT without a
 * call. BAD_DATA: another value. FL 4.
 */
int ANeuralNetworksCompilation_setPriority(ANeuralNetworksCompilation *compilation, int priority);

/**
 * Set the time limit of finish, in nanoseconds from its call; 0, the default, means no limit. The
 * limit is a hint: finish may still end late, or return MISSED_DEADLINE_*.
 * BAD_DATA: the compilation was not made by createForDevices with exactly one device. FL 4.
 */
int ANeuralNetworksCompilation_setTimeout(ANeuralNetworksCompilation *compilation,
                                          uint64_t duration);

/**
 * The preferred alignment in bytes of an input's address, or of its offset in a memory, a power of
 * two. With the preferred alignment the driver needs no copy. A hint only. BAD_STATE: not finished,
 * or finish failed. FL 5.
 */
int ANeuralNetworksCompilation_getPreferredMemoryAlignmentForInput(
    const ANeuralNetworksCompilation *compilation, uint32_t index, uint32_t *alignment);

/**
 * The preferred padding of an input's length in bytes: the length should be a multiple of the
 * padding, a power of two. Needs ANeuralNetworksExecution_enableInputAndOutputPadding. A hint only.
 * BAD_STATE: not finished, or finish failed. FL 5.
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
 * Pass an attribute of an extension to the driver for the compilation. The data is copied; a driver
 * ignores unknown attributes.
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
 * Make a burst for executions of the compilation that follow each other quickly. Drivers may keep
 * memory mapped and clocks up between the executions. BAD_STATE: the compilation is not finished,
 * or failed. FL 3.
 */
int ANeuralNetworksBurst_create(ANeuralNetworksCompilation *compilation,
                                ANeuralNetworksBurst **burst);

/** Free a burst. No execution may be running on it. FL 3. */
void ANeuralNetworksBurst_free(ANeuralNetworksBurst *burst);

/*
 * Executions. All set*, add* and enable* calls are BAD_STATE after the start of a computation.
 */

/**
 * Make an execution of a finished compilation. Set every input and output, then compute.
 * BAD_STATE: the compilation is not finished, or failed.
 */
int ANeuralNetworksExecution_create(ANeuralNetworksCompilation *compilation,
                                    ANeuralNetworksExecution **execution);

/**
 * Free an execution after its computation has returned or after a wait for its event. A running
 * execution is not freed; the log gets a warning.
 */
void ANeuralNetworksExecution_free(ANeuralNetworksExecution *execution);

/**
 * Set an input to a buffer of the app, or omit an optional input (NULL and 0).
 *   index   position in the model's list of inputs
 *   type    the shape, if the model leaves extents open; NULL: as in the model. Copied
 *   buffer  not copied: must stay valid and unchanged until the end of the computation
 *   length  the exact size in bytes, or more with padding enabled
 * BAD_DATA: the shape contradicts the model or is not fully known, or length does not suit the
 * shape. BAD_STATE: also if the input was set before. After a failure the call can be repeated.
 */
int ANeuralNetworksExecution_setInput(ANeuralNetworksExecution *execution, int32_t index,
                                      const ANeuralNetworksOperandType *type, const void *buffer,
                                      size_t length);

/**
 * Set an input to a part of a memory object. Offset and length are in bytes; 0 for both means the
 * whole memory: required for memory made from a descriptor or from a hardware buffer of another
 * format than BLOB, not allowed for other memory.
 * BAD_DATA: as for setInput, and if the part is not inside the memory, or the memory was not made
 * for this role. BAD_STATE: also if the input was set before.
 */
int ANeuralNetworksExecution_setInputFromMemory(ANeuralNetworksExecution *execution, int32_t index,
                                                const ANeuralNetworksOperandType *type,
                                                const ANeuralNetworksMemory *memory, size_t offset,
                                                size_t length);

/**
 * Set an output to a buffer of the app; as ANeuralNetworksExecution_setInput, but dimensions may
 * remain unknown: length is the capacity of the buffer in bytes. Outputs must not overlap each
 * other, an input or a constant, and must not be touched until the end of the computation.
 */
int ANeuralNetworksExecution_setOutput(ANeuralNetworksExecution *execution, int32_t index,
                                       const ANeuralNetworksOperandType *type, void *buffer,
                                       size_t length);

/** Set an output to a part of a memory object; rules of setOutput and setInputFromMemory. */
int ANeuralNetworksExecution_setOutputFromMemory(ANeuralNetworksExecution *execution, int32_t index,
                                                 const ANeuralNetworksOperandType *type,
                                                 const ANeuralNetworksMemory *memory, size_t offset,
                                                 size_t length);

/**
 * Permit lengths above the exact size; a driver may read or write the additional bytes. The call
 * comes before any input or output is set (BAD_STATE). Off by default. FL 5.
 */
int ANeuralNetworksExecution_enableInputAndOutputPadding(ANeuralNetworksExecution *execution,
                                                         bool enable);

/**
 * Permit any number of computations, of any kind, one after the other, with the same arguments. Off
 * by default: one computation only. FL 5.
 */
int ANeuralNetworksExecution_setReusable(ANeuralNetworksExecution *execution, bool reusable);

/**
 * Set the time limit of a computation, in nanoseconds from its start; 0, the default, means no
 * limit. The limit is a hint: the computation may end late, or with MISSED_DEADLINE_*.
 * BAD_DATA, checked before the state: the compilation was not made by createForDevices with exactly
 * one device. FL 4.
 */
int ANeuralNetworksExecution_setTimeout(ANeuralNetworksExecution *execution, uint64_t duration);

/**
 * Set the time limit of each WHILE in nanoseconds, at most ANeuralNetworks_getMaximumLoopTimeout;
 * longer values are cut. A loop beyond the limit ends the computation with MISSED_DEADLINE_*. 0 is
 * a limit of zero, not an infinite limit. FL 4.
 */
int ANeuralNetworksExecution_setLoopTimeout(ANeuralNetworksExecution *execution, uint64_t duration);

/**
 * Enable the measurement of times. Off by default.
 * BAD_DATA, checked before the state: the compilation was not made by createForDevices with exactly
 * one device. FL 3.
 */
int ANeuralNetworksExecution_setMeasureTiming(ANeuralNetworksExecution *execution, bool measure);

/**
 * Pass an attribute of an extension to the driver with each computation. The data is copied.
 * BAD_DATA: not exactly one device was given (checked before the state), or the attribute was added
 * before. FL 8.
 */
int ANeuralNetworksExecution_addExtensionAttribute(ANeuralNetworksExecution *execution,
                                                   const char *extensionName,
                                                   uint16_t attributeCodeWithinExtension,
                                                   const void *data, size_t length);

/**
 * Compute and wait for the end.
 * BAD_DATA: an input or output was not set. BAD_STATE: a computation is running, or has run and the
 * execution is not reusable. OP_FAILED: also for an input without contents.
 * OUTPUT_INSUFFICIENT_SIZE: an output buffer is too small; the calls for rank and dimensions give
 * the needed shape. MISSED_DEADLINE_*: see setTimeout and setLoopTimeout. After a failure the
 * contents of the outputs are undefined. FL 3.
 */
int ANeuralNetworksExecution_compute(ANeuralNetworksExecution *execution);

/**
 * As ANeuralNetworksExecution_compute, as part of a burst of the same compilation (else BAD_DATA).
 * BAD_STATE: also when another execution is running on the burst. FL 3.
 */
int ANeuralNetworksExecution_burstCompute(ANeuralNetworksExecution *execution,
                                          ANeuralNetworksBurst *burst);

/**
 * Start a computation and return. The result code is the code of the start;
 * ANeuralNetworksEvent_wait gives the code of the computation. The caller frees the event.
 * BAD_DATA, BAD_STATE: as for compute.
 */
int ANeuralNetworksExecution_startCompute(ANeuralNetworksExecution *execution,
                                          ANeuralNetworksEvent **event);

/**
 * Start a computation that begins after all events in dependencies have signalled. If a dependency
 * fails, the computation fails.
 *   dependencies      num_dependencies events; NULL if num_dependencies is 0
 *   duration          time limit in nanoseconds from the last signal; 0: no limit
 *   event             the caller frees the event; the event may carry a sync fence
 * Returns immediately, also while the dependencies wait. For all other calls the execution is
 * complete after the event was waited for or freed. UNEXPECTED_NULL: also for a NULL in the list.
 * BAD_STATE: as for compute. BAD_DATA: also if the shape of an output is not fully known, or
 * duration is not 0 and the compilation was not made by createForDevices with exactly one device.
 * FL 4.
 */
int ANeuralNetworksExecution_startComputeWithDependencies(
    ANeuralNetworksExecution *execution, const ANeuralNetworksEvent *const *dependencies,
    uint32_t num_dependencies, uint64_t duration, ANeuralNetworksEvent **event);

/**
 * The rank of an output, after the computation has succeeded or ended with OUTPUT_INSUFFICIENT_SIZE
 * (else BAD_STATE). OUTPUT_INSUFFICIENT_SIZE: the value is set, but the buffer of this output was
 * too small. FL 3.
 */
int ANeuralNetworksExecution_getOutputOperandRank(ANeuralNetworksExecution *execution,
                                                  int32_t index, uint32_t *rank);

/**
 * The extents of an output, in elements; dimensions points to an array of `rank` elements. As
 * ANeuralNetworksExecution_getOutputOperandRank. BAD_DATA: also for a scalar, an omitted output, or
 * an output of unknown rank. FL 3.
 */
int ANeuralNetworksExecution_getOutputOperandDimensions(ANeuralNetworksExecution *execution,
                                                        int32_t index, uint32_t *dimensions);

/**
 * A time of the latest computation in nanoseconds, by DurationCode; UINT64_MAX if the device does
 * not measure the time. BAD_STATE: no computation succeeded, or timing was not enabled; *duration
 * is UINT64_MAX. BAD_DATA: durationCode is no DurationCode. FL 3.
 */
int ANeuralNetworksExecution_getDuration(const ANeuralNetworksExecution *execution,
                                         int32_t durationCode, uint64_t *duration);

/*
 * Events
 */

/**
 * Make an event of a sync fence: any file descriptor that polls readable after its signal. The
 * descriptor is duplicated; the caller may close sync_fence_fd after the call. A fence fails when
 * its descriptor polls in error, or when the status of a kernel sync_file is an error; waiting for
 * the event returns OP_FAILED. BAD_DATA: sync_fence_fd is no open descriptor. FL 4.
 */
int ANeuralNetworksEvent_createFromSyncFenceFd(int sync_fence_fd, ANeuralNetworksEvent **event);

/**
 * Get the sync fence of an event, as a descriptor that the caller closes. BAD_DATA: the event has
 * no fence, or has it no more. On failure *sync_fence_fd is -1. FL 4.
 */
int ANeuralNetworksEvent_getSyncFenceFd(const ANeuralNetworksEvent *event, int *sync_fence_fd);

/**
 * Wait for the end of the work and return its result. Required before outputs are read. Any number
 * of threads may wait, any number of times.
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
