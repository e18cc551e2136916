/*
 * The extension org.halyard.operations: operand types and operations that NNAPI lacks. An app gets
 * the code of a type from ANeuralNetworksModel_getExtensionOperandType and of an operation from
 * ANeuralNetworksModel_getExtensionOperationType, with this name and a number of this header.
 * docs/extension.md defines types and operations.
 */
#ifndef HALYARD_OPERATIONS_H
#define HALYARD_OPERATIONS_H

/* The name of the extension. */
#define HALYARD_OPERATIONS_NAME "org.halyard.operations"

/* Operand types: tensors of numbers without scale and zero point. */
enum {
    HALYARD_TENSOR_INT8 = 0,     /* signed, 8 bits */
    HALYARD_TENSOR_INT16 = 1,    /* signed, 16 bits */
    HALYARD_TENSOR_INT64 = 2,    /* signed, 64 bits */
    HALYARD_TENSOR_UINT8 = 3,    /* unsigned, 8 bits; also the bytes of texts */
    HALYARD_TENSOR_UINT16 = 4,   /* unsigned, 16 bits */
    HALYARD_TENSOR_UINT32 = 5,   /* unsigned, 32 bits */
    HALYARD_TENSOR_UINT64 = 6,   /* unsigned, 64 bits */
    HALYARD_TENSOR_FLOAT64 = 7,  /* IEEE 754, 64 bits */
    HALYARD_TENSOR_BFLOAT16 = 8, /* the upper half of a float32 */
    HALYARD_OPERAND_TYPE_COUNT   /* the number of operand types */
};

/* Operations. */
enum {
    /* Element-wise, of two tensors that broadcast */
    HALYARD_ADD = 0,       /* sum, with a fused activation */
    HALYARD_SUB = 1,       /* difference, with a fused activation */
    HALYARD_MUL = 2,       /* product, with a fused activation */
    HALYARD_DIV = 3,       /* quotient, of integers rounded towards zero, with a fused activation */
    HALYARD_FLOOR_DIV = 4, /* quotient rounded down */
    HALYARD_FLOOR_MOD = 5, /* remainder with the sign of the divisor */
    HALYARD_TRUNCATE_MOD = 6,        /* remainder with the sign of the dividend */
    HALYARD_POW = 7,                 /* power */
    HALYARD_MAXIMUM = 8,             /* larger element */
    HALYARD_MINIMUM = 9,             /* smaller element */
    HALYARD_SQUARED_DIFFERENCE = 10, /* square of the difference */
    HALYARD_ATAN2 = 11,              /* angle of the point (b, a) */
    HALYARD_PRELU = 12,              /* a where a >= 0, else a * b */
    HALYARD_BITWISE_AND = 13,        /* bits of both */
    HALYARD_BITWISE_OR = 14,         /* bits of one or both */
    HALYARD_BITWISE_XOR = 15,        /* bits of one */
    HALYARD_LEFT_SHIFT = 16,         /* bits moved up */
    HALYARD_RIGHT_SHIFT = 17,        /* bits moved down, of signed integers with the sign */
    HALYARD_EQUAL = 18,              /* whether elements are equal */
    HALYARD_NOT_EQUAL = 19,          /* whether elements differ */
    HALYARD_LESS = 20,               /* whether a < b */
    HALYARD_LESS_EQUAL = 21,         /* whether a <= b */
    HALYARD_GREATER = 22,            /* whether a > b */
    HALYARD_GREATER_EQUAL = 23,      /* whether a >= b */
    HALYARD_LOGICAL_AND = 24,        /* both */
    HALYARD_LOGICAL_OR = 25,         /* one or both */
    HALYARD_LOGICAL_XOR = 26,        /* one of both */
    HALYARD_SELECT = 27,             /* a where the condition holds, else b */

