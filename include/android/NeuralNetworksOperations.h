/**
 * The operations of the Neural Networks API. Included by NeuralNetworksTypes.h.
 *
 * Each entry gives its meaning, its inputs and its outputs in order. Notation:
 *   F32 F16 I32 B8   TENSOR_FLOAT32, TENSOR_FLOAT16, TENSOR_INT32, TENSOR_BOOL8
 *   Q8 Q8S           TENSOR_QUANT8_ASYMM, TENSOR_QUANT8_ASYMM_SIGNED
 *   Q8Y Q8C          TENSOR_QUANT8_SYMM, TENSOR_QUANT8_SYMM_PER_CHANNEL
 *   Q16Y Q16A        TENSOR_QUANT16_SYMM, TENSOR_QUANT16_ASYMM
 *   i32 f32 f16 bool  scalars; f is f32, and f16 beside F16 tensors
 *   T                the type of the main input, out of the listed types; outputs have the same
 *                    type
 *   [x]              may be absent at the end of the list
 *   x?               may be omitted: an operand without a value
 *   act              i32, one of FuseCode
 *   scheme           i32, one of PaddingCode; pads: i32 left, right, top, bottom
 *   nchw             bool: feature maps are [N, C, H, W]; else, and by default, [N, H, W, C]
 * F16 and the types B8, Q8Y, Q8C, Q16Y, Q16A, and an optional nchw need feature level 3, Q8S needs
 * 4; other levels stand behind the type. Widths come before heights, unless an entry states
 * otherwise. Axes may be negative, counting from the end, unless an entry states otherwise.
 * Quantised outputs of operations that only move values have the scale and zero point of the input.
 * "Rank 4" and similar notes refer to the main input; binary operations broadcast from the last
 * dimension on.
 */
#ifndef ANDROID_NEURAL_NETWORKS_OPERATIONS_H
#define ANDROID_NEURAL_NETWORKS_OPERATIONS_H

