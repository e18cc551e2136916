/**
 * Codes of operands and operations whose meaning a maker defines. Deprecated: use extensions
 * instead. Source compatible with Android's header of this name, which may be included in the place
 * of this one: NeuralNetworks.h defines none of these codes.
 */
#ifndef ANDROID_NEURAL_NETWORKS_OEM_H
#define ANDROID_NEURAL_NETWORKS_OEM_H

/** Operand types beside those of OperandCode. */
enum {
    /** A scalar of any size. */
    ANEURALNETWORKS_OEM_SCALAR = 10000,
    /** A tensor of bytes. */
    ANEURALNETWORKS_TENSOR_OEM_BYTE = 10001
};

/** An operation beside those of OperationCode. */
enum { ANEURALNETWORKS_OEM_OPERATION = 10000 };

#endif