    /* Element-wise, of one tensor */
    HALYARD_ABS = 28,        /* magnitude */
    HALYARD_NEG = 29,        /* negation */
    HALYARD_SIGN = 30,       /* -1, 0 or 1 */
    HALYARD_CEIL = 31,       /* rounded up */
    HALYARD_FLOOR = 32,      /* rounded down */
    HALYARD_ROUND = 33,      /* rounded to the nearest integer, halves to even */
    HALYARD_TRUNCATE = 34,   /* rounded towards zero */
    HALYARD_EXP = 35,        /* exponential function */
    HALYARD_LOG = 36,        /* natural logarithm */
    HALYARD_SQRT = 37,       /* square root */
    HALYARD_RSQRT = 38,      /* reciprocal of the square root */
    HALYARD_SIN = 39,        /* sine */
    HALYARD_COS = 40,        /* cosine */
    HALYARD_SQUARE = 41,     /* square */
    HALYARD_ERF = 42,        /* error function */
    HALYARD_LOGISTIC = 43,   /* 1 / (1 + exp(-x)) */
    HALYARD_TANH = 44,       /* hyperbolic tangent */
    HALYARD_ELU = 45,        /* x >= 0 ? x : alpha * (exp(x) - 1) */
    HALYARD_HARD_SWISH = 46, /* x * clamp(x + 3, 0, 6) / 6 */
    HALYARD_LEAKY_RELU = 47, /* x >= 0 ? x : alpha * x */
    HALYARD_GELU = 48,  /* x times the normal distribution function of x, or its approximation */
    HALYARD_RELU = 49,  /* max(x, 0) */
    HALYARD_RELU1 = 50, /* clamp(x, -1, 1) */
    HALYARD_RELU6 = 51, /* clamp(x, 0, 6) */
    HALYARD_RELU_0_TO_1 = 52,      /* clamp(x, 0, 1) */
    HALYARD_LOGICAL_NOT = 53,      /* opposite */
    HALYARD_BITWISE_NOT = 54,      /* opposite bits */
    HALYARD_CAST = 55,             /* conversion between element types */
    HALYARD_BITCAST = 56,          /* the same bits as another element type */
    HALYARD_QUANTIZE = 57,         /* real or quantised numbers to quantised ones */
    HALYARD_DEQUANTIZE = 58,       /* quantised numbers to real ones */
    HALYARD_SOFTMAX = 59,          /* exponentials over their sum, along one dimension */
    HALYARD_LOG_SOFTMAX = 60,      /* logarithm of SOFTMAX */
    HALYARD_L2_NORMALIZATION = 61, /* elements over the length of their vector */

    /* Movement of elements */
    HALYARD_RESHAPE = 62,              /* the same elements in another shape */
    HALYARD_TRANSPOSE = 63,            /* dimensions in another order */
    HALYARD_CONCATENATION = 64,        /* tensors joined along a dimension */
    HALYARD_SPLIT = 65,                /* a tensor cut along a dimension */
    HALYARD_PACK = 66,                 /* tensors joined along a new dimension */
    HALYARD_UNPACK = 67,               /* a tensor cut along a dimension, which is removed */
    HALYARD_SLICE = 68,                /* a box */
    HALYARD_STRIDED_SLICE = 69,        /* every n-th element of a box */
    HALYARD_PAD = 70,                  /* a border of constant elements */
    HALYARD_MIRROR_PAD = 71,           /* a border of mirrored elements */
    HALYARD_TILE = 72,                 /* repeated copies */
    HALYARD_BROADCAST_TO = 73,         /* extents of 1 repeated */
    HALYARD_REVERSE = 74,              /* elements of some dimensions in opposite order */
    HALYARD_REVERSE_SEQUENCE = 75,     /* the first elements of each sequence in opposite order */
    HALYARD_SPACE_TO_BATCH_ND = 76,    /* blocks become batches */
    HALYARD_BATCH_TO_SPACE_ND = 77,    /* batches become blocks */
    HALYARD_SPACE_TO_DEPTH = 78,       /* blocks become channels */
    HALYARD_DEPTH_TO_SPACE = 79,       /* channels become blocks */
    HALYARD_DILATE = 80,               /* a value between neighbours */
    HALYARD_GATHER = 81,               /* slices by index */
    HALYARD_GATHER_ND = 82,            /* slices by vectors of indices */
    HALYARD_EMBEDDING_LOOKUP = 83,     /* rows by index */
    HALYARD_SCATTER_ND = 84,           /* slices added at vectors of indices */
    HALYARD_DYNAMIC_UPDATE_SLICE = 85, /* a box replaced */
    HALYARD_SPARSE_TO_DENSE = 86,      /* elements set at vectors of indices */
    HALYARD_ONE_HOT = 87,              /* one value at the index, another elsewhere */
    HALYARD_FILL = 88,                 /* one value */
    HALYARD_RANGE = 89,                /* numbers with equal steps */
    HALYARD_MATRIX_DIAG = 90,          /* matrices with a diagonal */
    HALYARD_MATRIX_SET_DIAG = 91,      /* matrices with another diagonal */
    HALYARD_SHAPE = 92,                /* extents of a tensor */

