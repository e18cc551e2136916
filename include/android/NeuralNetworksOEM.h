/**
 * Vendor-defined codes of operands and operations. Deprecated: use extensions instead. Source
 * compatible with Android's header of the same name. An app may include the header of Android
 * instead: NeuralNetworks.h defines none of these codes.
 */
#ifndef ANDROID_NEURAL_NETWORKS_OEM_H
#define ANDROID_NEURAL_NETWORKS_OEM_H

/** Operand types in addition to OperandCode. */
enum {
    /** A scalar of any size. */
    ANEURALNETWORKS_OEM_SCALAR = 10000,
    /** A tensor of bytes. */
    ANEURALNETWORKS_TENSOR_OEM_BYTE = 10001
};

/** Operations in addition to OperationCode. */
enum {
    /** An operation of the vendor. */
    ANEURALNETWORKS_OEM_OPERATION = 10000
};

#endif
