/**
 * Types, constants and codes of the Neural Networks API, except the operations
 * (NeuralNetworksOperations.h). Binary and source compatible with Android's header of the same
 * name.
 *
 * "FL n" is the first feature level with an entry; the API reports the level as
 * ANEURALNETWORKS_FEATURE_LEVEL_n.
 */
#ifndef ANDROID_NEURAL_NETWORKS_TYPES_H
#define ANDROID_NEURAL_NETWORKS_TYPES_H

#include <android/hardware_buffer.h>

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "NeuralNetworksOperations.h"

#ifndef __NNAPI_FL5_MIN_ANDROID_API__
/** The Android API level of feature level 5, for `__builtin_available`. */
#define __NNAPI_FL5_MIN_ANDROID_API__ 31
#endif

#ifdef __cplusplus
extern "C" {
#endif

/** The result of a call. All codes but NO_ERROR are failures; any call may return any code. */
typedef enum {
    /** Success. */
    ANEURALNETWORKS_NO_ERROR = 0,
    /** Memory could not be allocated. */
    ANEURALNETWORKS_OUT_OF_MEMORY = 1,
    /** An object is incomplete. Present for compatibility; never returned. */
    ANEURALNETWORKS_INCOMPLETE = 2,
    /** NULL was given for a required pointer. */
    ANEURALNETWORKS_UNEXPECTED_NULL = 3,
    /** An argument, a model or a request is not valid. Repeating the call cannot help. */
    ANEURALNETWORKS_BAD_DATA = 4,
    /** An execution, a driver or the runtime itself failed. */
    ANEURALNETWORKS_OP_FAILED = 5,
    /** The object is in a state that does not permit the call. */
    ANEURALNETWORKS_BAD_STATE = 6,
    /** Memory of a file descriptor or a hardware buffer could not be mapped. */
    ANEURALNETWORKS_UNMAPPABLE = 7,
    /** A buffer is too small for its output; the execution reports the needed shape. */
    ANEURALNETWORKS_OUTPUT_INSUFFICIENT_SIZE = 8,
    /** The device is off line or busy. */
    ANEURALNETWORKS_UNAVAILABLE_DEVICE = 9,
    /** The deadline passed; a new attempt soon may meet the deadline. FL 4. */
    ANEURALNETWORKS_MISSED_DEADLINE_TRANSIENT = 10,
    /** The deadline passed; a new attempt is not likely to meet the deadline. FL 4. */
    ANEURALNETWORKS_MISSED_DEADLINE_PERSISTENT = 11,
    /** The driver is short of resources; a new attempt soon may succeed. FL 4. */
    ANEURALNETWORKS_RESOURCE_EXHAUSTED_TRANSIENT = 12,
    /** The driver is short of resources; a new attempt is not likely to succeed. FL 4. */
    ANEURALNETWORKS_RESOURCE_EXHAUSTED_PERSISTENT = 13,
    /** The driver died. FL 4. */
    ANEURALNETWORKS_DEAD_OBJECT = 14
} ResultCode;

/**
 * The type of an operand. Scalars have no dimensions; tensors have dimensions, or a rank of 0 for
 * "not known yet". Quantised: real value = (stored value - zeroPoint) * scale. scale and zeroPoint
 * must be 0 unless the entry of a type states other values.
 */
typedef enum {
    /** A 32-bit floating point scalar. */
    ANEURALNETWORKS_FLOAT32 = 0,
    /** A signed 32-bit integer scalar. */
    ANEURALNETWORKS_INT32 = 1,
    /** An unsigned 32-bit integer scalar. */
    ANEURALNETWORKS_UINT32 = 2,
    /** A tensor of 32-bit floating point values. */
    ANEURALNETWORKS_TENSOR_FLOAT32 = 3,
    /** A tensor of signed 32-bit integers. A bias may carry a scale >= 0; zeroPoint is 0. */
    ANEURALNETWORKS_TENSOR_INT32 = 4,
    /** A tensor of uint8 values, scale > 0, zeroPoint in 0...255. */
    ANEURALNETWORKS_TENSOR_QUANT8_ASYMM = 5,
    /** A truth value in one byte: 0 is false, everything else is true. FL 3. */
    ANEURALNETWORKS_BOOL = 6,
    /** A tensor of int16 values, scale > 0, zeroPoint 0. FL 3. */
    ANEURALNETWORKS_TENSOR_QUANT16_SYMM = 7,
    /** A tensor of IEEE 754 16-bit floating point values. FL 3. */
    ANEURALNETWORKS_TENSOR_FLOAT16 = 8,
    /** A tensor of truth values of one byte each: 0 is false, everything else is true. FL 3. */
    ANEURALNETWORKS_TENSOR_BOOL8 = 9,
    /** An IEEE 754 16-bit floating point scalar. FL 3. */
    ANEURALNETWORKS_FLOAT16 = 10,
    /**
     * A tensor of int8 values with one scale per slice of one dimension and no zero point:
     * real[...c...] = stored[...c...] * scales[c]. scale and zeroPoint are 0; the scales are set
     * by ANeuralNetworksModel_setOperandSymmPerChannelQuantParams. FL 3.
     */
    ANEURALNETWORKS_TENSOR_QUANT8_SYMM_PER_CHANNEL = 11,
    /** A tensor of uint16 values, scale > 0, zeroPoint in 0...65535. FL 3. */
    ANEURALNETWORKS_TENSOR_QUANT16_ASYMM = 12,
    /** A tensor of int8 values, scale > 0, zeroPoint 0. FL 3. */
    ANEURALNETWORKS_TENSOR_QUANT8_SYMM = 13,
    /** A tensor of int8 values, scale > 0, zeroPoint in -128...127. FL 4. */
    ANEURALNETWORKS_TENSOR_QUANT8_ASYMM_SIGNED = 14,
    /** A reference to a model, set by ANeuralNetworksModel_setOperandValueFromModel. FL 4. */
    ANEURALNETWORKS_MODEL = 15
} OperandCode;

/** The activation that some operations apply to their result. */
typedef enum {
    /** The result unchanged. */
    ANEURALNETWORKS_FUSED_NONE = 0,
    /** max(0, x). */
    ANEURALNETWORKS_FUSED_RELU = 1,
    /** x clamped to -1...1. */
    ANEURALNETWORKS_FUSED_RELU1 = 2,
    /** x clamped to 0...6. */
    ANEURALNETWORKS_FUSED_RELU6 = 3
} FuseCode;

/** Implicit padding: derives the output size of a sliding window from the input size. */
typedef enum {
    /**
     * out = ceil(in / stride). The input is padded evenly on both sides, with an odd element at the
     * end. With dilation the window covers (size - 1) * dilation + 1 elements.
     */
    ANEURALNETWORKS_PADDING_SAME = 1,
    /** No padding; an incomplete window at the end is dropped. */
    ANEURALNETWORKS_PADDING_VALID = 2
} PaddingCode;

/** The optimisation goal of a compilation. */
typedef enum {
    /** Least energy; for work that runs often. */
    ANEURALNETWORKS_PREFER_LOW_POWER = 0,
    /** The shortest time to one result. The default. */
    ANEURALNETWORKS_PREFER_FAST_SINGLE_ANSWER = 1,
    /** The most results per second over a long time; for frames of a video. */
    ANEURALNETWORKS_PREFER_SUSTAINED_SPEED = 2
} PreferenceCode;

/** The kind of hardware of a device. FL 3. */
typedef enum {
    /** The driver reports no kind. */
    ANEURALNETWORKS_DEVICE_UNKNOWN = 0,
    /** None of the others. */
    ANEURALNETWORKS_DEVICE_OTHER = 1,
    /** One or more cores of a processor. */
    ANEURALNETWORKS_DEVICE_CPU = 2,
    /** A graphics processor that also computes; results need not be reproducible bit by bit. */
    ANEURALNETWORKS_DEVICE_GPU = 3,
    /** Hardware made for neural networks. */
    ANEURALNETWORKS_DEVICE_ACCELERATOR = 4
} DeviceTypeCode;

/** Feature levels as devices and the runtime report them. The first five are Android API levels. */
typedef enum {
    /** Models, compilations, executions, memory from descriptors; operations 0-28. */
    ANEURALNETWORKS_FEATURE_LEVEL_1 = 27,
    /** Relaxed float computation; operations 29-37. */
    ANEURALNETWORKS_FEATURE_LEVEL_2 = 28,
    /** Devices, bursts, caching, timing, extensions, float16, unknown rank; operations 38-94. */
    ANEURALNETWORKS_FEATURE_LEVEL_3 = 29,
    /** Fences, memory domains, deadlines, priorities, control flow; operations 95-101. */
    ANEURALNETWORKS_FEATURE_LEVEL_4 = 30,
    /** Runtime feature level, preferred alignment and padding, reusable executions. */
    ANEURALNETWORKS_FEATURE_LEVEL_5 = 31,
    /** Operations 102-103. */
    ANEURALNETWORKS_FEATURE_LEVEL_6 = 1000006,
    /** Operations 104-105, quantised RSQRT. */
    ANEURALNETWORKS_FEATURE_LEVEL_7 = 1000007,
    /** Extension attributes of compilations and executions. */
    ANEURALNETWORKS_FEATURE_LEVEL_8 = 1000008
} FeatureLevelCode;

/** Above every numbered level. */
typedef enum {
    /** The level of experimental operations; not reported by this runtime. */
    ANEURALNETWORKS_FEATURE_LEVEL_EXPERIMENTAL = 0x7FFFFFFF
} ANeuralNetworksExperimentalFeatureLevelCode;

/** The times of ANeuralNetworksExecution_getDuration, in nanoseconds. FL 3. */
typedef enum {
    /** On the hardware alone. */
    ANEURALNETWORKS_DURATION_ON_HARDWARE = 0,
    /** In the driver, its hardware included, without runtime and transport. */
    ANEURALNETWORKS_DURATION_IN_DRIVER = 1,
    /** As DURATION_ON_HARDWARE, counted from the signal of the last dependency. FL 4. */
    ANEURALNETWORKS_FENCED_DURATION_ON_HARDWARE = 2,
    /** As DURATION_IN_DRIVER, counted from the signal of the last dependency. FL 4. */
    ANEURALNETWORKS_FENCED_DURATION_IN_DRIVER = 3
} DurationCode;

/** The priority of a compilation's work among all work of the client on the device. FL 4. */
typedef enum {
    /** After everything else. */
    ANEURALNETWORKS_PRIORITY_LOW = 90,
    /** Ordinary work. */
    ANEURALNETWORKS_PRIORITY_MEDIUM = 100,
    /** Before everything else; may starve work of lower priority. */
    ANEURALNETWORKS_PRIORITY_HIGH = 110,
    /** The priority of a compilation without a setting. */
    ANEURALNETWORKS_PRIORITY_DEFAULT = ANEURALNETWORKS_PRIORITY_MEDIUM
} PriorityCode;

/** A limit of models. */
enum {
    /** The largest length in bytes that ANeuralNetworksModel_setOperandValue copies; longer buffers
     * are referenced. */
    ANEURALNETWORKS_MAX_SIZE_OF_IMMEDIATELY_COPIED_VALUES = 128
};

/** A size of the compilation cache. */
enum {
    /** The length of the token of ANeuralNetworksCompilation_setCaching in bytes. FL 3. */
    ANEURALNETWORKS_BYTE_SIZE_OF_CACHE_TOKEN = 32
};

/** Memory outside the app's own buffers: a mapped file, shared or device memory. */
typedef struct ANeuralNetworksMemory ANeuralNetworksMemory;

/** A graph of operations over operands; immutable after finish. */
typedef struct ANeuralNetworksModel ANeuralNetworksModel;

/** A model prepared for devices; immutable after finish. */
typedef struct ANeuralNetworksCompilation ANeuralNetworksCompilation;

/** One application of a compilation to inputs and outputs. */
typedef struct ANeuralNetworksExecution ANeuralNetworksExecution;

/** Running work, or a sync fence. */
typedef struct ANeuralNetworksEvent ANeuralNetworksEvent;

/** A device that runs models. Lives as long as the process. FL 3. */
typedef struct ANeuralNetworksDevice ANeuralNetworksDevice;

/** A series of executions of one compilation that follow each other quickly. FL 3. */
typedef struct ANeuralNetworksBurst ANeuralNetworksBurst;

/** The intended inputs and outputs of a memory, so that a device can allocate the memory. FL 4. */
typedef struct ANeuralNetworksMemoryDesc ANeuralNetworksMemoryDesc;

/** One of OperationCode, or a code of an extension. */
typedef int32_t ANeuralNetworksOperationType;

/**
 * The type and shape of an operand. The caller may free the struct and the dimensions after the
 * call.
 */
typedef struct ANeuralNetworksOperandType {
    /** One of OperandCode, or a code of an extension. */
    int32_t type;
    /** The rank; 0 for a scalar, and for a tensor of unknown rank (FL 3). */
    uint32_t dimensionCount;
    /** dimensionCount extents, 0 for an unknown extent; NULL exactly when dimensionCount is 0. */
    const uint32_t *dimensions;
    /** The real difference between two neighbouring stored values of a quantised type, else 0. */
    float scale;
    /** The stored value of the real 0. */
    int32_t zeroPoint;
} ANeuralNetworksOperandType;

/** The scales of a TENSOR_QUANT8_SYMM_PER_CHANNEL operand. FL 3. */
typedef struct ANeuralNetworksSymmPerChannelQuantParams {
    /** The dimension of the scales, below the rank. */
    uint32_t channelDim;
    /** The number of scales: the extent of channelDim. */
    uint32_t scaleCount;
    /** scaleCount scales, each above 0. Copied by the call. */
    const float *scales;
} ANeuralNetworksSymmPerChannelQuantParams;

#ifdef __cplusplus
}
#endif

#endif