/** The operations. */
typedef enum {
    /**
     * a + b, broadcast, then the activation (none for I32). FL 1, rank up to 4.
     * in: T a, T b, act. out: sum. T: F32, Q8, F16, I32 (FL 4), Q8S.
     */
    ANEURALNETWORKS_ADD = 0,
    /**
     * The average of each window, padding not counted. FL 1, rank 4.
     * in: T, scheme or pads, stride w, stride h, filter w, filter h, act, [nchw]. out: T.
     * T: F32, Q8, F16, Q8S; scale and zero point of the output are those of the input.
     */
    ANEURALNETWORKS_AVERAGE_POOL_2D = 1,
    /**
     * Tensors joined along an axis, which is last and not negative. FL 1, rank up to 4.
     * in: T one or more, i32 axis. out: T. T: F32, Q8 (FL 3 when the inputs' scale or zero point
     * differ from the output's), F16, Q8S.
     */
    ANEURALNETWORKS_CONCATENATION = 2,
    /**
     * Convolution of a feature map with filters. FL 1, rank 4.
     * in: T, filter [out channels, h, w, in channels], bias [out channels], scheme or pads, stride
     * w, stride h, act, [nchw], [dilation w, dilation h: FL 3]. out: T.
     * T: F32, F16, Q8, Q8S; filters of T, or Q8C by dimension 0; the bias of a quantised
     * convolution is I32 with scale input * filter. With 10 inputs the type of input 7 selects the
     * form: bool (implicit padding, dilation) or i32 (explicit padding).
     */
    ANEURALNETWORKS_CONV_2D = 3,
    /**
     * Convolution of each channel with separate filters. FL 1, rank 4.
     * in: as CONV_2D, with i32 depth multiplier before act, filter [1, h, w, out channels]. out: T;
     * channel c * multiplier + m comes from channel c. Q8C filters by dimension 3. With 11 inputs
     * the type of input 8 selects the form.
     */
    ANEURALNETWORKS_DEPTHWISE_CONV_2D = 4,
    /**
     * Blocks of channels moved into space. FL 1, rank 4.
     * in: T, i32 block size, [nchw]. out: T [N, H * b, W * b, C / (b * b)]. T: F32, Q8, F16, Q8S.
     */
    ANEURALNETWORKS_DEPTH_TO_SPACE = 5,
    /**
     * Real values of stored values: (q - zero point) * scale. FL 1, rank up to 4.
     * in: Q8, Q8Y, Q8C or Q8S. out: F32 or F16 of the same shape.
     */
    ANEURALNETWORKS_DEQUANTIZE = 6,
    /**
     * Rows picked from a table. FL 1.
     * in: I32 rows [k], T table [n, ...]. out: T [k, ...]. T: F32, I32 (FL 3), Q8 (FL 3), F16
     * (FL 4), Q8S. A row outside the table fails the execution.
     */
    ANEURALNETWORKS_EMBEDDING_LOOKUP = 7,
    /** The largest integer not above x. FL 1, rank up to 4. in: F32 or F16. out: the same type. */
    ANEURALNETWORKS_FLOOR = 8,
    /**
     * act(x * weights^T + bias), with x as [batches, in]. FL 1, rank 2 to 4.
     * in: T x, weights [out, in], bias [out], act. out: T [batches, out].
     * T: F32, Q8, F16, Q8S; the bias of a quantised layer is I32 with scale input * weights.
     */
    ANEURALNETWORKS_FULLY_CONNECTED = 9,
    /**
     * Rows found by key; zero bytes where a key is missing. FL 1.
     * in: I32 wanted [k], I32 keys [n] ascending, T values [n, ...]. out: T [k, ...], Q8 hits [k]
     * (1 found, 0 not; scale 1, zero point 0). T: F32, I32, Q8.
     */
    ANEURALNETWORKS_HASHTABLE_LOOKUP = 10,
    /**
     * x / max(sqrt(sum of x^2), 1e-6) along an axis, the last by default. FL 1, rank 4 (FL 3: up
     * to 4). in: T, [i32 axis: FL 3]. out: T; quantised: scale 1/128, zero point 128 (Q8), 0 (Q8S).
     * T: F32, F16, Q8 (FL 3), Q8S.
     */
    ANEURALNETWORKS_L2_NORMALIZATION = 11,
    /**
     * The root of the mean square of each window, padding not counted. FL 1, rank 4.
     * in, out: as AVERAGE_POOL_2D. T: F32, F16.
     */
    ANEURALNETWORKS_L2_POOL_2D = 12,
    /**
     * x * (bias + alpha * sum of x^2 over radius neighbours each way)^-beta. FL 1, rank 4 (FL 3: up
     * to 4). in: T, i32 radius, f bias, f alpha, f beta, [i32 axis: FL 3; default -1]. out: T.
     * T: F32, F16.
     */
    ANEURALNETWORKS_LOCAL_RESPONSE_NORMALIZATION = 13,
    /**
     * 1 / (1 + exp(-x)). FL 1, rank up to 4. in: T. out: T; quantised: scale 1/256, zero point 0
     * (Q8), -128 (Q8S). T: F32, Q8, F16, Q8S.
     */
    ANEURALNETWORKS_LOGISTIC = 14,
    /**
     * Bits of locality sensitive hashes. FL 1.
     * in: F32 or F16 hash seeds [h, b], input [n, ...] of F32, F16, I32 or Q8, weight? [n] of the
     * seeds' type, i32 kind: 1 sparse (deprecated), 2 dense, 3 sparse (FL 3).
     * out: I32 [h] sparse, [h * b] dense.
     */
    ANEURALNETWORKS_LSH_PROJECTION = 15,
    /**
     * One step of a long short-term memory. FL 1, T: F32, F16. Input [B, I], U units, state [B, O].
     * in: input; weights [U, I] from input to input?, forget, cell, output; weights [U, O] from
     * state to input?, forget, cell, output; peepholes [U] to input?, forget?, output?; biases [U]
     * of input?, forget, cell, output; projection? [O, U], its bias? [O]; output state, cell state
     * [B, U]; i32 activation; f cell clip, f projection clip; [layer norm weights [U] of input?,
     * forget?, cell?, output?: FL 3]. Without the input gate it is 1 - forget gate.
     * out: scratch [B, 3U or 4U], output state, cell state, output.
     */
    ANEURALNETWORKS_LSTM = 16,
    /** The largest value of each window. FL 1, rank 4. in, out, T: as AVERAGE_POOL_2D. */
    ANEURALNETWORKS_MAX_POOL_2D = 17,
    /**
     * a * b, broadcast, then the activation (none for I32). FL 1, rank up to 4.
     * in: T a, T b, act. out: product; quantised: its scale is above scale(a) * scale(b).
     * T: F32, Q8, F16, I32 (FL 4), Q8S.
     */
    ANEURALNETWORKS_MUL = 18,
    /** max(0, x). FL 1, rank up to 4. in: T. out: T, same scale. T: F32, Q8, F16, Q8S. */
    ANEURALNETWORKS_RELU = 19,
    /** x clamped to -1...1. FL 1; as RELU. */
    ANEURALNETWORKS_RELU1 = 20,
    /** x clamped to 0...6. FL 1; as RELU. */
    ANEURALNETWORKS_RELU6 = 21,
    /**
     * The same elements in another shape. FL 1, rank up to 4.
     * in: T, I32 shape [k], one extent may be -1: computed from the other extents. out: T.
     * T: F32, Q8, F16, Q8S, I32 (FL 6).
     */
    ANEURALNETWORKS_RESHAPE = 22,
    /**
     * A feature map resized by linear interpolation. FL 1, rank 4.
     * in: T, width and height (i32, or FL 3 factors f), [nchw], [bool align corners, bool half
     * pixel centres: FL 4]. out: T. T: F32, F16, Q8 (FL 3), Q8S.
     */
    ANEURALNETWORKS_RESIZE_BILINEAR = 23,
    /**
     * One step of a simple recurrent network: act(bias + W * x + R * state). FL 1, T: F32, F16.
     * in: x [B, I], W [U, I], R [U, U], bias [U], state [B, U], i32 activation.
     * out: state, output, both [B, U] and equal.
     */
    ANEURALNETWORKS_RNN = 24,
    /**
     * exp(beta * x), divided by the sum along an axis, the last by default. FL 1, rank 2 or 4
     * (FL 3: up to 4). in: T, f beta above 0, [i32 axis: FL 3]. out: T; quantised: scale 1/256,
     * zero point 0 (Q8), -128 (Q8S). T: F32, Q8, F16, Q8S.
     */
    ANEURALNETWORKS_SOFTMAX = 25,
    /**
     * Blocks of space moved into channels; undoes DEPTH_TO_SPACE. FL 1, rank 4.
     * in: T, i32 block size, [nchw]. out: T [N, H / b, W / b, C * b * b]. T: F32, Q8, F16, Q8S.
     */
    ANEURALNETWORKS_SPACE_TO_DEPTH = 26,
    /**
     * A dense layer as low-rank filters over time. FL 1, T: F32, F16.
     * in: x [B, I], feature weights [F, I], time weights [F, M], bias? [U], state [B, F * M], i32
     * rank r (F = U * r), i32 activation. out: state [B, F * M], output [B, U].
     */
    ANEURALNETWORKS_SVDF = 27,
    /**
     * Hyperbolic tangent. FL 1, rank up to 4. in: T. out: T; quantised: scale 1/128, zero point
     * 128 (Q8), 0 (Q8S). T: F32, F16, Q8 (FL 3), Q8S.
     */
    ANEURALNETWORKS_TANH = 28,
    /**
     * Batches interleaved into space. FL 2, rank 4.
     * in: T, I32 block [2] (h, w), [nchw]. out: T [N / (bh * bw), H * bh, W * bw, C].
     * T: F32, Q8, F16, Q8S.
     */
    ANEURALNETWORKS_BATCH_TO_SPACE_ND = 29,
    /**
     * a / b, broadcast, then the activation (none for I32). FL 2, rank up to 4. I32 rounds down.
     * in: T a, T b, act. out: quotient. T: F32, F16, I32 (FL 4).
     */
    ANEURALNETWORKS_DIV = 30,
    /**
     * The mean over axes. FL 2, rank up to 4.
     * in: T, I32 axes [k], i32 keep: above 0 the axes stay, with extent 1. out: T.
     * T: F32, Q8, F16, Q8S.
     */
    ANEURALNETWORKS_MEAN = 31,
    /**
     * Zeros put around. FL 2, rank up to 4. in: T, I32 [rank, 2] before and after. out: T.
     * T: F32, Q8 (FL 3 when its zero point is not 0), F16, Q8S.
     */
    ANEURALNETWORKS_PAD = 32,
    /**
     * Space divided into batches, padded with zeros first. FL 2, rank 4.
     * in: T, I32 block [2] (h, w), I32 pads [2, 2] (top, bottom; left, right), [nchw].
     * out: T [N * bh * bw, H / bh, W / bw, C]. T: as PAD.
     */
    ANEURALNETWORKS_SPACE_TO_BATCH_ND = 33,
    /**
     * Dimensions of extent 1 dropped. FL 2, rank up to 4.
     * in: T, I32 dimensions? [k]; omitted: all of them. out: T. T: F32, Q8, F16, Q8S.
     */
    ANEURALNETWORKS_SQUEEZE = 34,
    /**
     * A part of a tensor, by steps. FL 2, rank up to 4.
     * in: T, I32 begin, end, strides [rank], i32 begin mask, end mask (bit i: ignore bound of
     * dimension i), shrink mask (bit i: drop dimension i). out: T. T: F32, Q8, F16, Q8S.
     */
    ANEURALNETWORKS_STRIDED_SLICE = 35,
    /**
     * a - b, broadcast, then the activation (none for I32). FL 2, rank up to 4.
     * in: T a, T b, act. out: difference. T: F32, F16, Q8 (FL 3), I32 (FL 4), Q8S.
     */
    ANEURALNETWORKS_SUB = 36,
    /**
     * Dimensions in another order. FL 2, rank up to 4.
     * in: T, I32 order? [rank]; omitted: a matrix is transposed. out: T. T: F32, Q8, F16, Q8S.
     */
    ANEURALNETWORKS_TRANSPOSE = 37,
    /** |x|. FL 3. in: F32, F16 or I32 (FL 4). out: the same type. */
    ANEURALNETWORKS_ABS = 38,
    /**
     * The index of the largest value along an axis, the first among equals. FL 3.
     * in: F32, F16, I32, Q8 or Q8S, i32 axis. out: I32 without that axis.
     */
    ANEURALNETWORKS_ARGMAX = 39,
    /** The index of the smallest value along an axis. FL 3; as ARGMAX. */
    ANEURALNETWORKS_ARGMIN = 40,
    /**
     * Boxes moved by deltas and clipped to their image. FL 3.
     * in: boxes [R, 4] (x1, y1, x2, y2), deltas [R, 4 * K] (dx, dy, dw, dh), I32 image of each box
     * [R], image sizes [N, 2] (height, width). out: boxes [R, 4 * K].
     * All F32 or F16; or boxes and sizes Q16A (scale 0.125, zero point 0) with deltas Q8 or Q8S.
     */
    ANEURALNETWORKS_AXIS_ALIGNED_BBOX_TRANSFORM = 41,
    /**
     * An LSTM over a sequence, forwards and backwards. FL 3, rank 3, T: F32, F16. 61 inputs.
     * in: input; 17 weights and biases forwards, 17 backwards, in the order of LSTM; output and
     * cell state forwards, then backwards; auxiliary input?; 4 auxiliary weights? forwards, 4
     * backwards; i32 activation; f cell clip, f projection clip; bool merge, bool time major; 4
     * layer norm weights? forwards, 4 backwards.
     * out: forward and backward output, or one if merged; [output and cell state forwards, then
     * backwards: FL 4].
     */
    ANEURALNETWORKS_BIDIRECTIONAL_SEQUENCE_LSTM = 42,
    /**
     * An RNN over a sequence, forwards and backwards. FL 3, rank 3, T: F32, F16. 15 inputs.
     * in: input; W, R, bias, state forwards, then backwards; auxiliary input?, its weights?
     * forwards, weights? backwards; i32 activation; bool time major, bool merge.
     * out: forward and backward output, or one if merged; [state forwards, backwards: FL 4].
     */
    ANEURALNETWORKS_BIDIRECTIONAL_SEQUENCE_RNN = 43,
    /**
     * The best boxes of each class, overlaps suppressed. FL 3.
     * in: scores [R, K], boxes [R, 4 * K], I32 image of each box [R], f score threshold, i32 most
     * boxes per image (negative: all), i32 kernel 0 hard, 1 linear, 2 gaussian, f overlap
     * threshold, f sigma, f score threshold of the suppression.
     * out: scores [M], boxes [M, 4], I32 class [M], I32 image [M].
     * All F32 or F16; or scores Q8 or Q8S with boxes Q16A (scale 0.125, zero point 0).
     */
    ANEURALNETWORKS_BOX_WITH_NMS_LIMIT = 44,
    /**
     * Values of another type; scale and zero point play no part. FL 3.
     * in: F32, F16, I32 or Q8. out: any of these; too large and too small values saturate in Q8.
     * FL 4: also B8, Q16A, Q16Y, Q8S, Q8Y, each to itself.
     */
    ANEURALNETWORKS_CAST = 45,
    /**
     * Channels mixed between groups. FL 3, rank up to 4.
     * in: T, i32 groups, i32 axis. out: T. T: F32, F16, Q8, Q8S.
     */
    ANEURALNETWORKS_CHANNEL_SHUFFLE = 46,
    /**
     * Detections of a single-shot detector. FL 3, T: F32, F16.
     * in: T scores [N, A, K], T deltas [N, A, 4 or more] (dy, dx, dh, dw), T anchors [A, 4] (y, x,
     * h, w), f scales of y, x, h, w; bool regular suppression, i32 most detections, i32 most
     * classes per detection, i32 most detections per class, f score threshold, f overlap
     * threshold, bool background class counts.
     * out: T scores [N, P], T boxes [N, P, 4] (y1, x1, y2, x2), I32 class [N, P], I32 count [N].
     */
    ANEURALNETWORKS_DETECTION_POSTPROCESSING = 47,
    /**
     * a == b, broadcast; quantised values compare as real values. FL 3.
     * in: T a, T b. out: B8. T: B8, F32, F16, I32, Q8, Q8S.
     */
    ANEURALNETWORKS_EQUAL = 48,
    /** e to the power of x. FL 3. in: F32 or F16. out: the same type. */
    ANEURALNETWORKS_EXP = 49,
    /**
     * A dimension of extent 1 put in before an axis. FL 3.
     * in: T, i32 axis. out: T. T: F32, F16, I32, Q8, Q8S.
     */
    ANEURALNETWORKS_EXPAND_DIMS = 50,
    /**
     * Slices of an axis picked by index. FL 3. An index outside fails the execution.
     * in: T, i32 axis, I32 indices of any rank. out: T, the indices' shape in place of the axis.
     * T: F32, F16, I32, Q8, Q8S.
     */
    ANEURALNETWORKS_GATHER = 51,
    /**
     * Region proposals from scores and deltas at anchors. FL 3. Heights before widths.
     * in: scores [N, H, W, A], deltas [N, H, W, 4 * A], anchors [A, 4], image sizes [N, 2]
     * (height, width), f ratio h, f ratio w, i32 most before and i32 most after suppression, f
     * overlap threshold, f least size, nchw. out: scores [M], boxes [M, 4], I32 image [M].
     * All F32 or F16; or scores and deltas Q8 or Q8S, anchors Q16Y (scale 0.125), sizes and boxes
     * Q16A (scale 0.125, zero point 0).
     */
    ANEURALNETWORKS_GENERATE_PROPOSALS = 52,
    /** a > b. FL 3; as EQUAL. */
    ANEURALNETWORKS_GREATER = 53,
    /** a >= b. FL 3; as EQUAL. */
    ANEURALNETWORKS_GREATER_EQUAL = 54,
    /**
     * Convolution of groups of channels with filters of their own. FL 3, rank 4.
     * in: T, filter [out channels, h, w, in channels / groups], bias, scheme or pads, stride w,
     * stride h, i32 groups, act, nchw. out: T. Types: as CONV_2D.
     */
    ANEURALNETWORKS_GROUPED_CONV_2D = 55,
    /**
     * The key points of heat maps, refined between cells. FL 3, rank 4.
     * in: heat maps [R, S, S, J], boxes [R, 4], nchw. out: scores [R, J], points [R, J, 2] (x, y).
     * All F32 or F16; or heat maps Q8 or Q8S with boxes and points Q16A (scale 0.125, zero point
     * 0).
     */
    ANEURALNETWORKS_HEATMAP_MAX_KEYPOINT = 56,
    /**
     * Each channel of each batch brought to mean 0 and variance 1, then gamma * x + beta. FL 3,
     * rank 4. in: T, f gamma, f beta, f epsilon, nchw. out: T. T: F32, F16.
     */
    ANEURALNETWORKS_INSTANCE_NORMALIZATION = 57,
    /** a < b. FL 3; as EQUAL. */
    ANEURALNETWORKS_LESS = 58,
    /** a <= b. FL 3; as EQUAL. */
    ANEURALNETWORKS_LESS_EQUAL = 59,
    /** Natural logarithm. FL 3. in: F32 or F16. out: the same type. */
    ANEURALNETWORKS_LOG = 60,
    /** a and b, broadcast. FL 3. in: B8 a, B8 b. out: B8. */
    ANEURALNETWORKS_LOGICAL_AND = 61,
    /** not x. FL 3. in: B8. out: B8. */
    ANEURALNETWORKS_LOGICAL_NOT = 62,
    /** a or b, broadcast. FL 3. in: B8 a, B8 b. out: B8. */
    ANEURALNETWORKS_LOGICAL_OR = 63,
    /**
     * The logarithm of SOFTMAX. FL 3. in: T, f beta, i32 axis. out: T. T: F32, F16.
     */
    ANEURALNETWORKS_LOG_SOFTMAX = 64,
    /**
     * The larger of a and b, broadcast. FL 3. in: T a, T b. out: T.
     * T: F32, F16, I32, Q8, Q8S; scales may all differ.
     */
    ANEURALNETWORKS_MAXIMUM = 65,
    /** The smaller of a and b. FL 3; as MAXIMUM. */
    ANEURALNETWORKS_MINIMUM = 66,
    /** -x. FL 3. in: F32, F16 or I32. out: the same type. */
    ANEURALNETWORKS_NEG = 67,
    /** a != b. FL 3; as EQUAL. */
    ANEURALNETWORKS_NOT_EQUAL = 68,
    /**
     * A value put around. FL 3, rank up to 4. in: T, I32 [rank, 2] before and after, the value: f,
     * or for quantised tensors i32, as it is stored. out: T. T: F32, F16, Q8, Q8S.
     */
    ANEURALNETWORKS_PAD_V2 = 69,
    /** a to the power of b, broadcast. FL 3. in: T a, T b. out: T. T: F32, F16. */
    ANEURALNETWORKS_POW = 70,
    /**
     * x where x is 0 or more, else alpha * x; broadcast. FL 3.
     * in: T x, T alpha. out: T; scales may all differ. T: F32, F16, Q8, Q8S.
     */
    ANEURALNETWORKS_PRELU = 71,
    /** Stored values of real values: x / scale + zero point. FL 3. in: F32 or F16. out: Q8 or
     * Q8S. */
    ANEURALNETWORKS_QUANTIZE = 72,
    /**
     * One step of an LSTM in 16-bit arithmetic. FL 3. Input [B, I], state [B, O].
     * in: Q8 input; Q8 weights [O, I] from input to input, forget, cell, output; Q8 weights [O, O]
     * from state, likewise; I32 biases [O], likewise; Q16Y cell state (scale 2^-11), Q8 output.
     * out: Q16Y cell state, Q8 output. Inputs and outputs have scale 1/128, zero point 128.
     */
    ANEURALNETWORKS_QUANTIZED_16BIT_LSTM = 73,
    /**
     * Classes drawn at random. FL 3. in: F32 or F16 logits [B, K], i32 samples S, I32 seeds [2].
     * out: I32 [B, S].
     */
    ANEURALNETWORKS_RANDOM_MULTINOMIAL = 74,
    /**
     * "And" over axes. FL 3, rank up to 4. in: B8, I32 axes [k], bool keep the axes with extent 1.
     * out: B8.
     */
    ANEURALNETWORKS_REDUCE_ALL = 75,
    /** "Or" over axes. FL 3; as REDUCE_ALL. */
    ANEURALNETWORKS_REDUCE_ANY = 76,
    /**
     * The largest value over axes. FL 3, rank up to 4.
     * in: T, I32 axes [k], bool keep. out: T. T: F32, F16, Q8, Q8S.
     */
    ANEURALNETWORKS_REDUCE_MAX = 77,
    /** The smallest value over axes. FL 3; as REDUCE_MAX. */
    ANEURALNETWORKS_REDUCE_MIN = 78,
    /** The product over axes. FL 3; as REDUCE_MAX. T: F32, F16. */
    ANEURALNETWORKS_REDUCE_PROD = 79,
    /** The sum over axes. FL 3; as REDUCE_MAX. T: F32, F16. */
    ANEURALNETWORKS_REDUCE_SUM = 80,
    /**
     * Regions of a feature map resampled to one size by averaging. FL 3, rank 4. Heights before
     * widths. in: feature map, boxes [R, 4], I32 batch of each box [R], i32 height, i32 width, f
     * ratio h, f ratio w, i32 samples h, i32 samples w (0: as needed), nchw. out: [R, h, w, C].
     * All F32 or F16; or map and output Q8 or Q8S with boxes Q16A (scale 0.125, zero point 0).
     */
    ANEURALNETWORKS_ROI_ALIGN = 81,
    /** As ROI_ALIGN, but the largest value of each cell, and without the two samples. FL 3. */
    ANEURALNETWORKS_ROI_POOLING = 82,
    /** 1 / sqrt(x). FL 3. in: F32, F16, Q8 (FL 7) or Q8S (FL 7). out: the same type. */
    ANEURALNETWORKS_RSQRT = 83,
    /**
     * Element by element a where the condition holds, else b; all of one shape. FL 3.
     * in: B8 condition, T a, T b. out: T. T: F32, F16, I32, Q8, Q8S; scales may differ.
     */
    ANEURALNETWORKS_SELECT = 84,
    /** Sine of radians. FL 3. in: F32 or F16. out: the same type. */
    ANEURALNETWORKS_SIN = 85,
    /**
     * A part of a tensor. FL 3. in: T, I32 begin [rank], I32 size [rank], -1: to the end. out: T.
     * T: F32, F16, I32, Q8, Q8S.
     */
    ANEURALNETWORKS_SLICE = 86,
    /**
     * A tensor cut into equal parts along an axis. FL 3.
     * in: T, i32 axis, i32 count. out: T, count of them. T: F32, F16, I32, Q8, Q8S.
     */
    ANEURALNETWORKS_SPLIT = 87,
    /** Square root. FL 3. in: F32 or F16. out: the same type. */
    ANEURALNETWORKS_SQRT = 88,
    /**
     * A tensor repeated along its dimensions. FL 3.
     * in: T, I32 times [rank]. out: T. T: F32, F16, I32, Q8, Q8S.
     */
    ANEURALNETWORKS_TILE = 89,
    /**
     * The k largest values of the last dimension, in falling order. FL 3.
     * in: T, i32 k. out: T values, I32 indices. T: F32, F16, I32, Q8, Q8S.
     */
    ANEURALNETWORKS_TOPK_V2 = 90,
    /**
     * The transpose of convolution. FL 3, rank 4.
     * in: T, filter [out channels, h, w, in channels], bias, I32 output shape [4] and scheme or
     * pads, stride w, stride h, act, nchw. out: T. Types: as CONV_2D.
     */
    ANEURALNETWORKS_TRANSPOSE_CONV_2D = 91,
    /**
     * An LSTM over a sequence. FL 3, rank 3, T: F32, F16. 28 inputs.
     * in: as LSTM, with bool time major between the projection clip and the layer norm weights.
     * out: output of all steps; [output state, cell state: FL 4].
     */
    ANEURALNETWORKS_UNIDIRECTIONAL_SEQUENCE_LSTM = 92,
    /**
     * An RNN over a sequence. FL 3, rank 3, T: F32, F16.
     * in: as RNN, then i32 time major, 0 or 1. out: output of all steps; [state: FL 4].
     */
    ANEURALNETWORKS_UNIDIRECTIONAL_SEQUENCE_RNN = 93,
    /**
     * A feature map resized by taking the nearest element. FL 3, rank 4.
     * in: T, width and height (i32, or factors f), nchw, [bool align corners, bool half pixel
     * centres: FL 4]. out: T. T: F32, F16, Q8, Q8S.
     */
    ANEURALNETWORKS_RESIZE_NEAREST_NEIGHBOR = 94,
    /**
     * One step of an LSTM on signed 8-bit values. FL 4. 32 inputs.
     * in: Q8S input; 8 Q8Y weights, 3 Q16Y peepholes?, 4 I32 biases in the order of LSTM; Q8Y
     * projection?, I32 projection bias?; Q8S output state, Q16Y cell state; 4 Q16Y layer norm
     * weights?; f32 cell clip, projection clip; f32 scales of the gates before activation (input,
     * forget, cell, output); i32 zero point and f32 scale of the hidden state.
     * out: Q8S output state, Q16Y cell state, Q8S output.
     */
    ANEURALNETWORKS_QUANTIZED_LSTM = 95,
    /**
     * One of two models. FL 4.
     * in: B8 condition [1], MODEL then, MODEL else, the inputs of either. out: the model's outputs.
     */
    ANEURALNETWORKS_IF = 96,
    /**
     * Runs a body model while a condition model is true. FL 4.
     * in: MODEL condition (a single output, B8 [1]), MODEL body, followed by the loop's operands: m
     * operands with an output, k operands of state only, n constant operands. Condition and body
     * have all m + k + n operands as inputs; the body's outputs are the next m + k. out: the last
     * m.
     */
    ANEURALNETWORKS_WHILE = 97,
    /** x, or alpha * (exp(x) - 1) below 0. FL 4. in: T, f alpha. out: T. T: F32, F16. */
    ANEURALNETWORKS_ELU = 98,
    /** x * clamp(x + 3, 0, 6) / 6. FL 4. in: F32, F16, Q8 or Q8S. out: the same type. */
    ANEURALNETWORKS_HARD_SWISH = 99,
    /**
     * A tensor full of one value. FL 4. in: I32 shape [k], f32, f16 or i32 value. out: F32, F16 or
     * I32 tensor.
     */
    ANEURALNETWORKS_FILL = 100,
    /** The number of dimensions. FL 4. in: any tensor. out: i32, a scalar. */
    ANEURALNETWORKS_RANK = 101,
    /**
     * Products of matrices in the last two dimensions. FL 6, rank 2 to 4.
     * in: T a, T b, bool transpose a, bool transpose b. out: T. T: F32, F16, I32, Q8S.
     */
    ANEURALNETWORKS_BATCH_MATMUL = 102,
    /**
     * Tensors of one shape stacked along a new axis, which is first and not negative. FL 6.
     * in: i32 axis, T one or more. out: T. T: F32, F16, I32, Q8, Q8S, all of one scale.
     */
    ANEURALNETWORKS_PACK = 103,
    /**
     * A tensor continued by its mirror image. FL 7. in: T, I32 [rank, 2] before and after, i32
     * mode: 0 without, 1 with the edge element itself. out: T. T: F32, F16, I32, Q8, Q8S.
     */
    ANEURALNETWORKS_MIRROR_PAD = 104,
    /**
     * An axis in reverse order. FL 7, rank up to 8.
     * in: T, I32 axis [1], a tensor, not negative. out: T. T: F32, F16, I32, Q8, Q8S.
     */
    ANEURALNETWORKS_REVERSE = 105
} OperationCode;

/** Operations that may change or disappear; no device of this runtime supports them. */
typedef enum {
    /** The dense tensor of a sparse tensor. */
    ANEURALNETWORKS_DENSIFY = 20000
} ANeuralNetworksExperimentalOperationCode;

#endif