    /* Reduction, search and order */
    HALYARD_REDUCE_SUM = 93,             /* sum */
    HALYARD_REDUCE_MEAN = 94,            /* mean */
    HALYARD_REDUCE_PROD = 95,            /* product */
    HALYARD_REDUCE_MAX = 96,             /* largest element */
    HALYARD_REDUCE_MIN = 97,             /* smallest element */
    HALYARD_REDUCE_ALL = 98,             /* whether all hold */
    HALYARD_REDUCE_ANY = 99,             /* whether at least one holds */
    HALYARD_ARG_MAX = 100,               /* index of the largest element */
    HALYARD_ARG_MIN = 101,               /* index of the smallest element */
    HALYARD_CUMSUM = 102,                /* running sum */
    HALYARD_REDUCE_WINDOW = 103,         /* reduction over windows of any rank */
    HALYARD_SEGMENT_SUM = 104,           /* sum of neighbouring rows with one number */
    HALYARD_UNSORTED_SEGMENT_SUM = 105,  /* sum of rows with one number */
    HALYARD_UNSORTED_SEGMENT_PROD = 106, /* product of rows with one number */
    HALYARD_UNSORTED_SEGMENT_MAX = 107,  /* largest elements of rows with one number */
    HALYARD_UNSORTED_SEGMENT_MIN = 108,  /* smallest elements of rows with one number */
    HALYARD_TOP_K = 109,                 /* largest elements and their indices */
    /* distinct elements in the order of their first occurrence */
    HALYARD_UNIQUE = 110,
    HALYARD_WHERE = 111,               /* indices of the elements that are not zero */
    HALYARD_BUCKETIZE = 112,           /* index of the bucket of each element */
    HALYARD_NON_MAX_SUPPRESSION = 113, /* indices of boxes that do not overlap a better box */
    /* as NON_MAX_SUPPRESSION, with scores reduced by overlap */
    HALYARD_SOFT_NON_MAX_SUPPRESSION = 114,
    HALYARD_MULTINOMIAL = 115,    /* samples of a distribution */
    HALYARD_RANDOM_UNIFORM = 116, /* uniform random numbers */
    HALYARD_RANDOM_NORMAL = 117,  /* random numbers of the normal distribution */

    /* Convolution, pooling, matrices */
    HALYARD_CONV_2D = 118,                   /* convolution of images */
    HALYARD_DEPTHWISE_CONV_2D = 119,         /* convolution of each channel */
    HALYARD_TRANSPOSE_CONV_2D = 120,         /* transposed convolution of images */
    HALYARD_CONV_3D = 121,                   /* convolution of volumes */
    HALYARD_TRANSPOSE_CONV_3D = 122,         /* transposed convolution of volumes */
    HALYARD_FULLY_CONNECTED = 123,           /* matrix of weights times vectors */
    HALYARD_BATCH_MATMUL = 124,              /* product of matrices */
    HALYARD_AVERAGE_POOL_2D = 125,           /* mean over windows */
    HALYARD_MAX_POOL_2D = 126,               /* largest element of windows */
    HALYARD_MAX_POOL_WITH_ARGMAX_2D = 127,   /* as MAX_POOL_2D, with the indices of the elements */
    HALYARD_MAX_UNPOOL_2D = 128,             /* elements at the indices of a pooling */
    HALYARD_RESIZE_BILINEAR = 129,           /* images of another size, interpolated */
    HALYARD_RESIZE_NEAREST_NEIGHBOR = 130,   /* images of another size, by the nearest pixel */
    HALYARD_TRANSFORM_TENSOR_BILINEAR = 131, /* an image seen through a matrix */
    HALYARD_LANDMARKS_TO_TRANSFORM_MATRIX = 132, /* the matrix that centres landmarks */
    HALYARD_TRANSFORM_LANDMARKS = 133,           /* landmarks through a matrix */

    /* Recurrent networks */
    HALYARD_LSTM = 134,                         /* one step of a long short-term memory */
    HALYARD_UNIDIRECTIONAL_SEQUENCE_LSTM = 135, /* a long short-term memory over time */
    HALYARD_SVDF = 136,                         /* one step of a filter by singular values */

    /* Signals, tables and texts */
    HALYARD_RFFT_2D = 137,                 /* Fourier transform of real matrices */
    HALYARD_COMPLEX_ABS = 138,             /* magnitude of complex numbers */
    HALYARD_HASHTABLE_FIND = 139,          /* values by key */
    HALYARD_HASHTABLE_LOOKUP = 140,        /* rows by key */
    HALYARD_EMBEDDING_LOOKUP_SPARSE = 141, /* weighted sums of rows */
    HALYARD_LSH_PROJECTION = 142,          /* bits of a projection by hashes */
    HALYARD_OPERATION_COUNT                /* the number of operations */
};

#endif
