/**
 * The Neural Networks API as a support library: a runtime that is loaded like a driver. The only
 * entry point, ANeuralNetworks_getSLDriverImpl, returns a table of functions. implFeatureLevel at
 * the head of the table names the level, and the level names the struct of the table. A caller may
 * read a table of a level as a table of any lower level.
 *
 * Binary and source compatible with Android's header of the same name, feature levels 5 to 8.
 */
#ifndef ANDROID_NEURAL_NETWORKS_SUPPORT_LIBRARY_IMPL_H
#define ANDROID_NEURAL_NETWORKS_SUPPORT_LIBRARY_IMPL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "NeuralNetworks.h"

#ifdef __cplusplus
extern "C" {
#define NNAPI_SL_STATIC_ASSERT(condition, text) static_assert(condition, text)
#else
#define NNAPI_SL_STATIC_ASSERT(condition, text) _Static_assert(condition, text)
#endif

/*
 * Properties of devices
 */

/** The figure of SL_ANeuralNetworksDevice_getPerformanceInfo. */
typedef enum {
    /** float32 scalars that may be computed as float16. */
    SL_ANEURALNETWORKS_CAPABILITIES_PERFORMANCE_RELAXED_SCALAR = 0,
    /** float32 tensors that may be computed as float16. */
    SL_ANEURALNETWORKS_CAPABILITIES_PERFORMANCE_RELAXED_TENSOR = 1,
    /** IF itself, without its branches. */
    SL_ANEURALNETWORKS_CAPABILITIES_PERFORMANCE_IF = 2,
    /** WHILE itself, without its condition and body. */
    SL_ANEURALNETWORKS_CAPABILITIES_PERFORMANCE_WHILE = 3
} SL_ANeuralNetworksPerformanceInfoCode;

/** Ratios to the CPU; less is better. */
typedef struct {
    /** Time. */
    float execTime;
    /** Energy. */
    float powerUsage;
} SL_ANeuralNetworksPerformanceInfo;

/** The performance of a device with operands of one type, an OperandCode. */
typedef struct {
    /** The type, an OperandCode or a code of an extension. */
    int32_t operandType;
    /** Of operations with a first operand of the type. */
    SL_ANeuralNetworksPerformanceInfo performanceInfo;
} SL_ANeuralNetworksOperandPerformanceInfo;

/** An operand type of an extension. */
typedef struct {
    /** The bytes of a scalar, or of one element of a tensor. */
    uint32_t byteSize;
    /** The code within the extension. */
    uint16_t type;
    /** A tensor, not a scalar. */
    bool isTensor;
} SL_ANeuralNetworksExtensionOperandTypeInformation;

/*
 * Diagnostics
 */

/** Codes for programs that use the diagnostics; no function of this header returns one. */
typedef enum {
    /** Success. */
    ANNDIAG_NO_ERROR = 0,
    /** A support library could not be loaded. */
    ANNDIAG_FAILED_TO_LOAD_SL = 1,
    /** A service could not be registered. */
    ANNDIAG_FAILED_TO_REGISTER_SERVICE = 2,
    /** Any other failure. */
    ANNDIAG_GENERAL_ERROR = 3,
    /** An argument is not valid. */
    ANNDIAG_INVALID_ARGUMENT = 4
} ANeuralNetworksDiagnosticResultCode;

/**
 * The data types of tensors. Only FLOAT32, FLOAT16 and QUANT count; operands with different kinds
 * of data are MIXED.
 */
typedef enum {
    /** There are no operands. */
    ANNDIAG_DATA_CLASS_UNKNOWN = 0,
    /** Scalars, integers and booleans only. */
    ANNDIAG_DATA_CLASS_OTHER = 1,
    /** float32. */
    ANNDIAG_DATA_CLASS_FLOAT32 = 2,
    /** float16. */
    ANNDIAG_DATA_CLASS_FLOAT16 = 3,
    /** Quantised types. */
    ANNDIAG_DATA_CLASS_QUANT = 4,
    /** Different kinds of data. */
    ANNDIAG_DATA_CLASS_MIXED = 5
} ANeuralNetworksDiagnosticDataClass;

/** The call of an execution. */
typedef enum {
    /** None of the calls below. */
    ANNDIAG_EXECUTION_MODE_UNKNOWN = 0,
    /** ANeuralNetworksExecution_startCompute. */
    ANNDIAG_EXECUTION_MODE_ASYNC = 1,
    /** ANeuralNetworksExecution_compute. */
    ANNDIAG_EXECUTION_MODE_SYNC = 2,
    /** ANeuralNetworksExecution_burstCompute. */
    ANNDIAG_EXECUTION_MODE_BURST = 3,
    /** ANeuralNetworksExecution_startComputeWithDependencies. */
    ANNDIAG_EXECUTION_MODE_ASYNC_WITH_DEPS = 4
} ANeuralNetworksDiagnosticExecutionMode;

/** The info of an ended compilation, for the functions of the table. */
typedef struct ANeuralNetworksDiagnosticCompilationInfo ANeuralNetworksDiagnosticCompilationInfo;

/** The info of an ended execution, for the functions of the table. */
typedef struct ANeuralNetworksDiagnosticExecutionInfo ANeuralNetworksDiagnosticExecutionInfo;

/** Called once after each successful ANeuralNetworksCompilation_finish. */
typedef void (*ANeuralNetworksDiagnosticCompilationFinishedCallback)(
    const void *context, const ANeuralNetworksDiagnosticCompilationInfo *info);

/** Called once for each ended execution, in the thread in which the execution ended. */
typedef void (*ANeuralNetworksDiagnosticExecutionFinishedCallback)(
    const void *context, const ANeuralNetworksDiagnosticExecutionInfo *info);

/*
 * Tables
 */

/** The head of every table. */
typedef struct NnApiSLDriverImpl {
    /** The level of the table, one of FeatureLevelCode from ANEURALNETWORKS_FEATURE_LEVEL_5 on. */
    int64_t implFeatureLevel;
} NnApiSLDriverImpl;

/** The table of level 5. Functions without a comment are the functions of NeuralNetworks.h. */
typedef struct NnApiSLDriverImplFL5 {
    /** implFeatureLevel is ANEURALNETWORKS_FEATURE_LEVEL_5 or higher. */
    NnApiSLDriverImpl base;

    int (*ANeuralNetworksBurst_create)(ANeuralNetworksCompilation *compilation,
                                       ANeuralNetworksBurst **burst);
    void (*ANeuralNetworksBurst_free)(ANeuralNetworksBurst *burst);
    int (*ANeuralNetworksCompilation_createForDevices)(ANeuralNetworksModel *model,
                                                       const ANeuralNetworksDevice *const *devices,
                                                       uint32_t numDevices,
                                                       ANeuralNetworksCompilation **compilation);
    int (*ANeuralNetworksCompilation_finish)(ANeuralNetworksCompilation *compilation);
    void (*ANeuralNetworksCompilation_free)(ANeuralNetworksCompilation *compilation);
    int (*ANeuralNetworksCompilation_getPreferredMemoryAlignmentForInput)(
        const ANeuralNetworksCompilation *compilation, uint32_t index, uint32_t *alignment);
    int (*ANeuralNetworksCompilation_getPreferredMemoryAlignmentForOutput)(
        const ANeuralNetworksCompilation *compilation, uint32_t index, uint32_t *alignment);
    int (*ANeuralNetworksCompilation_getPreferredMemoryPaddingForInput)(
        const ANeuralNetworksCompilation *compilation, uint32_t index, uint32_t *padding);
    int (*ANeuralNetworksCompilation_getPreferredMemoryPaddingForOutput)(
        const ANeuralNetworksCompilation *compilation, uint32_t index, uint32_t *padding);
    int (*ANeuralNetworksCompilation_setCaching)(ANeuralNetworksCompilation *compilation,
                                                 const char *cacheDir, const uint8_t *token);
    int (*ANeuralNetworksCompilation_setPreference)(ANeuralNetworksCompilation *compilation,
                                                    int32_t preference);
    int (*ANeuralNetworksCompilation_setPriority)(ANeuralNetworksCompilation *compilation,
                                                  int priority);
    int (*ANeuralNetworksCompilation_setTimeout)(ANeuralNetworksCompilation *compilation,
                                                 uint64_t duration);
    int (*ANeuralNetworksDevice_getExtensionSupport)(const ANeuralNetworksDevice *device,
                                                     const char *extensionName,
                                                     bool *isExtensionSupported);
    int (*ANeuralNetworksDevice_getFeatureLevel)(const ANeuralNetworksDevice *device,
                                                 int64_t *featureLevel);
    int (*ANeuralNetworksDevice_getName)(const ANeuralNetworksDevice *device, const char **name);
    int (*ANeuralNetworksDevice_getType)(const ANeuralNetworksDevice *device, int32_t *type);
    int (*ANeuralNetworksDevice_getVersion)(const ANeuralNetworksDevice *device,
                                            const char **version);
    int (*ANeuralNetworksDevice_wait)(const ANeuralNetworksDevice *device);
    int (*ANeuralNetworksEvent_createFromSyncFenceFd)(int sync_fence_fd,
                                                      ANeuralNetworksEvent **event);
    void (*ANeuralNetworksEvent_free)(ANeuralNetworksEvent *event);
    int (*ANeuralNetworksEvent_getSyncFenceFd)(const ANeuralNetworksEvent *event,
                                               int *sync_fence_fd);
    int (*ANeuralNetworksEvent_wait)(ANeuralNetworksEvent *event);
    int (*ANeuralNetworksExecution_burstCompute)(ANeuralNetworksExecution *execution,
                                                 ANeuralNetworksBurst *burst);
    int (*ANeuralNetworksExecution_compute)(ANeuralNetworksExecution *execution);
    int (*ANeuralNetworksExecution_create)(ANeuralNetworksCompilation *compilation,
                                           ANeuralNetworksExecution **execution);
    int (*ANeuralNetworksExecution_enableInputAndOutputPadding)(ANeuralNetworksExecution *execution,
                                                                bool enable);
    void (*ANeuralNetworksExecution_free)(ANeuralNetworksExecution *execution);
    int (*ANeuralNetworksExecution_getDuration)(const ANeuralNetworksExecution *execution,
                                                int32_t durationCode, uint64_t *duration);
    int (*ANeuralNetworksExecution_getOutputOperandDimensions)(ANeuralNetworksExecution *execution,
                                                               int32_t index, uint32_t *dimensions);
    int (*ANeuralNetworksExecution_getOutputOperandRank)(ANeuralNetworksExecution *execution,
                                                         int32_t index, uint32_t *rank);
    int (*ANeuralNetworksExecution_setInput)(ANeuralNetworksExecution *execution, int32_t index,
                                             const ANeuralNetworksOperandType *type,
                                             const void *buffer, size_t length);
    int (*ANeuralNetworksExecution_setInputFromMemory)(ANeuralNetworksExecution *execution,
                                                       int32_t index,
                                                       const ANeuralNetworksOperandType *type,
                                                       const ANeuralNetworksMemory *memory,
                                                       size_t offset, size_t length);
    int (*ANeuralNetworksExecution_setLoopTimeout)(ANeuralNetworksExecution *execution,
                                                   uint64_t duration);
    int (*ANeuralNetworksExecution_setMeasureTiming)(ANeuralNetworksExecution *execution,
                                                     bool measure);
    int (*ANeuralNetworksExecution_setOutput)(ANeuralNetworksExecution *execution, int32_t index,
                                              const ANeuralNetworksOperandType *type, void *buffer,
                                              size_t length);
    int (*ANeuralNetworksExecution_setOutputFromMemory)(ANeuralNetworksExecution *execution,
                                                        int32_t index,
                                                        const ANeuralNetworksOperandType *type,
                                                        const ANeuralNetworksMemory *memory,
                                                        size_t offset, size_t length);
    int (*ANeuralNetworksExecution_setReusable)(ANeuralNetworksExecution *execution, bool reusable);
    int (*ANeuralNetworksExecution_setTimeout)(ANeuralNetworksExecution *execution,
                                               uint64_t duration);
    int (*ANeuralNetworksExecution_startComputeWithDependencies)(
        ANeuralNetworksExecution *execution, const ANeuralNetworksEvent *const *dependencies,
        uint32_t num_dependencies, uint64_t duration, ANeuralNetworksEvent **event);
    int (*ANeuralNetworksMemoryDesc_addInputRole)(ANeuralNetworksMemoryDesc *desc,
                                                  const ANeuralNetworksCompilation *compilation,
                                                  uint32_t index, float frequency);
    int (*ANeuralNetworksMemoryDesc_addOutputRole)(ANeuralNetworksMemoryDesc *desc,
                                                   const ANeuralNetworksCompilation *compilation,
                                                   uint32_t index, float frequency);
    int (*ANeuralNetworksMemoryDesc_create)(ANeuralNetworksMemoryDesc **desc);
    int (*ANeuralNetworksMemoryDesc_finish)(ANeuralNetworksMemoryDesc *desc);
    void (*ANeuralNetworksMemoryDesc_free)(ANeuralNetworksMemoryDesc *desc);
    int (*ANeuralNetworksMemoryDesc_setDimensions)(ANeuralNetworksMemoryDesc *desc, uint32_t rank,
                                                   const uint32_t *dimensions);
    int (*ANeuralNetworksMemory_copy)(const ANeuralNetworksMemory *src,
                                      const ANeuralNetworksMemory *dst);
    int (*ANeuralNetworksMemory_createFromAHardwareBuffer)(const AHardwareBuffer *ahwb,
                                                           ANeuralNetworksMemory **memory);
    int (*ANeuralNetworksMemory_createFromDesc)(const ANeuralNetworksMemoryDesc *desc,
                                                ANeuralNetworksMemory **memory);
    int (*ANeuralNetworksMemory_createFromFd)(size_t size, int protect, int fd, size_t offset,
                                              ANeuralNetworksMemory **memory);
    void (*ANeuralNetworksMemory_free)(ANeuralNetworksMemory *memory);
    int (*ANeuralNetworksModel_addOperand)(ANeuralNetworksModel *model,
                                           const ANeuralNetworksOperandType *type);
    int (*ANeuralNetworksModel_addOperation)(ANeuralNetworksModel *model,
                                             ANeuralNetworksOperationType type, uint32_t inputCount,
                                             const uint32_t *inputs, uint32_t outputCount,
                                             const uint32_t *outputs);
    int (*ANeuralNetworksModel_create)(ANeuralNetworksModel **model);
    int (*ANeuralNetworksModel_finish)(ANeuralNetworksModel *model);
    void (*ANeuralNetworksModel_free)(ANeuralNetworksModel *model);
    int (*ANeuralNetworksModel_getExtensionOperandType)(ANeuralNetworksModel *model,
                                                        const char *extensionName,
                                                        uint16_t operandCodeWithinExtension,
                                                        int32_t *type);
    int (*ANeuralNetworksModel_getExtensionOperationType)(ANeuralNetworksModel *model,
                                                          const char *extensionName,
                                                          uint16_t operationCodeWithinExtension,
                                                          ANeuralNetworksOperationType *type);
    int (*ANeuralNetworksModel_getSupportedOperationsForDevices)(
        const ANeuralNetworksModel *model, const ANeuralNetworksDevice *const *devices,
        uint32_t numDevices, bool *supportedOps);
    int (*ANeuralNetworksModel_identifyInputsAndOutputs)(ANeuralNetworksModel *model,
                                                         uint32_t inputCount,
                                                         const uint32_t *inputs,
                                                         uint32_t outputCount,
                                                         const uint32_t *outputs);
    int (*ANeuralNetworksModel_relaxComputationFloat32toFloat16)(ANeuralNetworksModel *model,
                                                                 bool allow);
    int (*ANeuralNetworksModel_setOperandExtensionData)(ANeuralNetworksModel *model, int32_t index,
                                                        const void *data, size_t length);
    int (*ANeuralNetworksModel_setOperandSymmPerChannelQuantParams)(
        ANeuralNetworksModel *model, int32_t index,
        const ANeuralNetworksSymmPerChannelQuantParams *channelQuant);
    int (*ANeuralNetworksModel_setOperandValue)(ANeuralNetworksModel *model, int32_t index,
                                                const void *buffer, size_t length);
    int (*ANeuralNetworksModel_setOperandValueFromMemory)(ANeuralNetworksModel *model,
                                                          int32_t index,
                                                          const ANeuralNetworksMemory *memory,
                                                          size_t offset, size_t length);
    int (*ANeuralNetworksModel_setOperandValueFromModel)(ANeuralNetworksModel *model, int32_t index,
                                                         const ANeuralNetworksModel *value);
    uint64_t (*ANeuralNetworks_getDefaultLoopTimeout)(void);
    int (*ANeuralNetworks_getDevice)(uint32_t devIndex, ANeuralNetworksDevice **device);
    int (*ANeuralNetworks_getDeviceCount)(uint32_t *numDevices);
    uint64_t (*ANeuralNetworks_getMaximumLoopTimeout)(void);
    int64_t (*ANeuralNetworks_getRuntimeFeatureLevel)(void);

    /*
     * The functions of support libraries. NULL is UNEXPECTED_NULL unless a comment states
     * otherwise. After a failure the returned value is 0 or NULL.
     */

    /**
     * As ANeuralNetworksCompilation_setCaching, with open files instead of a directory. The
     * descriptors are duplicated; the caller may close them after the call. A list of files may be
     * NULL if its count is 0. BAD_STATE: the compilation is finished. BAD_DATA: a file cannot be
     * duplicated. A count that differs from the device's number of cache files is no error: nothing
     * is cached.
     */
    int (*SL_ANeuralNetworksCompilation_setCachingFromFds)(ANeuralNetworksCompilation *compilation,
                                                           const int *modelCacheFds,
                                                           const uint32_t numModelCacheFiles,
                                                           const int *dataCacheFds,
                                                           const uint32_t numDataCacheFiles,
                                                           const uint8_t *token);

    /** The number of cache files of the device, by kind. Both 0: the device does not cache. */
    int (*SL_ANeuralNetworksDevice_getNumberOfCacheFilesNeeded)(const ANeuralNetworksDevice *device,
                                                                uint32_t *numModelCacheFiles,
                                                                uint32_t *numDataCacheFiles);

    /** The performance of the device with relaxed floats, IF or WHILE. BAD_DATA: the kind is none
     * of SL_ANeuralNetworksPerformanceInfoCode. */
    int (*SL_ANeuralNetworksDevice_getPerformanceInfo)(
        const ANeuralNetworksDevice *device, int32_t performanceInfoKind,
        SL_ANeuralNetworksPerformanceInfo *performanceInfo);

    /**
     * Call back once for each operand type with a performance figure, in this thread, before the
     * call ends. context is passed on unchanged, but NULL is UNEXPECTED_NULL as everywhere.
     */
    int (*SL_ANeuralNetworksDevice_forEachOperandPerformanceInfo)(
        const ANeuralNetworksDevice *device, void *context,
        void (*callback)(SL_ANeuralNetworksOperandPerformanceInfo, void *));

    /** The number of extensions of the device. */
    int (*SL_ANeuralNetworksDevice_getVendorExtensionCount)(const ANeuralNetworksDevice *device,
                                                            uint32_t *vendorExtensionCount);

    /** The name of an extension. The name lives as long as the process. BAD_DATA: the index is not
     * below the count. */
    int (*SL_ANeuralNetworksDevice_getVendorExtensionName)(const ANeuralNetworksDevice *device,
                                                           uint32_t vendorExtensionIndex,
                                                           const char **extensionName);

    /**
     * Call back once for each operand type of an extension, in this thread, before the call ends.
     * BAD_DATA: the index is not below the count.
     */
    int (*SL_ANeuralNetworksDevice_forEachVendorExtensionOperandTypeInformation)(
        const ANeuralNetworksDevice *device, uint32_t vendorExtensionIndex, void *context,
        void (*callback)(SL_ANeuralNetworksExtensionOperandTypeInformation, void *));

    /*
     * The info of an ended compilation. The info is valid during the callback only, strings and
     * hashes included. For an info of NULL getErrorCode returns UNEXPECTED_NULL, and all other
     * functions return 0 or NULL.
     */

    /** A number drawn at random once per process. */
    int32_t (*SL_ANeuralNetworksDiagnosticCompilationInfo_getSessionId)(
        const ANeuralNetworksDiagnosticCompilationInfo *diagnosticCompilationInfo);

    /** The feature level of the runtime, one of FeatureLevelCode. */
    int64_t (*SL_ANeuralNetworksDiagnosticCompilationInfo_getNnApiVersion)(
        const ANeuralNetworksDiagnosticCompilationInfo *diagnosticCompilationInfo);

    /** A hash of 32 bytes. Models that differ only in the values of constants have the same
     * hash. */
    const uint8_t *(*SL_ANeuralNetworksDiagnosticCompilationInfo_getModelArchHash)(
        const ANeuralNetworksDiagnosticCompilationInfo *diagnosticCompilationInfo);

    /** The devices of the compilation: "name=version", sorted, with commas between them. */
    const char *(*SL_ANeuralNetworksDiagnosticCompilationInfo_getDeviceIds)(
        const ANeuralNetworksDiagnosticCompilationInfo *diagnosticCompilationInfo);

    /** The result of ANeuralNetworksCompilation_finish, a ResultCode. */
    int32_t (*SL_ANeuralNetworksDiagnosticCompilationInfo_getErrorCode)(
        const ANeuralNetworksDiagnosticCompilationInfo *diagnosticCompilationInfo);

    /** The data class of all inputs, and of all outputs, of the model. */
    ANeuralNetworksDiagnosticDataClass (
        *SL_ANeuralNetworksDiagnosticCompilationInfo_getInputDataClass)(
        const ANeuralNetworksDiagnosticCompilationInfo *diagnosticCompilationInfo);
    ANeuralNetworksDiagnosticDataClass (
        *SL_ANeuralNetworksDiagnosticCompilationInfo_getOutputDataClass)(
        const ANeuralNetworksDiagnosticCompilationInfo *diagnosticCompilationInfo);

    /** The duration of ANeuralNetworksCompilation_finish. */
    uint64_t (*SL_ANeuralNetworksDiagnosticCompilationInfo_getCompilationTimeNanos)(
        const ANeuralNetworksDiagnosticCompilationInfo *diagnosticCompilationInfo);

    /** The app has asked for caching, with or without a device that caches. */
    bool (*SL_ANeuralNetworksDiagnosticCompilationInfo_isCachingEnabled)(
        const ANeuralNetworksDiagnosticCompilationInfo *diagnosticCompilationInfo);

    /** The model has an IF or a WHILE. */
    bool (*SL_ANeuralNetworksDiagnosticCompilationInfo_isControlFlowUsed)(
        const ANeuralNetworksDiagnosticCompilationInfo *diagnosticCompilationInfo);

    /** A tensor between two steps of the plan has an unknown shape. */
    bool (*SL_ANeuralNetworksDiagnosticCompilationInfo_areDynamicTensorsUsed)(
        const ANeuralNetworksDiagnosticCompilationInfo *diagnosticCompilationInfo);

    /*
     * The info of an ended execution, with the rules of the info of a compilation.
     */

    /** As SL_ANeuralNetworksDiagnosticCompilationInfo_getSessionId. */
    int32_t (*SL_ANeuralNetworksDiagnosticExecutionInfo_getSessionId)(
        const ANeuralNetworksDiagnosticExecutionInfo *diagnosticExecutionInfo);

    /** As SL_ANeuralNetworksDiagnosticCompilationInfo_getNnApiVersion. */
    int64_t (*SL_ANeuralNetworksDiagnosticExecutionInfo_getNnApiVersion)(
        const ANeuralNetworksDiagnosticExecutionInfo *diagnosticExecutionInfo);

    /** As SL_ANeuralNetworksDiagnosticCompilationInfo_getModelArchHash. */
    const uint8_t *(*SL_ANeuralNetworksDiagnosticExecutionInfo_getModelArchHash)(
        const ANeuralNetworksDiagnosticExecutionInfo *diagnosticExecutionInfo);

    /** As SL_ANeuralNetworksDiagnosticCompilationInfo_getDeviceIds. */
    const char *(*SL_ANeuralNetworksDiagnosticExecutionInfo_getDeviceIds)(
        const ANeuralNetworksDiagnosticExecutionInfo *diagnosticExecutionInfo);

    /** The call of the execution. */
    ANeuralNetworksDiagnosticExecutionMode (
        *SL_ANeuralNetworksDiagnosticExecutionInfo_getExecutionMode)(
        const ANeuralNetworksDiagnosticExecutionInfo *diagnosticExecutionInfo);

    /** The data class of all inputs, and of all outputs, of the model. */
    ANeuralNetworksDiagnosticDataClass (
        *SL_ANeuralNetworksDiagnosticExecutionInfo_getInputDataClass)(
        const ANeuralNetworksDiagnosticExecutionInfo *diagnosticExecutionInfo);
    ANeuralNetworksDiagnosticDataClass (
        *SL_ANeuralNetworksDiagnosticExecutionInfo_getOutputDataClass)(
        const ANeuralNetworksDiagnosticExecutionInfo *diagnosticExecutionInfo);

    /** The result of the execution, a ResultCode. */
    uint32_t (*SL_ANeuralNetworksDiagnosticExecutionInfo_getErrorCode)(
        const ANeuralNetworksDiagnosticExecutionInfo *diagnosticExecutionInfo);

    /** The time from the call to the end of the execution. UINT64_MAX, not known, for
     * ASYNC_WITH_DEPS. */
    uint64_t (*SL_ANeuralNetworksDiagnosticExecutionInfo_getRuntimeExecutionTimeNanos)(
        const ANeuralNetworksDiagnosticExecutionInfo *diagnosticExecutionInfo);

    /** The time in the driver, and on the hardware. UINT64_MAX, not known, unless the execution
     * measures its timing and the device reports the time. */
    uint64_t (*SL_ANeuralNetworksDiagnosticExecutionInfo_getDriverExecutionTimeNanos)(
        const ANeuralNetworksDiagnosticExecutionInfo *diagnosticExecutionInfo);
    uint64_t (*SL_ANeuralNetworksDiagnosticExecutionInfo_getHardwareExecutionTimeNanos)(
        const ANeuralNetworksDiagnosticExecutionInfo *diagnosticExecutionInfo);

    /** As SL_ANeuralNetworksDiagnosticCompilationInfo_isCachingEnabled. */
    bool (*SL_ANeuralNetworksDiagnosticExecutionInfo_isCachingEnabled)(
        const ANeuralNetworksDiagnosticExecutionInfo *diagnosticExecutionInfo);

    /** As SL_ANeuralNetworksDiagnosticCompilationInfo_isControlFlowUsed. */
    bool (*SL_ANeuralNetworksDiagnosticExecutionInfo_isControlFlowUsed)(
        const ANeuralNetworksDiagnosticExecutionInfo *diagnosticExecutionInfo);

    /** As SL_ANeuralNetworksDiagnosticCompilationInfo_areDynamicTensorsUsed. */
    bool (*SL_ANeuralNetworksDiagnosticExecutionInfo_areDynamicTensorsUsed)(
        const ANeuralNetworksDiagnosticExecutionInfo *diagnosticExecutionInfo);

    /**
     * Set the callbacks for the end of every compilation and execution that begins after the call;
     * replaces the earlier callbacks. A callback of NULL is not called. Callbacks come from the
     * thread in which the work ended, from several threads at once, and get callbackContext
     * unchanged. The call does not wait for a running callback: a replaced callback may still be
     * running for work that ended before the call.
     */
    void (*SL_ANeuralNetworksDiagnostic_registerCallbacks)(
        ANeuralNetworksDiagnosticCompilationFinishedCallback compilationCallback,
        ANeuralNetworksDiagnosticExecutionFinishedCallback executionCallback,
        void *callbackContext);
} NnApiSLDriverImplFL5;

/** Levels 6 and 7 add nothing. */
typedef NnApiSLDriverImplFL5 NnApiSLDriverImplFL6;
typedef NnApiSLDriverImplFL5 NnApiSLDriverImplFL7;

/** The table of level 8. */
typedef struct NnApiSLDriverImplFL8 {
    /** implFeatureLevel is ANEURALNETWORKS_FEATURE_LEVEL_8 or higher. */
    NnApiSLDriverImplFL5 base;

    int (*ANeuralNetworksCompilation_addExtensionAttribute)(ANeuralNetworksCompilation *compilation,
                                                            const char *extensionName,
                                                            uint16_t attributeCodeWithinExtension,
                                                            const void *data, size_t length);
    int (*ANeuralNetworksExecution_addExtensionAttribute)(ANeuralNetworksExecution *execution,
                                                          const char *extensionName,
                                                          uint16_t attributeCodeWithinExtension,
                                                          const void *data, size_t length);
} NnApiSLDriverImplFL8;

#define NNAPI_SL_TABLE_SIZE(functions) (sizeof(int64_t) + (functions) * sizeof(void (*)(void)))

NNAPI_SL_STATIC_ASSERT(sizeof(NnApiSLDriverImpl) == 8, "NnApiSLDriverImpl is frozen");
NNAPI_SL_STATIC_ASSERT(
    sizeof(NnApiSLDriverImplFL5) == NNAPI_SL_TABLE_SIZE(104) &&
        offsetof(NnApiSLDriverImplFL5, ANeuralNetworksBurst_create) == NNAPI_SL_TABLE_SIZE(0) &&
        offsetof(NnApiSLDriverImplFL5, SL_ANeuralNetworksCompilation_setCachingFromFds) ==
            NNAPI_SL_TABLE_SIZE(71) &&
        offsetof(NnApiSLDriverImplFL5, SL_ANeuralNetworksDiagnostic_registerCallbacks) ==
            NNAPI_SL_TABLE_SIZE(103),
    "NnApiSLDriverImplFL5 is frozen");
NNAPI_SL_STATIC_ASSERT(sizeof(NnApiSLDriverImplFL8) == NNAPI_SL_TABLE_SIZE(106) &&
                           offsetof(NnApiSLDriverImplFL8,
                                    ANeuralNetworksExecution_addExtensionAttribute) ==
                               NNAPI_SL_TABLE_SIZE(105),
                       "NnApiSLDriverImplFL8 is frozen");
NNAPI_SL_STATIC_ASSERT(sizeof(SL_ANeuralNetworksPerformanceInfo) == 8 &&
                           sizeof(SL_ANeuralNetworksOperandPerformanceInfo) == 12 &&
                           sizeof(SL_ANeuralNetworksExtensionOperandTypeInformation) == 8,
                       "structs given to callbacks are frozen");

#undef NNAPI_SL_TABLE_SIZE
#undef NNAPI_SL_STATIC_ASSERT

#if defined(__GNUC__)
#pragma GCC visibility push(default)
#endif

/**
 * The table of this library, of level 8. The table is constant, always the same, and lives as long
 * as the library is loaded. FL 5.
 */
NnApiSLDriverImpl *ANeuralNetworks_getSLDriverImpl(void);

#if defined(__GNUC__)
#pragma GCC visibility pop
#endif

#ifdef __cplusplus
}
#endif

#endif
